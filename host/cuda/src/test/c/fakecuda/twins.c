// What the kernels of kernels.cu compute, on the CPU and in the same order of parameters. The grid
// is honoured as the kernels do, so that a launch with a wrong one leaves its mark.
#include "fakecuda.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static float half_to_float(uint16_t half) {
  int exponent = half >> 10 & 31, fraction = half & 1023;
  float value = exponent == 0    ? ldexpf((float)fraction, -24)
                : exponent == 31 ? (fraction ? NAN : INFINITY)
                                 : ldexpf((float)(fraction | 1024), exponent - 25);
  return half & 0x8000 ? -value : value;
}

static float element(const unsigned char* row, int index, int type) {
  uint16_t half;
  uint32_t bits;
  float value;
  if (type == 0) {
    memcpy(&value, row + 4 * index, 4);
    return value;
  }
  memcpy(&half, row + 2 * index, 2);
  if (type == 1) return half_to_float(half);
  bits = (uint32_t)half << 16;
  memcpy(&value, &bits, 4);
  return value;
}

static int int_at(CUcontext context, CUdeviceptr array, int64_t index, int* out) {
  unsigned char* at = bytes_at(context, array + 4 * index, 4);
  if (at == NULL) return 0;
  memcpy(out, at, 4);
  return 1;
}

// A row of a block table, or NULL where it is in no allocation.
static unsigned char* row_of(
    CUcontext context, CUdeviceptr base, int64_t block_bytes, CUdeviceptr table, int block_tokens,
    int64_t plane, int row_bytes, int token) {
  int block;
  if (!int_at(context, table, token / block_tokens, &block)) return NULL;
  return bytes_at(
      context, base + block * block_bytes + (plane * block_tokens + token % block_tokens) * row_bytes,
      row_bytes);
}

static CUresult copy_blocks(CUcontext context, struct Work* work) {
  uint64_t* arg = work->arg;
  int count = (int)arg[4];
  for (int move = 0; move < count; move++) {
    int from, to;
    if (!int_at(context, arg[2], move, &from) || !int_at(context, arg[3], move, &to)) {
      return ILLEGAL_ADDRESS;
    }
    unsigned char* source = bytes_at(context, arg[0] + from * arg[1], arg[1]);
    unsigned char* target = bytes_at(context, arg[0] + to * arg[1], arg[1]);
    if (source == NULL || target == NULL) return ILLEGAL_ADDRESS;
    memcpy(target, source, arg[1]);
  }
  return SUCCESS;
}

static CUresult gather_tokens(CUcontext context, struct Work* work) {
  uint64_t* arg = work->arg;
  int row_bytes = (int)arg[4], kept_tokens = (int)arg[6];
  for (unsigned plane = 0; plane < work->grid[0]; plane++) {
    for (int i = 0; i < kept_tokens; i++) {
      int token;
      if (!int_at(context, arg[5], (int64_t)(plane / 2) * kept_tokens + i, &token)) {
        return ILLEGAL_ADDRESS;
      }
      unsigned char* source =
          row_of(context, arg[0], arg[1], arg[2], (int)arg[3], plane, row_bytes, token);
      unsigned char* target =
          row_of(context, arg[0], arg[1], arg[2], (int)arg[3], plane, row_bytes, i);
      if (source == NULL || target == NULL) return ILLEGAL_ADDRESS;
      memmove(target, source, row_bytes);
    }
  }
  return SUCCESS;
}

// The key of a token; the first seven parameters are the same in all kernels that read keys.
static unsigned char* key_of(CUcontext context, const uint64_t* arg, int head, int token) {
  int row_bytes = (int)arg[4] * (arg[5] == 0 ? 4 : 2);
  return row_of(
      context, arg[0], arg[1], arg[2], (int)arg[3], 2 * ((int64_t)arg[6] + head), row_bytes, token);
}

static CUresult attend(
    CUcontext context, const uint64_t* arg, int head, int row, const float* query, float* score) {
  int dimensions = (int)arg[4], length = (int)arg[8];
  int seen = length - (int)arg[9] + row + 1;
  double largest = -INFINITY, sum = 0;
  for (int s = 0; s < seen; s++) {
    unsigned char* key = key_of(context, arg, head / (int)arg[7], s);
    if (key == NULL) return ILLEGAL_ADDRESS;
    double dot = 0;
    for (int d = 0; d < dimensions; d++) dot += query[d] * element(key, d, (int)arg[5]);
    score[s] = (float)(dot / sqrt(dimensions));
    if (score[s] > largest) largest = score[s];
  }
  for (int s = 0; s < seen; s++) sum += exp(score[s] - largest);
  for (int s = 0; s < length; s++) score[s] = s < seen ? (float)(exp(score[s] - largest) / sum) : 0;
  return SUCCESS;
}

static CUresult window_attention(CUcontext context, struct Work* work) {
  const uint64_t* arg = work->arg;
  int dimensions = (int)arg[4], length = (int)arg[8], window = (int)arg[9];
  uint64_t rows = (uint64_t)work->grid[0] * work->grid[1];
  if ((int)work->grid[0] != window) return ILLEGAL_ADDRESS;
  float* queries = (float*)bytes_at(context, arg[10], rows * dimensions * 4);
  float* scores = (float*)bytes_at(context, arg[11], rows * length * 4);
  if (queries == NULL || scores == NULL) return ILLEGAL_ADDRESS;
  for (unsigned head = 0; head < work->grid[1]; head++) {
    for (int row = 0; row < window; row++) {
      int64_t at = (int64_t)head * window + row;
      CUresult fault =
          attend(context, arg, (int)head, row, queries + at * dimensions, scores + at * length);
      if (fault != SUCCESS) return fault;
    }
  }
  return SUCCESS;
}

static double norm_of(const unsigned char* key, const uint64_t* arg) {
  double squares = 0;
  for (int d = 0; d < (int)arg[4]; d++) {
    double value = element(key, d, (int)arg[5]);
    squares += value * value;
  }
  return sqrt(squares);
}

static CUresult key_norms(CUcontext context, struct Work* work) {
  const uint64_t* arg = work->arg;
  int first = (int)arg[7], count = (int)arg[8];
  float* norms = (float*)bytes_at(context, arg[9], (uint64_t)work->grid[1] * count * 4);
  if (norms == NULL) return ILLEGAL_ADDRESS;
  for (unsigned head = 0; head < work->grid[1]; head++) {
    for (int i = 0; i < count; i++) {
      unsigned char* key = key_of(context, arg, (int)head, first + i);
      if (key == NULL) return ILLEGAL_ADDRESS;
      norms[(uint64_t)head * count + i] = (float)norm_of(key, arg);
    }
  }
  return SUCCESS;
}

static CUresult key_mean(CUcontext context, struct Work* work) {
  const uint64_t* arg = work->arg;
  int dimensions = (int)arg[4], first = (int)arg[7], count = (int)arg[8];
  int64_t seen = (int64_t)arg[9];
  float* mean = (float*)bytes_at(context, arg[10], (uint64_t)work->grid[0] * dimensions * 4);
  if (mean == NULL || work->shared < work->block[0] / 32 * dimensions * 4) return ILLEGAL_ADDRESS;
  for (unsigned head = 0; head < work->grid[0]; head++) {
    double sums[4096] = {0};
    if (dimensions > 4096) return ILLEGAL_ADDRESS;
    for (int i = 0; i < count; i++) {
      unsigned char* key = key_of(context, arg, (int)head, first + i);
      if (key == NULL) return ILLEGAL_ADDRESS;
      double norm = norm_of(key, arg);
      for (int d = 0; d < dimensions && norm > 0; d++) {
        sums[d] += element(key, d, (int)arg[5]) / norm;
      }
    }
    for (int d = 0; d < dimensions; d++) {
      float* out = mean + (uint64_t)head * dimensions + d;
      double before = seen > 0 ? *out * (double)seen : 0;
      *out = (float)((before + sums[d]) / (double)(seen + count));
    }
  }
  return SUCCESS;
}

static const struct {
  const char* name;
  Twin twin;
} twins[] = {
    {"ebb_copy_blocks", copy_blocks},
    {"ebb_gather_tokens", gather_tokens},
    {"ebb_window_attention", window_attention},
    {"ebb_key_norms", key_norms},
    {"ebb_key_mean", key_mean},
};

Twin twin_of(const char* name) {
  for (unsigned i = 0; i < sizeof twins / sizeof twins[0]; i++) {
    if (strcmp(twins[i].name, name) == 0) return twins[i].twin;
  }
  return NULL;
}
