// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-verify-each %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O1 -I%root/test/include -I%root/include -mllvm -rg-plan=naive %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-disable=gpu-replay-shared %s -o %t && %t
// Tiles that threads fill under a condition: the last tile is a part of one, and what it leaves alone is an earlier
// one's. Conditions that come to hold later, tiles in loops within loops, and two sides of a branch.
#include "rgcuda.h"

constexpr int Tile = 32;

// The tile of the last round is short, and is read as a whole: what is behind its end is of the round before.
__device__ void shrinking(const double *__restrict__ x, double *__restrict__ y, int n) {
  __shared__ double tile[Tile];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  double sum = 0.5;
  for (int base = 0; base < n; base += Tile) {
    int count = min(Tile, n - base);
    __syncthreads();
    if (t < count)
      tile[t] = x[base + t] * x[(base + t + i) % n];
    __syncthreads();
#pragma unroll 1
    for (int j = 0; j < Tile && base + Tile <= n + 20; ++j)
      sum = sum * 0.98 + 0.02 * sin(tile[j]) * tile[(j + 3) % Tile] * sum;
  }
  y[i] = sum;
}

// Each round fills more than the one before: a place that is not filled yet may not be filled again too early.
__device__ void growing(const double *__restrict__ x, double *__restrict__ y, int n) {
  __shared__ double tile[Tile];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  double sum = 0.5;
  tile[t] = x[(t + i) % n];
  for (int k = 0; k < 5; ++k) {
    __syncthreads();
    if (t < 6 * k)
      tile[t] = x[(7 * k + t) % n] * (k + 1);
    __syncthreads();
#pragma unroll 1
    for (int j = 0; j < Tile; ++j)
      sum = sum * 0.98 + 0.02 * sin(tile[j]) * sum;
  }
  y[i] = sum;
}

// The same rounds twice: the second time begins with what the first has left.
__device__ void nested(const double *__restrict__ x, double *__restrict__ y, int n) {
  __shared__ double tile[Tile];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  double sum = 0.5;
  tile[t] = 1;
  for (int again = 0; again < 2; ++again)
    for (int k = 0; k < 4; ++k) {
      __syncthreads();
      if (t < 30 - 9 * k)
        tile[t] = x[(7 * k + t + 3 * again) % n] * (k + 1);
      __syncthreads();
#pragma unroll 1
      for (int j = 0; j < Tile; ++j)
        sum = sum * 0.98 + 0.02 * sin(tile[j]) * sum;
    }
  y[i] = sum;
}

// Zeros behind the end.
__device__ void sides(const double *__restrict__ x, double *__restrict__ y, int n) {
  __shared__ double tile[Tile];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  double sum = 0.5;
  for (int base = 0; base < n; base += Tile) {
    __syncthreads();
    if (base + t < n)
      tile[t] = x[base + t] * x[(base + t + i) % n];
    else
      tile[t] = 0;
    __syncthreads();
#pragma unroll 1
    for (int j = 0; j < Tile; ++j)
      sum = sum * 0.98 + 0.02 * sin(tile[j]) * tile[(j + 3) % Tile] * sum;
  }
  y[i] = sum;
}

// Pairs within a distance: what the others add is nothing, and whole warps add nothing.
__device__ void near(const float *__restrict__ x, float *__restrict__ y, int n) {
  __shared__ float tile[Tile][5];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  float sum = 0, mine = x[i % n];
  for (int base = 0; base < n; base += Tile) {
    int count = min(Tile, n - base);
    __syncthreads();
    if (t < count)
      for (int k = 0; k < 5; ++k)
        tile[t][k] = x[(base + t + 7 * k) % n];
    __syncthreads();
    for (int j = 0; j < count; ++j) {
      if ((7 * j + i) % 5 > 1)
        continue;
      float d = tile[j][0] - mine, w = tile[j][1] * d + tile[j][2];
      if ((j + i) % 3)
        sum += w * tile[j][3] * tile[j][4];
      sum = sum * 0.95f + w * d;
    }
  }
  y[i] = sum;
}

int main() {
  int Bad = 0;
  for (int n : {40, 64, 70, 100}) {
    Bad |= rg::checkKernel<double, shrinking>("a short last tile", n, 64, 2, Tile);
    Bad |= rg::checkKernel<double, growing>("tiles that grow", n, 64, 2, Tile);
    Bad |= rg::checkKernel<double, nested>("tiles in rounds", n, 64, 2, Tile);
    Bad |= rg::checkKernel<double, sides>("zeros behind the end", n, 64, 2, Tile);
    Bad |= rg::checkKernel<float, near>("near ones", n, 128, 2, 64);
  }
  return Bad;
}
