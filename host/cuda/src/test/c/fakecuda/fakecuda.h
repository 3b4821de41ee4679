// A libcuda.so.1 over host memory: enough of the driver API to run Ebb's CUDA code for real where
// there is no GPU. It keeps to the driver's manners that code gets wrong: contexts belong to
// threads, work on a stream happens later, errors of a kernel show up at a later call and stick.
#ifndef FAKECUDA_H
#define FAKECUDA_H

#include <stddef.h>
#include <stdint.h>

typedef int CUresult;
typedef int CUdevice;
typedef uint64_t CUdeviceptr;
typedef struct Context* CUcontext;
typedef struct Stream* CUstream;
typedef struct Event* CUevent;
typedef struct Module* CUmodule;
typedef struct Function* CUfunction;

enum {
  // Injected only: work that is left out though it is said to be done.
  SKIPPED = -1,
  SUCCESS = 0,
  INVALID_VALUE = 1,
  OUT_OF_MEMORY = 2,
  NOT_INITIALIZED = 3,
  INVALID_DEVICE = 101,
  INVALID_IMAGE = 200,
  INVALID_CONTEXT = 201,
  PEER_ACCESS_UNSUPPORTED = 217,
  INVALID_HANDLE = 400,
  NOT_FOUND = 500,
  NOT_READY = 600,
  ILLEGAL_ADDRESS = 700,
  PEER_ACCESS_ALREADY_ENABLED = 704,
  NOT_SUPPORTED = 801
};

enum { MAX_DEVICES = 8, MAX_PARAMS = 16 };

struct Context {
  CUdevice device;
  int retained;
  CUresult sticky;
  unsigned peers;
  CUstream null_stream;
};

// One piece of work on a stream. It runs at a synchronisation or on the worker, never at the call.
struct Work {
  struct Work* next;
  uint64_t number;
  const char* name;
  CUresult (*run)(CUcontext context, struct Work* work);
  uint64_t arg[MAX_PARAMS];
  unsigned grid[3], block[3], shared;
  unsigned char* copied;
};

// Work in order; number counts what was ever queued.
struct Stream {
  struct Stream* next;
  CUcontext context;
  struct Work* first;
  struct Work* last;
  uint64_t queued;
};

struct Event {
  CUstream stream;
  uint64_t number;
  double milliseconds;
};

// The state all files share; every access is under lock().
void lock(void);
void unlock(void);

// Takes the lock and says whether the call may go on: injected failures, no context, sticky errors.
CUresult enter(const char* function, CUcontext* context);
// The same for calls that need no context.
CUresult enter_plain(const char* function);
CUresult leave(CUresult result);

CUresult injected(const char* function);
void count_call(const char* function);
void stick(CUcontext context, CUresult result);

int device_count(void);
uint64_t device_memory(void);
int driver_version(void);
int peers_possible(void);
int runs_on_worker(void);
CUresult lost(CUdevice device);
void fakecuda_count_pageable(void);

// The bytes at a device address, or NULL where the context may not touch all of them.
unsigned char* bytes_at(CUcontext context, CUdeviceptr address, uint64_t bytes);
int is_pinned(const void* pointer, uint64_t bytes);
int device_of(CUdeviceptr address);

CUresult enqueue(CUcontext context, CUstream stream, struct Work work);
CUresult run_one(CUstream stream);
CUresult drain(CUcontext context, CUstream stream, uint64_t up_to);
CUresult drain_context(CUcontext context);
void wake_worker(void);
CUstream new_stream(CUcontext context);

void reset_contexts(void);
void reset_memory(void);
void free_memory_of(CUdevice device);
void reset_streams(void);

// The CPU twin of a kernel, or NULL.
typedef CUresult (*Twin)(CUcontext context, struct Work* work);
Twin twin_of(const char* name);

#endif
