#define _GNU_SOURCE
#include "fakecuda.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t mutex;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int initialized;
static struct Context primary[MAX_DEVICES];
static __thread CUcontext current;

static void make_mutex(void) {
  pthread_mutexattr_t recursive;
  pthread_mutexattr_init(&recursive);
  pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&mutex, &recursive);
}

void lock(void) {
  pthread_once(&once, make_mutex);
  pthread_mutex_lock(&mutex);
}

void unlock(void) { pthread_mutex_unlock(&mutex); }

CUresult enter_plain(const char* function) {
  lock();
  count_call(function);
  CUresult fault = injected(function);
  if (fault != SUCCESS) return fault;
  return initialized ? SUCCESS : NOT_INITIALIZED;
}

CUresult enter(const char* function, CUcontext* context) {
  CUresult fault = enter_plain(function);
  if (fault == SUCCESS && current == NULL) fault = INVALID_CONTEXT;
  if (fault == SUCCESS) fault = lost(current->device);
  if (fault == SUCCESS) fault = current->sticky;
  if (fault == SUCCESS && current->retained == 0) fault = INVALID_CONTEXT;
  if (fault != SUCCESS && current != NULL) stick(current, fault);
  *context = current;
  return fault;
}

CUresult leave(CUresult result) {
  unlock();
  return result;
}

// From 700 on errors belong to a kernel or the card and leave the context unusable, but for those
// that only say what a call was not allowed to do.
void stick(CUcontext context, CUresult result) {
  if (result == ILLEGAL_ADDRESS || result == 214 || (result >= 702 && result <= 703) ||
      (result >= 709 && result <= 719) || result == 46) {
    context->sticky = result;
  }
}

void reset_contexts(void) {
  for (int device = 0; device < MAX_DEVICES; device++) {
    memset(&primary[device], 0, sizeof primary[device]);
    primary[device].device = device;
  }
  initialized = 0;
}

CUresult cuInit(unsigned flags) {
  lock();
  count_call("cuInit");
  CUresult fault = flags != 0 ? INVALID_VALUE : injected("cuInit");
  if (fault == SUCCESS && device_count() == 0) fault = 100;
  if (fault == SUCCESS && !initialized) {
    reset_contexts();
    initialized = 1;
  }
  return leave(fault);
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* out, CUdevice device) {
  CUresult fault = enter_plain("cuDevicePrimaryCtxRetain");
  if (fault == SUCCESS && (device < 0 || device >= device_count())) fault = INVALID_DEVICE;
  if (fault == SUCCESS) fault = lost(device);
  if (fault != SUCCESS) return leave(fault);
  CUcontext context = &primary[device];
  if (context->retained++ == 0) {
    context->sticky = SUCCESS;
    context->peers = 0;
    context->null_stream = new_stream(context);
  }
  *out = context;
  return leave(SUCCESS);
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  CUresult fault = enter_plain("cuDevicePrimaryCtxRelease_v2");
  if (fault == SUCCESS && (device < 0 || device >= device_count())) fault = INVALID_DEVICE;
  if (fault == SUCCESS && primary[device].retained == 0) fault = INVALID_CONTEXT;
  if (fault == SUCCESS && primary[device].sticky == SUCCESS) drain_context(&primary[device]);
  if (fault == SUCCESS && --primary[device].retained == 0) free_memory_of(device);
  return leave(fault);
}

CUresult cuCtxSetCurrent(CUcontext context) {
  CUresult fault = enter_plain("cuCtxSetCurrent");
  if (fault == SUCCESS && context != NULL && context->retained == 0) fault = INVALID_CONTEXT;
  if (fault == SUCCESS) current = context;
  return leave(fault);
}

CUresult cuCtxGetCurrent(CUcontext* out) {
  CUresult fault = enter_plain("cuCtxGetCurrent");
  if (fault == SUCCESS) *out = current;
  return leave(fault);
}

CUresult cuCtxGetDevice(CUdevice* out) {
  CUcontext context;
  CUresult fault = enter("cuCtxGetDevice", &context);
  if (fault == SUCCESS) *out = context->device;
  return leave(fault);
}

CUresult cuCtxSynchronize(void) {
  CUcontext context;
  CUresult fault = enter("cuCtxSynchronize", &context);
  return leave(fault == SUCCESS ? drain_context(context) : fault);
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  CUcontext context;
  CUresult fault = enter("cuCtxEnablePeerAccess", &context);
  if (fault == SUCCESS && (flags != 0 || peer == NULL)) fault = INVALID_VALUE;
  if (fault == SUCCESS && !peers_possible()) fault = PEER_ACCESS_UNSUPPORTED;
  if (fault != SUCCESS) return leave(fault);
  unsigned bit = 1u << peer->device;
  if (context->peers & bit) return leave(PEER_ACCESS_ALREADY_ENABLED);
  context->peers |= bit;
  return leave(SUCCESS);
}
