// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-verify-each %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O0 -I%root/test/include -I%root/include -mllvm -rg-plan=naive %s -o %t && %t
// Sums of adjoints over the lanes of a warp: many places at once that are the whole warp's, those of lanes side by
// side or of every fourth lane, of no order, or a lane's own; some places twice; in shared memory and in global.
#include "rgcuda.h"

// Row R of the table is what lane T reads: all of it, by constant columns.
template <typename T, int Columns> __device__ void reads(const T *x, T *y, int n, int rows, int row) {
  __shared__ T table[16 * Columns];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  for (int k = t; k < 16 * Columns; k += blockDim.x)
    table[k] = x[(k + i) % n] * x[k % n];
  __syncthreads();
  T sum = 0, own = x[i % n];
#pragma unroll
  for (int c = 0; c < Columns; ++c)
    sum += table[row * Columns + c] * (own + T(0.25) * c);
  y[i] = sum * T(0.125) + table[row * Columns] * table[row * Columns + Columns - 1] * own;
}
template <typename T> __device__ void whole(const T *x, T *y, int n) { reads<T, 40>(x, y, n, 16, blockIdx.x % 16); }
template <typename T> __device__ void halves(const T *x, T *y, int n) { reads<T, 13>(x, y, n, 16, threadIdx.x / 16 % 16); }
template <typename T> __device__ void strided(const T *x, T *y, int n) { reads<T, 20>(x, y, n, 16, threadIdx.x % 4); }
template <typename T> __device__ void odd(const T *x, T *y, int n) { reads<T, 9>(x, y, n, 16, threadIdx.x * 7 % 3); }
template <typename T> __device__ void own(const T *x, T *y, int n) { reads<T, 8>(x, y, n, 16, threadIdx.x % 16); }

// A tile's rows for all lanes, in a loop: 32 places side by side, and 32 apart from each other.
__device__ void tiles(const float *x, float *y, int n) {
  __shared__ float a[8][32], b[32][9];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  float sum = 0;
  for (int round = 0; round < 3; ++round) {
    for (int k = t; k < 256; k += blockDim.x)
      a[k / 32][k % 32] = x[(k + round) % n], b[k % 32][k / 32] = x[(3 * k + round) % n];
    __syncthreads();
    for (int j = 0; j < 8; ++j) {
      float dot = 0;
#pragma unroll
      for (int k = 0; k < 32; ++k)
        dot += a[j][k] * b[k][j] * x[(i + k) % n];
      sum = sum * 0.5f + dot * 0.1f;
    }
    __syncthreads();
  }
  y[i] = sum;
}

// Weights in global memory by a loop's index, as of a convolution; by the half of the warp; by every second thread.
__device__ void weights(const double *x, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double sum = 0;
  for (int c = 0; c < n / 9; ++c)
#pragma unroll
    for (int k = 0; k < 9; ++k)
      sum += x[c * 9 + k] * x[(i + k) % n];
  y[i] = sum;
}
__device__ void byHalf(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float *mine = x + (blockIdx.x * 8 + threadIdx.y) * 8;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k)
    sum += mine[k] * x[(threadIdx.x + k) % n];
  y[i * blockDim.y + threadIdx.y] = sum;
}
__device__ void some(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  if (i % 3)
    for (int c = 0; c < n; c += 8)
#pragma unroll
      for (int k = 0; k < 8; ++k)
        sum += x[c + k] * x[(i + k) % n] * x[c + 7 - k];
  y[i] = sum;
}

int main() {
  int Bad = 0;
  for (int Threads : {32, 64, 40, 96}) {
    Bad |= rg::checkKernel<float, whole<float>>("whole warps, float", 60, 3 * Threads, 3, Threads);
    Bad |= rg::checkKernel<double, whole<double>>("whole warps, double", 60, 3 * Threads, 3, Threads);
    Bad |= rg::checkKernel<float, halves<float>>("halves, float", 50, Threads, 1, Threads);
    Bad |= rg::checkKernel<double, halves<double>>("halves, double", 50, Threads, 1, Threads);
    Bad |= rg::checkKernel<float, strided<float>>("every fourth, float", 50, Threads, 1, Threads);
    Bad |= rg::checkKernel<double, strided<double>>("every fourth, double", 50, Threads, 1, Threads);
    Bad |= rg::checkKernel<double, odd<double>>("no order", 50, Threads, 1, Threads);
    Bad |= rg::checkKernel<double, own<double>>("some rows", 50, 2 * Threads, 2, Threads);
    Bad |= rg::checkKernel<float, tiles>("tiles", 70, 2 * Threads, 2, Threads);
    Bad |= rg::checkKernel<double, weights>("weights", 36, 2 * Threads, 2, Threads);
    Bad |= rg::checkKernel<float, some>("some lanes", 40, 2 * Threads, 2, Threads);
  }
  return Bad | rg::checkKernel<float, byHalf>("half a warp", 128, 256, 2, dim3(16, 8));
}
