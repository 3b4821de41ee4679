// The kernels of Ebb's CUDA device, compiled to kernels.ptx by compile-kernels.sh beside this file.
//
// A block holds, for each lane (a layer's KV head), all its K rows and then all its V rows:
// [lane][K|V][token][row]. Token t of a table is row t % blockTokens of block table[t / blockTokens].

#include <cuda_bf16.h>
#include <cuda_fp16.h>

typedef unsigned char byte;

// The element types, as dev.ebb.host.tokens.signals.KeyType numbers them.
enum { FP32 = 0, FP16 = 1, BF16 = 2 };

static __device__ float element(const byte* row, int index, int type) {
  if (type == FP16) return __half2float(((const __half*)row)[index]);
  if (type == BF16) return __bfloat162float(((const __nv_bfloat16*)row)[index]);
  return ((const float*)row)[index];
}

static __device__ float warpSum(float value) {
  for (int distance = 16; distance > 0; distance /= 2) {
    value += __shfl_xor_sync(0xffffffffu, value, distance);
  }
  return value;
}

template <typename Unit>
static __device__ void copyBlocks(
    byte* base, long long blockBytes, const int* from, const int* to, int count) {
  long long units = blockBytes / sizeof(Unit);
  long long step = (long long)gridDim.x * blockDim.x;
  for (int move = blockIdx.y; move < count; move += gridDim.y) {
    const Unit* source = (const Unit*)(base + from[move] * blockBytes);
    Unit* target = (Unit*)(base + to[move] * blockBytes);
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < units; i += step) {
      target[i] = source[i];
    }
  }
}

// Copies whole blocks. No block is both source and target. Grid: (pieces of a block, moves).
extern "C" __global__ void ebb_copy_blocks(
    byte* base, long long blockBytes, const int* from, const int* to, int count) {
  if (blockBytes % 16 == 0) {
    copyBlocks<uint4>(base, blockBytes, from, to, count);
  } else if (blockBytes % 4 == 0) {
    copyBlocks<unsigned int>(base, blockBytes, from, to, count);
  } else {
    copyBlocks<byte>(base, blockBytes, from, to, count);
  }
}

static __device__ byte* rowOf(
    byte* base, long long blockBytes, const int* table, int blockTokens, long long plane,
    int rowBytes, int token) {
  return base + table[token / blockTokens] * blockBytes +
         (plane * blockTokens + token % blockTokens) * rowBytes;
}

// One thread block walks one plane forward. A kept token never moves back, so what a step reads was
// not written by an earlier one; the barrier between reading and writing keeps a step from
// overwriting its own sources.
template <typename Unit>
static __device__ void gatherPlane(
    byte* base, long long blockBytes, const int* table, int blockTokens, long long plane,
    int rowBytes, const int* kept, int keptTokens) {
  const int inFlight = 4;
  int rowUnits = rowBytes / sizeof(Unit);
  long long total = (long long)keptTokens * rowUnits;
  long long step = (long long)blockDim.x * inFlight;
  Unit held[inFlight];
  for (long long start = 0; start < total; start += step) {
#pragma unroll
    for (int k = 0; k < inFlight; k++) {
      long long i = start + (long long)k * blockDim.x + threadIdx.x;
      if (i < total) {
        int token = kept[i / rowUnits];
        held[k] = ((const Unit*)rowOf(
            base, blockBytes, table, blockTokens, plane, rowBytes, token))[i % rowUnits];
      }
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < inFlight; k++) {
      long long i = start + (long long)k * blockDim.x + threadIdx.x;
      if (i < total) {
        int token = (int)(i / rowUnits);
        ((Unit*)rowOf(base, blockBytes, table, blockTokens, plane, rowBytes, token))[i % rowUnits] =
            held[k];
      }
    }
    __syncthreads();
  }
}

// Packs the kept tokens of a table to its front. kept is [lane][keptTokens], rising in a lane.
// Grid: two planes (K, V) a lane.
extern "C" __global__ void ebb_gather_tokens(
    byte* base, long long blockBytes, const int* table, int blockTokens, int rowBytes,
    const int* kept, int keptTokens) {
  long long plane = blockIdx.x;
  const int* mine = kept + (plane / 2) * keptTokens;
  if (rowBytes % 16 == 0) {
    gatherPlane<uint4>(base, blockBytes, table, blockTokens, plane, rowBytes, mine, keptTokens);
  } else if (rowBytes % 4 == 0) {
    gatherPlane<unsigned int>(
        base, blockBytes, table, blockTokens, plane, rowBytes, mine, keptTokens);
  } else {
    gatherPlane<byte>(base, blockBytes, table, blockTokens, plane, rowBytes, mine, keptTokens);
  }
}

static __device__ float blockReduce(float value, bool maximum, float* shared) {
  for (int distance = 16; distance > 0; distance /= 2) {
    float other = __shfl_xor_sync(0xffffffffu, value, distance);
    value = maximum ? fmaxf(value, other) : value + other;
  }
  __syncthreads();
  if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = value;
  __syncthreads();
  float result = shared[0];
  for (int warp = 1; warp < blockDim.x / 32; warp++) {
    result = maximum ? fmaxf(result, shared[warp]) : result + shared[warp];
  }
  return result;
}

// Attention of the last window queries: scores[h][t][s] = softmax over s <= length - window + t of
// q.k / sqrt(headDim), zero behind. queries is [queryHeads][window][headDim], float.
// Grid: (window, queryHeads); a warp takes one key at a time.
extern "C" __global__ void ebb_window_attention(
    byte* base, long long blockBytes, const int* table, int blockTokens, int headDim, int type,
    int firstLane, int group, int length, int window, const float* queries, float* scores) {
  __shared__ float shared[32];
  int elementBytes = type == FP32 ? 4 : 2;
  int row = blockIdx.x;
  int head = blockIdx.y;
  long long plane = 2ll * (firstLane + head / group);
  const float* query = queries + ((long long)head * window + row) * headDim;
  float* score = scores + ((long long)head * window + row) * length;
  int seen = length - window + row + 1;
  int lane = threadIdx.x % 32;
  float scale = 1.0f / sqrtf((float)headDim);
  float largest = -INFINITY;
  for (int s = threadIdx.x / 32; s < seen; s += blockDim.x / 32) {
    const byte* key =
        rowOf(base, blockBytes, table, blockTokens, plane, headDim * elementBytes, s);
    float dot = 0;
    for (int i = lane; i < headDim; i += 32) dot += query[i] * element(key, i, type);
    dot = warpSum(dot) * scale;
    if (lane == 0) score[s] = dot;
    largest = fmaxf(largest, dot);
  }
  largest = blockReduce(largest, true, shared);
  float sum = 0;
  for (int s = threadIdx.x; s < seen; s += blockDim.x) {
    float weight = expf(score[s] - largest);
    score[s] = weight;
    sum += weight;
  }
  sum = blockReduce(sum, false, shared);
  for (int s = threadIdx.x; s < length; s += blockDim.x) {
    score[s] = s < seen ? score[s] / sum : 0.0f;
  }
}

static __device__ float keyNorm(const byte* key, int headDim, int type) {
  float squares = 0;
  for (int i = threadIdx.x % 32; i < headDim; i += 32) {
    float value = element(key, i, type);
    squares += value * value;
  }
  return sqrtf(warpSum(squares));
}

// norms[head][i] = the Euclidean norm of key first + i. Grid: (pieces, KV heads); a warp a key.
extern "C" __global__ void ebb_key_norms(
    byte* base, long long blockBytes, const int* table, int blockTokens, int headDim, int type,
    int firstLane, int first, int count, float* norms) {
  int elementBytes = type == FP32 ? 4 : 2;
  int head = blockIdx.y;
  int warps = blockDim.x / 32;
  for (int i = blockIdx.x * warps + threadIdx.x / 32; i < count; i += gridDim.x * warps) {
    const byte* key = rowOf(
        base, blockBytes, table, blockTokens, 2ll * (firstLane + head), headDim * elementBytes,
        first + i);
    float norm = keyNorm(key, headDim, type);
    if (threadIdx.x % 32 == 0) norms[(long long)head * count + i] = norm;
  }
}

// Adds keys to the running mean of the normalised keys: mean[head][d] over `seen` keys before, over
// seen + count after. A key of length zero counts as zero. Grid: KV heads. Dynamic shared memory:
// [warps][headDim] floats. Summed in a fixed order, so that results can be repeated.
extern "C" __global__ void ebb_key_mean(
    byte* base, long long blockBytes, const int* table, int blockTokens, int headDim, int type,
    int firstLane, int first, int count, long long seen, float* mean) {
  extern __shared__ float sums[];
  int elementBytes = type == FP32 ? 4 : 2;
  int head = blockIdx.x;
  int warps = blockDim.x / 32;
  float* mine = sums + (threadIdx.x / 32) * headDim;
  for (int d = threadIdx.x % 32; d < headDim; d += 32) mine[d] = 0;
  for (int i = threadIdx.x / 32; i < count; i += warps) {
    const byte* key = rowOf(
        base, blockBytes, table, blockTokens, 2ll * (firstLane + head), headDim * elementBytes,
        first + i);
    float norm = keyNorm(key, headDim, type);
    float inverse = norm > 0 ? 1.0f / norm : 0.0f;
    for (int d = threadIdx.x % 32; d < headDim; d += 32) mine[d] += element(key, d, type) * inverse;
  }
  __syncthreads();
  float weight = (float)((double)seen / (double)(seen + count));
  for (int d = threadIdx.x; d < headDim; d += blockDim.x) {
    float sum = 0;
    for (int warp = 0; warp < warps; warp++) sum += sums[warp * headDim + d];
    float* out = mean + (long long)head * headDim + d;
    *out = (seen > 0 ? *out * weight : 0.0f) + sum / (float)(seen + count);
  }
}
