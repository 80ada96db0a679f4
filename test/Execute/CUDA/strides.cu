// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-verify-each %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O0 -I%root/test/include -I%root/include -mllvm -rg-plan=naive %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O3 -I%root/test/include -I%root/include -mllvm -rg-disable=count-strides %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-disable=several-at-once -mllvm -rg-disable=loads-first %s -o %t && %t
// Loops from thread to thread and from grid to grid, with what they take from memory and add to it in every iteration;
// an index that passes the end of its type; sums over a warp that go to all, to one lane, to one of each segment.
#include "rgcuda.h"

__device__ double warpSum(double x) {
  for (int d = 16; d; d /= 2)
    x += __shfl_xor_sync(0xffffffffu, x, d);
  return x;
}

// A block for each row, a thread for each column and the one blockDim.x behind it.
__device__ void rowNorm(const double *__restrict__ x, double *__restrict__ y, int n) {
  __shared__ double part[32];
  int c = n / 3;
  const double *mine = x + blockIdx.x * c;
  double squares = 0;
  for (int i = threadIdx.x; i < c; i += blockDim.x)
    squares += mine[i] * mine[i];
  squares = warpSum(squares);
  if (threadIdx.x % 32 == 0)
    part[threadIdx.x / 32] = squares;
  __syncthreads();
  double all = warpSum(threadIdx.x % 32 < blockDim.x / 32 ? part[threadIdx.x % 32] : 0.0);
  for (int i = threadIdx.x; i < c; i += blockDim.x)
    y[blockIdx.x * c + i] = mine[i] / sqrt(all + 1);
}

__device__ void grid(const double *__restrict__ x, double *__restrict__ y, int n) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    y[i] = x[i] * x[(i + 1) % n];
}

// What a thread took in one iteration it gives in the next one.
__device__ void chain(const double *__restrict__ x, double *y, int n) {
  y[threadIdx.x] = x[threadIdx.x];
  for (int i = threadIdx.x; i + (int)blockDim.x < n; i += blockDim.x)
    y[i + blockDim.x] = sin(y[i]) + x[i];
}

// Of 2^32 places a stride of 9 * 2^28 meets seven below 15 * 2^28, and wraps around three times.
__device__ void around(const double *__restrict__ x, double *__restrict__ y, int n) {
  double sum = 0;
  unsigned end = 0xf0000000u + (n - 40), step = 0x90000000u + (n - 40), k = 0;
  for (unsigned i = threadIdx.x; i < end; i += step)
    sum += x[(i >> 28) % n] * x[++k % n];
  y[threadIdx.x] = sum * k;
}

// Lane 5 of the warp; lane 2 of each segment of eight; the lane three further on, and four back.
__device__ void lanes(const double *__restrict__ x, double *__restrict__ y, int n) {
  int t = threadIdx.x;
  double a = x[t] * x[t];
  double all = __shfl_sync(0xffffffffu, a, 5), some = __shfl_sync(0xffffffffu, a, 2, 8);
  double on = __shfl_down_sync(0xffffffffu, a, 3), back = __shfl_up_sync(0xffffffffu, a, 4, 16);
  y[t] = a * all + some * (t % 7) + on * back;
}

int main() {
  int Bad = 0;
  for (int Threads : {32, 64, 96}) {
    Bad |= rg::checkKernel<double, rowNorm>("norm of a row", 3 * 217, 3 * 217, 3, Threads);
    Bad |= rg::checkKernel<double, grid>("strides of a grid", 700, 700, 2, Threads);
    Bad |= rg::checkKernel<double, chain>("chain", 11 * Threads, 11 * Threads, 1, Threads);
    Bad |= rg::checkKernel<double, around>("around the end", 40, Threads, 1, Threads);
    Bad |= rg::checkKernel<double, lanes>("lanes", Threads, Threads, 1, Threads);
  }
  return Bad;
}
