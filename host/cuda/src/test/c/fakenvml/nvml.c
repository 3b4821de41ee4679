// The functions of NVML that report NVLink, for the devices of fakecuda. Tests turn links on.
#include <stddef.h>
#include <stdio.h>

enum { SUCCESS = 0, UNINITIALIZED = 1, INVALID_ARGUMENT = 2, NOT_FOUND = 6, MAX_DEVICES = 8 };
enum { NVLINK = 2, STATUS_OK = 0, STATUS_DISCONNECTED = 5 };

static int initialized;
static int init_failure;
static int links[MAX_DEVICES][MAX_DEVICES];
static int handles[MAX_DEVICES];

long fakenvml_reset(int failure) {
  init_failure = failure;
  for (int i = 0; i < MAX_DEVICES * MAX_DEVICES; i++) links[i / MAX_DEVICES][i % MAX_DEVICES] = 0;
  return initialized;
}

long fakenvml_link(int from, int to) { return links[from][to] = links[to][from] = 1; }

int nvmlInit_v2(void) {
  if (init_failure == 0) initialized++;
  return init_failure;
}

int nvmlShutdown(void) {
  if (initialized == 0) return UNINITIALIZED;
  initialized--;
  return SUCCESS;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char* address, void** handle) {
  unsigned bus;
  if (initialized == 0) return UNINITIALIZED;
  if (sscanf(address, "0000:%x:00.0", &bus) != 1 || bus < 1 || bus > MAX_DEVICES) return NOT_FOUND;
  *handle = &handles[bus - 1];
  return SUCCESS;
}

int nvmlDeviceGetP2PStatus(void* from, void* to, int index, int* status) {
  if (initialized == 0) return UNINITIALIZED;
  if (from == NULL || to == NULL || index != NVLINK) return INVALID_ARGUMENT;
  int linked = links[(int*)from - handles][(int*)to - handles];
  *status = linked ? STATUS_OK : STATUS_DISCONNECTED;
  return SUCCESS;
}
