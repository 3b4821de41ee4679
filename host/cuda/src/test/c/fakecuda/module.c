#define _GNU_SOURCE
#include "fakecuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct Module {
  char* ptx;
};

// What the PTX says of an entry, so that a launch with other parameters than the kernel's is seen.
struct Function {
  char name[64];
  int params;
  int wide[MAX_PARAMS];
  Twin twin;
};

CUresult cuModuleLoadData(CUmodule* out, const void* image) {
  CUcontext context;
  CUresult fault = enter("cuModuleLoadData", &context);
  if (fault != SUCCESS) return leave(fault);
  const char* text = image;
  if (strstr(text, ".version") == NULL || strstr(text, ".target") == NULL) {
    return leave(INVALID_IMAGE);
  }
  *out = malloc(sizeof **out);
  (*out)->ptx = strdup(text);
  return leave(SUCCESS);
}

CUresult cuModuleLoadDataEx(
    CUmodule* out, const void* image, unsigned count, int* options, void** values) {
  (void)options;
  (void)values;
  return count == 0 ? cuModuleLoadData(out, image) : NOT_SUPPORTED;
}

CUresult cuModuleUnload(CUmodule module) {
  CUcontext context;
  CUresult fault = enter("cuModuleUnload", &context);
  if (fault != SUCCESS) return leave(fault);
  free(module->ptx);
  free(module);
  return leave(SUCCESS);
}

CUresult cuModuleGetFunction(CUfunction* out, CUmodule module, const char* name) {
  CUcontext context;
  CUresult fault = enter("cuModuleGetFunction", &context);
  if (fault != SUCCESS) return leave(fault);
  char entry[96];
  snprintf(entry, sizeof entry, ".entry %s(", name);
  const char* at = strstr(module->ptx, entry);
  if (at == NULL) return leave(NOT_FOUND);
  CUfunction function = calloc(1, sizeof *function);
  snprintf(function->name, sizeof function->name, "%s", name);
  const char* end = strchr(at, ')');
  for (at = strstr(at, ".param"); at != NULL && at < end; at = strstr(at + 1, ".param")) {
    function->wide[function->params++] = strncmp(at, ".param .u64", 11) == 0;
  }
  function->twin = twin_of(name);
  *out = function;
  return leave(function->twin == NULL ? NOT_SUPPORTED : SUCCESS);
}

CUresult cuLaunchKernel(
    CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
    unsigned block_y, unsigned block_z, unsigned shared, CUstream stream, void** params,
    void** extra) {
  CUcontext context;
  CUresult fault = enter("cuLaunchKernel", &context);
  if (fault != SUCCESS) return leave(fault);
  unsigned long threads = (unsigned long)block_x * block_y * block_z;
  if (grid_x == 0 || grid_y == 0 || grid_z == 0 || grid_y > 65535 || grid_z > 65535 ||
      grid_x > 0x7fffffff || threads == 0 || threads > 1024 || shared > 48 << 10 || extra != NULL) {
    return leave(INVALID_VALUE);
  }
  struct Work work = {
      .name = function->name,
      .run = function->twin,
      .grid = {grid_x, grid_y, grid_z},
      .block = {block_x, block_y, block_z},
      .shared = shared};
  // Parameters are read at the call: their memory belongs to the caller.
  for (int i = 0; i < function->params; i++) {
    work.arg[i] = function->wide[i] ? *(uint64_t*)params[i] : *(uint32_t*)params[i];
  }
  return leave(enqueue(context, stream, work));
}
