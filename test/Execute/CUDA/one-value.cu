// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-verify-each %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O0 -I%root/test/include -I%root/include -mllvm -rg-plan=naive %s -o %t && %t
// Several threads store one number to one place: by construction and by chance, in shared
// memory of every size and in global memory, numbers, vectors and structs, under conditions, in
// loops with barriers, beside atomic additions. The adjoint is taken once. The optimiser of
// the CPU route runs threads in step: a load and a store in its place are wrong there, too.
#include "rgcuda.h"

template <class T> __device__ T warpSum(T a) {
  for (int d = 16; d; d /= 2)
    a += __shfl_xor_sync(~0u, a, d);
  return a;
}

// Every lane of a warp; then every thread of the block.
template <class T> __device__ void blockSum(const T *x, T *y, int n) {
  __shared__ T part[32], all;
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  T sum = warpSum(x[i] * x[i]);
  part[t / 32] = sum;
  __syncthreads();
  T total = 0;
  for (unsigned w = 0; w < blockDim.x / 32; ++w)
    total += part[w];
  all = sqrt(total);
  __syncthreads();
  y[i] = x[i] / all;
}

// One lane of each warp, all warps one place; and one thread of each block, all blocks one
// place, which nobody reads any more.
template <class T> __device__ void oneOfWarp(const T *x, T *y, int n) {
  __shared__ T first;
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  T a = x[0] * x[1];
  if (t % 32 == 0)
    first = a;
  __syncthreads();
  y[i] = first * x[i];
  if (t == 5)
    y[n] = a * a;
}

// Global memory, by all lanes.
template <class T> __device__ void global(const T *x, T *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  T sum = warpSum(sin(x[i]));
  y[i / 32] = sum * sum;
}

// Written and read back by each thread, without a barrier, at one place.
template <class T> __device__ void readBack(const T *x, T *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  volatile T *place = y + n + blockIdx.x;
  T a = x[0] * x[3];
  *place = a;
  y[i] = *place * x[i];
}

// Equal by chance of the numbers: what was smallest for each.
template <class T> __device__ void byChance(const T *x, T *y, int n) {
  __shared__ T least[4];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  T a = x[i % 4];
  if (t % 8 < 4)
    least[t % 4] = a * x[t % 4];
  __syncthreads();
  y[i] = least[(t + 1) % 4] * x[i];
}

// Vectors and structs, moved as such.
struct Four {
  double a, b;
  float c, d;
};
__device__ void wide(const float *x, float *y, int n) {
  __shared__ float4 quad;
  __shared__ double2 pair;
  __shared__ Four four, moved;
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  float f = x[0], g = x[1];
  quad = make_float4(f * f, f * g, g * g, f);
  pair = make_double2(double(x[2]) * x[3], double(x[3]) * x[4]);
  four = Four{x[5], double(x[5]) * x[6], f, g};
  __syncthreads();
  moved = four; // one copy by all
  __syncthreads();
  y[i] = float(x[i] * (quad.x + quad.y * quad.z + quad.w + pair.x * pair.y + moved.a * moved.b + moved.c * moved.d));
}

// Rounds: written by all, read by all, written again.
template <class T> __device__ void rounds(const T *x, T *y, int n) {
  __shared__ T state;
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  T mine = x[i], sum = 0;
  for (int k = 0; k < 5; ++k) {
    __syncthreads();
    state = x[k] * x[k + 1] + k;
    __syncthreads();
    mine = mine * state * T(0.5);
    sum += mine;
  }
  y[i] = sum;
}

// All store, then some add by atomics.
template <class T> __device__ void beside(const T *x, T *y, int n) {
  __shared__ T sums[2];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  sums[t % 2] = x[t % 2] * x[2];
  __syncthreads();
  atomicAdd(&sums[t % 2], x[i]);
  __syncthreads();
  y[i] = sums[0] * sums[1] * x[i];
}

// First all a constant, then all a number, in one interval.
template <class T> __device__ void twice(const T *x, T *y, int n) {
  __shared__ T s[4];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  volatile T *p = &s[t % 4];
  *p = T(1);
  __syncthreads();
  if (x[0] > T(0.1))
    *p = x[t % 4] * x[7];
  __syncthreads();
  y[i] = *p * x[i];
}

// Stored by all, then by one alone, read by all.
template <class T> __device__ void thenOne(const T *x, T *y, int n) {
  extern __shared__ __align__(8) unsigned char raw[];
  T *s = reinterpret_cast<T *>(raw);
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t / 32] = x[t / 32] * x[9];
  __syncthreads();
  T a = s[0] * s[1];
  __syncthreads();
  if (t == 0)
    s[0] = a * s[1];
  __syncthreads();
  y[i] = s[0] * x[i] + a;
}

template <class T> int all() {
  int Bad = 0;
  Bad += rg::checkKernel<T, blockSum<T>>("blockSum", 128, 128, 2, 64);
  Bad += rg::checkKernel<T, oneOfWarp<T>>("oneOfWarp", 128, 129, 1, 128);
  Bad += rg::checkKernel<T, global<T>>("global", 128, 4, 2, 64);
  Bad += rg::checkKernel<T, readBack<T>>("readBack", 64, 66, 2, 32);
  Bad += rg::checkKernel<T, byChance<T>>("byChance", 64, 64, 2, 32);
  Bad += rg::checkKernel<T, rounds<T>>("rounds", 64, 64, 2, 32);
  Bad += rg::checkKernel<T, beside<T>>("beside", 64, 64, 2, 32);
  Bad += rg::checkKernel<T, twice<T>>("twice", 64, 64, 2, 32);
  Bad += rg::checkKernel<T, thenOne<T>>("thenOne", 64, 64, 1, 64, 64);
  return Bad;
}

int main() {
  return all<double>() + all<float>() + rg::checkKernel<float, wide>("wide", 64, 64, 1, 64);
}
