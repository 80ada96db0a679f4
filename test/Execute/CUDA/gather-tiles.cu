// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-verify-each %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O1 -I%root/test/include -I%root/include -mllvm -rg-plan=naive %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-disable=gather-tiles %s -o %t && %t
// Products of tiles in shared memory: between two barriers one thread computes what all threads of the block add to a
// place. Blocks of two axes and of one, rows with a gap, several rows for each thread, one array by rows and by
// columns, and blocks of another shape or with threads that have left, where each thread adds for itself.
#include "rgcuda.h"

// Four rows of the result for each thread; x: two square matrices, one behind the other.
template <typename T, int Tile, int Rows, int Gap> __device__ void product(const T *__restrict__ x, T *__restrict__ y, int n) {
  constexpr int PerThread = Tile / Rows;
  __shared__ T a[Tile][Tile + Gap], b[Tile][Tile + Gap];
  int c = threadIdx.x, r = threadIdx.y, size = 2 * Tile;
  const T *left = x, *right = x + size * size;
  int column = blockIdx.x % 2 * Tile + c, row = blockIdx.x / 2 * Tile + r;
  T sum[PerThread] = {};
#pragma unroll 1
  for (int step = 0; step < size; step += Tile) {
#pragma unroll
    for (int p = 0; p < PerThread; ++p) {
      a[r + p * Rows][c] = left[(row + p * Rows) * size + step + c];
      b[r + p * Rows][c] = right[(step + r + p * Rows) * size + column];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < Tile; ++k)
#pragma unroll
      for (int p = 0; p < PerThread; ++p)
        sum[p] += a[r + p * Rows][k] * b[k][c];
    __syncthreads();
  }
#pragma unroll
  for (int p = 0; p < PerThread; ++p)
    y[(row + p * Rows) * size + column] = sum[p];
}

// A block of one axis; a factor of the thread's own; differences of products.
__device__ void flat(const double *__restrict__ x, double *__restrict__ y, int n) {
  __shared__ double a[16][16], b[16][16];
  int c = threadIdx.x % 16, r = threadIdx.x / 16, i = blockIdx.x * 256 + threadIdx.x;
  a[r][c] = x[i];
  b[r][c] = x[n / 2 + i];
  double mine = sin(x[i]), sum = 0;
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 16; ++k)
    sum += mine * a[r][k] * b[k][c] - a[r][k] * 0.5;
  __syncthreads();
  y[i] = sum * sum;
}

// One array by its rows and by its columns.
__device__ void square(const double *__restrict__ x, double *__restrict__ y, int n) {
  __shared__ double a[16][16];
  int c = threadIdx.x, r = threadIdx.y, i = blockIdx.x * 256 + r * 16 + c;
  a[r][c] = x[i];
  __syncthreads();
  double sum = 0;
#pragma unroll
  for (int k = 0; k < 16; ++k)
    sum += a[r][k] * a[c][k];
  __syncthreads();
  y[i] = sum;
}

// A thread's own place, read and written anew between the same barriers.
__device__ void renewed(const double *__restrict__ x, double *__restrict__ y, int n) {
  __shared__ double a[8][8], b[8][8], own[8][8];
  int c = threadIdx.x, r = threadIdx.y, i = blockIdx.x * 64 + r * 8 + c;
  own[r][c] = x[i];
  double sum = 0;
#pragma unroll 1
  for (int step = 0; step < 3; ++step) {
    a[r][c] = x[(i + 64 * step) % n];
    b[r][c] = x[(i + 64 * step + 128) % n];
    __syncthreads();
    double mine = own[r][c];
#pragma unroll
    for (int k = 0; k < 8; ++k)
      sum += mine * a[r][k] * b[k][c];
    own[r][c] = 0.5 * mine + 0.01 * sum;
    __syncthreads();
  }
  y[i] = sum + own[7 - r][7 - c];
}

// Some threads have left, or are one row too many.
__device__ void fewer(const double *__restrict__ x, double *__restrict__ y, int n) {
  __shared__ double a[8][8], b[8][8];
  int c = threadIdx.x, r = threadIdx.y, i = blockIdx.x * 64 + r * 8 + c;
  if (r >= 8)
    return;
  a[r][c] = x[i];
  b[r][c] = x[n / 2 + i];
  __syncthreads();
  double sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k)
    sum += a[r][k] * b[k][c];
  __syncthreads();
  y[i] = sum;
}

int main() {
  int Bad = 0;
  Bad |= rg::checkKernel<float, product<float, 32, 8, 0>>("four rows", 2 * 4096, 4096, 4, dim3(32, 8));
  Bad |= rg::checkKernel<double, product<double, 16, 4, 1>>("rows with a gap", 2 * 1024, 1024, 4, dim3(16, 4));
  Bad |= rg::checkKernel<double, product<double, 8, 8, 0>>("one row", 2 * 256, 256, 4, dim3(8, 8));
  Bad |= rg::checkKernel<double, flat>("one axis", 2 * 512, 512, 2, 256);
  Bad |= rg::checkKernel<double, square>("rows and columns", 512, 512, 2, dim3(16, 16));
  Bad |= rg::checkKernel<double, renewed>("a place renewed", 256, 256, 4, dim3(8, 8));
  Bad |= rg::checkKernel<double, fewer>("of the shape", 2 * 128, 128, 2, dim3(8, 8));
  Bad |= rg::checkKernel<double, fewer>("threads that have left", 2 * 128, 128, 2, dim3(8, 12));
  Bad |= rg::checkKernel<double, fewer>("more threads than places", 2 * 128, 128, 2, dim3(8, 8, 2));
  Bad |= rg::checkKernel<double, product<double, 16, 4, 0>>("rows without a gap", 2 * 1024, 1024, 4, dim3(16, 4));
  return Bad;
}
