#define _GNU_SOURCE
#include "fakecuda.h"

#include <stdlib.h>
#include <time.h>

static CUresult record(CUcontext context, struct Work* work) {
  (void)context;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  ((CUevent)work->arg[0])->milliseconds = now.tv_sec * 1e3 + now.tv_nsec / 1e6;
  return SUCCESS;
}

static CUresult wait(CUcontext context, struct Work* work) {
  (void)context;
  CUstream other = (CUstream)work->arg[0];
  return other->context == NULL ? SUCCESS : drain(other->context, other, work->arg[1]);
}

CUresult cuEventCreate(CUevent* out, unsigned flags) {
  CUcontext context;
  CUresult fault = enter("cuEventCreate", &context);
  if (fault == SUCCESS && flags > 7) fault = INVALID_VALUE;
  if (fault == SUCCESS) *out = calloc(1, sizeof **out);
  return leave(fault);
}

CUresult cuEventDestroy_v2(CUevent event) {
  CUcontext context;
  CUresult fault = enter("cuEventDestroy_v2", &context);
  // A record that has not run still writes to the event.
  if (fault == SUCCESS && event->stream != NULL) drain(context, event->stream, event->number);
  if (fault == SUCCESS) free(event);
  return leave(fault);
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  CUcontext context;
  CUresult fault = enter("cuEventRecord", &context);
  if (fault != SUCCESS) return leave(fault);
  if (stream == NULL) stream = context->null_stream;
  fault = enqueue(
      context, stream, (struct Work){.name = "record", .run = record, .arg = {(uint64_t)event}});
  if (fault == SUCCESS) {
    event->stream = stream;
    event->number = stream->queued;
  }
  return leave(fault);
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  CUcontext context;
  CUresult fault = enter("cuStreamWaitEvent", &context);
  if (fault == SUCCESS && flags != 0) fault = INVALID_VALUE;
  if (fault != SUCCESS || event->stream == NULL) return leave(fault);
  return leave(enqueue(
      context, stream,
      (struct Work){.name = "wait", .run = wait, .arg = {(uint64_t)event->stream, event->number}}));
}

CUresult cuEventSynchronize(CUevent event) {
  CUcontext context;
  CUresult fault = enter("cuEventSynchronize", &context);
  if (fault != SUCCESS || event->stream == NULL) return leave(fault);
  return leave(drain(context, event->stream, event->number));
}

// Asking brings the work one step on, so that a caller who polls gets to the end.
CUresult cuEventQuery(CUevent event) {
  CUcontext context;
  CUresult fault = enter("cuEventQuery", &context);
  if (fault != SUCCESS || event->stream == NULL) return leave(fault);
  CUstream stream = event->stream;
  if (stream->first == NULL || stream->first->number > event->number) return leave(SUCCESS);
  fault = run_one(stream);
  return leave(fault != SUCCESS ? fault : NOT_READY);
}

CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  CUcontext context;
  CUresult fault = enter("cuEventElapsedTime", &context);
  if (fault == SUCCESS && (start->milliseconds == 0 || end->milliseconds == 0)) fault = NOT_READY;
  if (fault == SUCCESS) *milliseconds = (float)(end->milliseconds - start->milliseconds);
  return leave(fault);
}
