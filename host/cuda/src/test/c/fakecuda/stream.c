#define _GNU_SOURCE
#include "fakecuda.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static CUstream streams;
static int worker_started;

CUstream new_stream(CUcontext context) {
  CUstream stream = calloc(1, sizeof *stream);
  stream->context = context;
  stream->next = streams;
  streams = stream;
  return stream;
}

static void free_work(struct Work* work) {
  free(work->copied);
  free(work);
}

// Streams are only ever abandoned by a reset, never freed: an event may still name one.
void reset_streams(void) {
  for (CUstream stream = streams; stream != NULL; stream = stream->next) {
    while (stream->first != NULL) {
      struct Work* work = stream->first;
      stream->first = work->next;
      free_work(work);
    }
    stream->last = NULL;
    stream->context = NULL;
  }
  streams = NULL;
}

CUresult enqueue(CUcontext context, CUstream stream, struct Work work) {
  if (stream == NULL) stream = context->null_stream;
  if (stream->context != context) return INVALID_HANDLE;
  struct Work* kept = malloc(sizeof *kept);
  *kept = work;
  kept->next = NULL;
  kept->number = ++stream->queued;
  if (stream->last == NULL) {
    stream->first = kept;
  } else {
    stream->last->next = kept;
  }
  stream->last = kept;
  wake_worker();
  return SUCCESS;
}

CUresult run_one(CUstream stream) {
  struct Work* work = stream->first;
  stream->first = work->next;
  if (stream->first == NULL) stream->last = NULL;
  CUresult result = stream->context->sticky;
  if (result == SUCCESS) result = lost(stream->context->device);
  if (result == SUCCESS) result = injected(work->name);
  if (result == SUCCESS) {
    result = work->run(stream->context, work);
  } else if (result == SKIPPED) {
    result = SUCCESS;
  }
  if (result != SUCCESS) stick(stream->context, result);
  free_work(work);
  return result;
}

CUresult drain(CUcontext context, CUstream stream, uint64_t up_to) {
  CUresult result = SUCCESS;
  if (stream == NULL) stream = context->null_stream;
  while (stream->first != NULL && stream->first->number <= up_to) {
    CUresult one = run_one(stream);
    if (result == SUCCESS) result = one;
  }
  return context->sticky != SUCCESS ? context->sticky : result;
}

CUresult drain_context(CUcontext context) {
  CUresult result = SUCCESS;
  for (CUstream stream = streams; stream != NULL; stream = stream->next) {
    if (stream->context != context) continue;
    CUresult one = drain(context, stream, UINT64_MAX);
    if (result == SUCCESS) result = one;
  }
  return result;
}

static int run_one_anywhere(void) {
  for (CUstream stream = streams; stream != NULL; stream = stream->next) {
    if (stream->first != NULL) {
      run_one(stream);
      return 1;
    }
  }
  return 0;
}

static void* work_off(void* unused) {
  for (;;) {
    usleep(50);
    lock();
    if (!runs_on_worker() || !run_one_anywhere()) {
      unlock();
      usleep(500);
      continue;
    }
    unlock();
  }
  return unused;
}

void wake_worker(void) {
  if (!runs_on_worker() || worker_started) return;
  worker_started = 1;
  pthread_t thread;
  if (pthread_create(&thread, NULL, work_off, NULL) == 0) pthread_detach(thread);
}

CUresult cuStreamCreate(CUstream* out, unsigned flags) {
  CUcontext context;
  CUresult fault = enter("cuStreamCreate", &context);
  if (fault == SUCCESS && flags > 1) fault = INVALID_VALUE;
  if (fault == SUCCESS) *out = new_stream(context);
  return leave(fault);
}

CUresult cuStreamDestroy_v2(CUstream stream) {
  CUcontext context;
  CUresult fault = enter("cuStreamDestroy_v2", &context);
  if (fault == SUCCESS && (stream == NULL || stream->context != context)) fault = INVALID_HANDLE;
  if (fault == SUCCESS) drain(context, stream, UINT64_MAX);
  return leave(fault);
}

CUresult cuStreamSynchronize(CUstream stream) {
  CUcontext context;
  CUresult fault = enter("cuStreamSynchronize", &context);
  if (fault == SUCCESS && stream != NULL && stream->context != context) fault = INVALID_HANDLE;
  return leave(fault == SUCCESS ? drain(context, stream, UINT64_MAX) : fault);
}
