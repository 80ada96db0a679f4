// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-verify-each %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O0 -I%root/test/include -I%root/include -mllvm -rg-plan=naive %s -o %t && %t
// What a warp adds to 32 places that its lanes have in common, products of numbers that loops leave as they are: rows of
// tiles, rows of global memory; one warp, several, parts of a warp by the block's size and by branches; rows by the half of
// the warp; two loops deep, with the numbers of the outer one; two products
// in an iteration.
#include "rgcuda.h"

constexpr int Width = 32;

// A product of what a thread has with each row of a tile; exp makes the factor one of the iteration.
__device__ void tiles(const float *__restrict__ x, float *__restrict__ y, int n) {
  __shared__ float tile[8][Width];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  float mine[Width], sum = 0;
#pragma unroll
  for (int d = 0; d < Width; ++d)
    mine[d] = x[(i * 5 + d) % n] * 0.5f;
  for (int first = 0; first < 16; first += 8) {
    __syncthreads();
    for (int k = t; k < 8 * Width; k += blockDim.x)
      tile[k / Width][k % Width] = x[(first * Width + k) % n];
    __syncthreads();
#pragma unroll 1
    for (int j = 0; j < 8; ++j) {
      float dot = 0;
#pragma unroll
      for (int d = 0; d < Width; ++d)
        dot += mine[d] * tile[j][d];
      sum += expf(0.1f * dot);
    }
  }
  y[i] = sum;
}

// Who has an odd number goes round alone.
__device__ void branches(const float *__restrict__ x, float *__restrict__ y, int n) {
  __shared__ float tile[8][Width];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  float mine[Width], sum = 0;
#pragma unroll
  for (int d = 0; d < Width; ++d)
    mine[d] = x[(i * 3 + d) % n];
  for (int k = t; k < 8 * Width; k += blockDim.x)
    tile[k / Width][k % Width] = x[k % n];
  __syncthreads();
  if (t % 2)
#pragma unroll 1
    for (int j = 0; j < 8; ++j) {
      float dot = 0;
#pragma unroll
      for (int d = 0; d < Width; ++d)
        dot += mine[d] * tile[j][d];
      sum += dot * dot * 0.1f;
    }
  y[i] = sum + mine[3];
}

// The row is another one for each half of the warp.
__device__ void halves(const float *__restrict__ x, float *__restrict__ y, int n) {
  __shared__ float tile[16][Width];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  float mine[Width], sum = 0;
#pragma unroll
  for (int d = 0; d < Width; ++d)
    mine[d] = x[(i * 3 + d) % n];
  for (int k = t; k < 16 * Width; k += blockDim.x)
    tile[k / Width][k % Width] = x[k % n];
  __syncthreads();
  int base = n < 0 ? t : int(x[0] * 0) + (t / 16 % 2) * 8;
#pragma unroll 1
  for (int j = 0; j < 8; ++j) {
    float dot = 0;
#pragma unroll
    for (int d = 0; d < Width; ++d)
      dot += mine[d] * tile[base + j][d];
    sum += dot * dot * 0.1f;
  }
  y[i] = sum;
}

// Rows of global memory.
__device__ void places(const float *__restrict__ rows, const float *__restrict__ x, float *__restrict__ y, int count,
                       int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float mine[Width], sum = 0;
#pragma unroll
  for (int d = 0; d < Width; ++d)
    mine[d] = x[(i * 7 + d) % n];
#pragma unroll 1
  for (int j = 0; j < count; ++j) {
    float dot = 0;
#pragma unroll
    for (int d = 0; d < Width; ++d)
      dot += mine[d] * rows[j * Width + d];
    sum += dot * dot * 0.1f;
  }
  y[i] = sum;
}
__device__ void global(const float *__restrict__ x, float *__restrict__ y, int n) { places(x, x, y, n / Width, n); }

// A row of the outer loop, and the loop within has the factors.
__device__ void nested(const float *__restrict__ x, float *__restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int round = 0; round < 2; ++round) {
    float mine[Width];
#pragma unroll
    for (int d = 0; d < Width; ++d)
      mine[d] = x[(i * 7 + d + round) % n] * (0.5f + 0.1f * sum);
#pragma unroll 1
    for (int j = 0; j < n / Width; ++j) {
      float dot = 0;
#pragma unroll
      for (int d = 0; d < Width; ++d)
        dot += mine[d] * x[j * Width + d];
      sum += sinf(dot) * 0.2f;
    }
  }
  y[i] = sum;
}

// Two products in an iteration, of a score and of a weight: attention without the largest score.
template <bool Tiled> __device__ void attends(const float *__restrict__ x, float *__restrict__ y, int n) {
  __shared__ float keys[4][Width], values[4][Width];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  float mine[Width], sum[Width], total = 0;
#pragma unroll
  for (int d = 0; d < Width; ++d) {
    mine[d] = x[(i * 5 + d) % n] * 0.2f;
    sum[d] = 0;
  }
  for (int first = 0; first < 8; first += 4) {
    if (Tiled) {
      __syncthreads();
      for (int k = t; k < 4 * Width; k += blockDim.x) {
        keys[k / Width][k % Width] = x[(first * Width + k) % n];
        values[k / Width][k % Width] = x[(first * Width + 3 * k) % n];
      }
      __syncthreads();
    }
#pragma unroll 1
    for (int j = 0; j < 4; ++j) {
      const float *key = Tiled ? keys[j] : x + (first + j) % 4 * Width;
      const float *value = Tiled ? values[j] : x + (first + j) % 3 * Width;
      float score = 0;
#pragma unroll
      for (int d = 0; d < Width; ++d)
        score += mine[d] * key[d];
      float part = expf(0.3f * score);
      total += part;
#pragma unroll
      for (int d = 0; d < Width; ++d)
        sum[d] += part * value[d];
    }
  }
#pragma unroll
  for (int d = 0; d < Width; ++d)
    y[i * Width + d] = sum[d] / total;
}

int main() {
  int Bad = 0;
  for (int Threads : {32, 64, 48, 96}) {
    Bad |= rg::checkKernel<float, tiles>("tiles", 70, 2 * Threads, 2, Threads);
    Bad |= rg::checkKernel<float, branches>("branches", 70, 2 * Threads, 2, Threads);
    Bad |= rg::checkKernel<float, halves>("halves", 70, 2 * Threads, 2, Threads);
    Bad |= rg::checkKernel<float, global>("global", 96, 2 * Threads, 2, Threads);
    Bad |= rg::checkKernel<float, nested>("nested", 96, 2 * Threads, 2, Threads);
    Bad |= rg::checkKernel<float, attends<true>>("tiles of keys", 131, 2 * Threads * Width, 2, Threads);
    Bad |= rg::checkKernel<float, attends<false>>("keys", 131, 2 * Threads * Width, 2, Threads);
  }
  return Bad;
}
