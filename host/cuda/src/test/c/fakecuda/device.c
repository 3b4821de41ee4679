#include "fakecuda.h"

#include <stdio.h>
#include <string.h>

CUresult cuDriverGetVersion(int* version) {
  *version = driver_version();
  return SUCCESS;
}

CUresult cuDeviceGetCount(int* count) {
  CUresult fault = enter_plain("cuDeviceGetCount");
  if (fault == SUCCESS) *count = device_count();
  return leave(fault);
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  CUresult fault = enter_plain("cuDeviceGet");
  if (fault == SUCCESS && (ordinal < 0 || ordinal >= device_count())) fault = INVALID_DEVICE;
  if (fault == SUCCESS) *device = ordinal;
  return leave(fault);
}

static CUresult of_device(const char* function, CUdevice device) {
  CUresult fault = enter_plain(function);
  if (fault == SUCCESS && (device < 0 || device >= device_count())) fault = INVALID_DEVICE;
  return fault;
}

CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  CUresult fault = of_device("cuDeviceGetName", device);
  if (fault == SUCCESS) snprintf(name, length, "Test driver over host memory %d", device);
  return leave(fault);
}

CUresult cuDeviceGetPCIBusId(char* id, int length, CUdevice device) {
  CUresult fault = of_device("cuDeviceGetPCIBusId", device);
  if (fault == SUCCESS) snprintf(id, length, "0000:%02x:00.0", device + 1);
  return leave(fault);
}

CUresult cuDeviceTotalMem_v2(size_t* bytes, CUdevice device) {
  CUresult fault = of_device("cuDeviceTotalMem_v2", device);
  if (fault == SUCCESS) *bytes = device_memory();
  return leave(fault);
}

CUresult cuDeviceGetAttribute(int* value, int attribute, CUdevice device) {
  CUresult fault = of_device("cuDeviceGetAttribute", device);
  if (fault != SUCCESS) return leave(fault);
  switch (attribute) {
    case 1:  // MAX_THREADS_PER_BLOCK
      *value = 1024;
      break;
    case 10:  // WARP_SIZE
      *value = 32;
      break;
    case 16:  // MULTIPROCESSOR_COUNT
      *value = 4;
      break;
    case 75:  // COMPUTE_CAPABILITY_MAJOR
      *value = 7;
      break;
    case 76:  // COMPUTE_CAPABILITY_MINOR
      *value = 5;
      break;
    default:
      fault = NOT_SUPPORTED;
  }
  return leave(fault);
}

CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  CUresult fault = of_device("cuDeviceCanAccessPeer", device);
  if (fault == SUCCESS && (peer < 0 || peer >= device_count())) fault = INVALID_DEVICE;
  if (fault == SUCCESS) *can = device != peer && peers_possible();
  return leave(fault);
}
