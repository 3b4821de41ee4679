#include "fakecuda.h"

#include <string.h>

// The places of a copy: arg[0] target, arg[1] source, arg[2] bytes.

static CUresult to_device(CUcontext context, struct Work* work) {
  unsigned char* target = bytes_at(context, work->arg[0], work->arg[2]);
  if (target == NULL) return ILLEGAL_ADDRESS;
  memcpy(target, (void*)work->arg[1], work->arg[2]);
  return SUCCESS;
}

static CUresult to_host(CUcontext context, struct Work* work) {
  unsigned char* source = bytes_at(context, work->arg[1], work->arg[2]);
  if (source == NULL) return ILLEGAL_ADDRESS;
  memcpy((void*)work->arg[0], source, work->arg[2]);
  return SUCCESS;
}

static CUresult within(CUcontext context, struct Work* work) {
  unsigned char* target = bytes_at(context, work->arg[0], work->arg[2]);
  unsigned char* source = bytes_at(context, work->arg[1], work->arg[2]);
  if (target == NULL || source == NULL) return ILLEGAL_ADDRESS;
  memcpy(target, source, work->arg[2]);
  return SUCCESS;
}

static CUresult between(CUcontext context, struct Work* work) {
  (void)context;
  unsigned char* target = bytes_at((CUcontext)work->arg[3], work->arg[0], work->arg[2]);
  unsigned char* source = bytes_at((CUcontext)work->arg[4], work->arg[1], work->arg[2]);
  if (target == NULL || source == NULL) return ILLEGAL_ADDRESS;
  memcpy(target, source, work->arg[2]);
  return SUCCESS;
}

static CUresult fill(CUcontext context, struct Work* work) {
  unsigned char* target = bytes_at(context, work->arg[0], work->arg[2]);
  if (target == NULL) return ILLEGAL_ADDRESS;
  memset(target, (int)work->arg[1], work->arg[2]);
  return SUCCESS;
}

static CUresult later(
    const char* function, CUresult (*run)(CUcontext, struct Work*), uint64_t target,
    uint64_t source, size_t bytes, CUstream stream) {
  CUcontext context;
  CUresult fault = enter(function, &context);
  if (fault != SUCCESS) return leave(fault);
  if (run == to_device && !is_pinned((void*)source, bytes)) fakecuda_count_pageable();
  if (run == to_host && !is_pinned((void*)target, bytes)) fakecuda_count_pageable();
  return leave(enqueue(
      context, stream,
      (struct Work){.name = "copy", .run = run, .arg = {target, source, bytes}}));
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr target, const void* source, size_t bytes, CUstream s) {
  return later("cuMemcpyHtoDAsync_v2", to_device, target, (uint64_t)source, bytes, s);
}

CUresult cuMemcpyDtoHAsync_v2(void* target, CUdeviceptr source, size_t bytes, CUstream s) {
  return later("cuMemcpyDtoHAsync_v2", to_host, (uint64_t)target, source, bytes, s);
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr target, CUdeviceptr source, size_t bytes, CUstream s) {
  return later("cuMemcpyDtoDAsync_v2", within, target, source, bytes, s);
}

CUresult cuMemsetD8Async(CUdeviceptr target, unsigned char value, size_t bytes, CUstream stream) {
  return later("cuMemsetD8Async", fill, target, value, bytes, stream);
}

CUresult cuMemcpyPeerAsync(
    CUdeviceptr target, CUcontext target_context, CUdeviceptr source, CUcontext source_context,
    size_t bytes, CUstream stream) {
  CUcontext context;
  CUresult fault = enter("cuMemcpyPeerAsync", &context);
  if (fault == SUCCESS && (target_context == NULL || source_context == NULL)) fault = INVALID_VALUE;
  if (fault != SUCCESS) return leave(fault);
  return leave(enqueue(
      context, stream,
      (struct Work){
          .name = "copy",
          .run = between,
          .arg = {target, source, bytes, (uint64_t)target_context, (uint64_t)source_context}}));
}

// The synchronous forms wait for everything before them, and for themselves.
static CUresult now(CUresult queued) {
  CUcontext context;
  if (queued != SUCCESS) return queued;
  CUresult fault = enter("synchronous copy", &context);
  return leave(fault == SUCCESS ? drain_context(context) : fault);
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr target, const void* source, size_t bytes) {
  return now(later("cuMemcpyHtoD_v2", to_device, target, (uint64_t)source, bytes, NULL));
}

CUresult cuMemcpyDtoH_v2(void* target, CUdeviceptr source, size_t bytes) {
  return now(later("cuMemcpyDtoH_v2", to_host, (uint64_t)target, source, bytes, NULL));
}
