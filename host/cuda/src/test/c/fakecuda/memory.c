#define _GNU_SOURCE
#include "fakecuda.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CONTEXT_BYTES = 4 << 20, POISONED_BYTES = 1 << 20 };

// Device addresses are not host addresses, are never handed out twice, and have gaps between them:
// using one on the host, after its end or after its free is seen.
struct Allocation {
  struct Allocation* next;
  int device;
  CUdeviceptr address;
  uint64_t bytes;
  unsigned char* host;
  // The file of a device's memory, which other processes open; -1 for memory of the host.
  int file;
  // Memory of another process.
  int imported;
};

// What a handle of 64 bytes holds.
struct Handle {
  int process, file;
  uint64_t bytes;
  char rest[48];
};

static struct Allocation* on_device;
static struct Allocation* pinned;
static uint64_t used[MAX_DEVICES];
static uint64_t handed_out[MAX_DEVICES];

static unsigned char* map(uint64_t bytes, int file) {
  int kind = file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
  void* host = mmap(NULL, bytes, PROT_READ | PROT_WRITE, kind | MAP_NORESERVE, file, 0);
  return host == MAP_FAILED ? NULL : host;
}

static unsigned char* map_new(uint64_t bytes, int file) {
  if (file >= 0 && ftruncate(file, (off_t)bytes) != 0) return NULL;
  unsigned char* host = map(bytes, file);
  if (host == NULL) return NULL;
  // What was there before is never zero on a card.
  memset(host, 0xA5, bytes < POISONED_BYTES ? bytes : POISONED_BYTES);
  return host;
}

static void discard(struct Allocation** list) {
  struct Allocation* gone = *list;
  *list = gone->next;
  munmap(gone->host, gone->bytes);
  if (gone->file >= 0) close(gone->file);
  free(gone);
}

void reset_memory(void) {
  while (on_device != NULL) discard(&on_device);
  while (pinned != NULL) discard(&pinned);
  memset(used, 0, sizeof used);
}

static void discard_of(struct Allocation** list, int device) {
  while (*list != NULL) {
    if ((*list)->device == device) {
      discard(list);
    } else {
      list = &(*list)->next;
    }
  }
}

// A context takes its memory along.
void free_memory_of(CUdevice device) {
  discard_of(&on_device, device);
  discard_of(&pinned, device);
  used[device] = 0;
}

static struct Allocation* add(
    struct Allocation** list, int device, uint64_t bytes, unsigned char* host, int file) {
  struct Allocation* one = host == NULL ? NULL : malloc(sizeof *one);
  if (one == NULL) return NULL;
  *one = (struct Allocation){*list, device, 0, bytes, host, file, 0};
  *list = one;
  return one;
}

static CUdeviceptr next_address(int device, uint64_t bytes) {
  CUdeviceptr address = ((uint64_t)(device + 1) << 44) + handed_out[device];
  handed_out[device] += (bytes + 4096 + 511) / 512 * 512;
  return address;
}

CUresult cuMemAlloc_v2(CUdeviceptr* out, size_t bytes) {
  CUcontext context;
  CUresult fault = enter("cuMemAlloc_v2", &context);
  if (fault == SUCCESS && bytes == 0) fault = INVALID_VALUE;
  if (fault != SUCCESS) return leave(fault);
  int device = context->device;
  if (used[device] + bytes + CONTEXT_BYTES > device_memory()) return leave(OUT_OF_MEMORY);
  int file = memfd_create("device", MFD_CLOEXEC);
  if (file < 0) return leave(OUT_OF_MEMORY);
  struct Allocation* one = add(&on_device, device, bytes, map_new(bytes, file), file);
  if (one == NULL) {
    close(file);
    return leave(OUT_OF_MEMORY);
  }
  one->address = next_address(device, bytes);
  used[device] += bytes;
  *out = one->address;
  return leave(SUCCESS);
}

CUresult cuMemFree_v2(CUdeviceptr address) {
  CUcontext context;
  CUresult fault = enter("cuMemFree_v2", &context);
  if (fault != SUCCESS) return leave(fault);
  drain_context(context);
  for (struct Allocation** at = &on_device; *at != NULL; at = &(*at)->next) {
    if ((*at)->address == address && !(*at)->imported) {
      used[(*at)->device] -= (*at)->bytes;
      discard(at);
      return leave(SUCCESS);
    }
  }
  return leave(INVALID_VALUE);
}

CUresult cuIpcGetMemHandle(struct Handle* out, CUdeviceptr address) {
  CUcontext context;
  CUresult fault = enter("cuIpcGetMemHandle", &context);
  if (fault != SUCCESS) return leave(fault);
  for (struct Allocation* one = on_device; one != NULL; one = one->next) {
    if (one->address == address && !one->imported) {
      *out = (struct Handle){(int)getpid(), one->file, one->bytes, {0}};
      return leave(SUCCESS);
    }
  }
  return leave(INVALID_VALUE);
}

CUresult cuIpcOpenMemHandle_v2(CUdeviceptr* out, struct Handle handle, unsigned flags) {
  CUcontext context;
  CUresult fault = enter("cuIpcOpenMemHandle_v2", &context);
  if (fault == SUCCESS && flags != 1) fault = INVALID_VALUE;
  // The process that exported the memory has it already.
  if (fault == SUCCESS && handle.process == (int)getpid()) fault = INVALID_CONTEXT;
  if (fault != SUCCESS) return leave(fault);
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/fd/%d", handle.process, handle.file);
  int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return leave(INVALID_VALUE);
  struct Allocation* one =
      add(&on_device, context->device, handle.bytes, map(handle.bytes, file), file);
  if (one == NULL) {
    close(file);
    return leave(OUT_OF_MEMORY);
  }
  one->imported = 1;
  one->address = next_address(context->device, handle.bytes);
  *out = one->address;
  return leave(SUCCESS);
}

CUresult cuIpcCloseMemHandle(CUdeviceptr address) {
  CUcontext context;
  CUresult fault = enter("cuIpcCloseMemHandle", &context);
  if (fault != SUCCESS) return leave(fault);
  drain_context(context);
  for (struct Allocation** at = &on_device; *at != NULL; at = &(*at)->next) {
    if ((*at)->address == address && (*at)->imported) {
      discard(at);
      return leave(SUCCESS);
    }
  }
  return leave(INVALID_VALUE);
}

CUresult cuMemGetInfo_v2(size_t* free_bytes, size_t* total) {
  CUcontext context;
  CUresult fault = enter("cuMemGetInfo_v2", &context);
  if (fault != SUCCESS) return leave(fault);
  *free_bytes = device_memory() - used[context->device] - CONTEXT_BYTES;
  *total = device_memory();
  return leave(SUCCESS);
}

CUresult cuMemHostAlloc(void** out, size_t bytes, unsigned flags) {
  CUcontext context;
  CUresult fault = enter("cuMemHostAlloc", &context);
  if (fault == SUCCESS && (bytes == 0 || flags > 7)) fault = INVALID_VALUE;
  if (fault != SUCCESS) return leave(fault);
  struct Allocation* one = add(&pinned, context->device, bytes, map_new(bytes, -1), -1);
  if (one == NULL) return leave(OUT_OF_MEMORY);
  *out = one->host;
  return leave(SUCCESS);
}

CUresult cuMemFreeHost(void* pointer) {
  CUcontext context;
  CUresult fault = enter("cuMemFreeHost", &context);
  if (fault != SUCCESS) return leave(fault);
  drain_context(context);
  for (struct Allocation** at = &pinned; *at != NULL; at = &(*at)->next) {
    if ((*at)->host == pointer) {
      discard(at);
      return leave(SUCCESS);
    }
  }
  return leave(INVALID_VALUE);
}

static struct Allocation* covering(CUdeviceptr address, uint64_t bytes) {
  for (struct Allocation* one = on_device; one != NULL; one = one->next) {
    if (address >= one->address && address - one->address <= one->bytes &&
        bytes <= one->bytes - (address - one->address)) {
      return one;
    }
  }
  return NULL;
}

unsigned char* bytes_at(CUcontext context, CUdeviceptr address, uint64_t bytes) {
  struct Allocation* one = covering(address, bytes);
  if (one == NULL) return NULL;
  int allowed = one->device == context->device || (context->peers >> one->device & 1);
  return allowed ? one->host + (address - one->address) : NULL;
}

int device_of(CUdeviceptr address) {
  struct Allocation* one = covering(address, 1);
  return one == NULL ? -1 : one->device;
}

int is_pinned(const void* pointer, uint64_t bytes) {
  const unsigned char* start = pointer;
  for (struct Allocation* one = pinned; one != NULL; one = one->next) {
    if (start >= one->host && start + bytes <= one->host + one->bytes) return 1;
  }
  return 0;
}

long fakecuda_live_bytes(int device) {
  lock();
  long bytes = (long)used[device];
  unlock();
  return bytes;
}

long fakecuda_live_pinned(void) {
  lock();
  long count = 0;
  for (struct Allocation* one = pinned; one != NULL; one = one->next) count++;
  unlock();
  return count;
}
