// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-verify-each %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O0 -I%root/test/include -I%root/include -mllvm -rg-plan=naive %s -o %t && %t
// Loops with barriers whose bounds both name the thread, and that all threads of a block run equally
// often: what is compared differs by a number that they have in common.
#include "rgcuda.h"

// From the thread's own place, by the size of the block.
template <class T> __device__ void strided(const T *x, T *y, int n) {
  __shared__ T s[64];
  int i = threadIdx.x, c = blockDim.x, rounds = n > 100 ? 3 : 2;
  T sum = 0;
  for (int t = i; t < rounds * c + i; t += c) {
    __syncthreads();
    s[i] = x[t] * x[i];
    __syncthreads();
    sum += s[63 - i] * s[i];
  }
  y[i] = sum;
}
// A window that starts at the thread, down and in another unit.
template <class T> __device__ void window(const T *x, T *y, int n) {
  __shared__ T s[64];
  int i = threadIdx.x, width = n / 32;
  T sum = 0;
  for (int t = i + width; t > i; --t) {
    s[i] = sum + x[t];
    __syncthreads();
    sum += s[(i + 1) % 64] * x[t];
    __syncthreads();
  }
  y[i] = sum;
}
// Number of rounds by equality, and a guard of the same kind around.
template <class T> __device__ void guarded(const T *x, T *y, int n) {
  __shared__ T s[64];
  int i = threadIdx.x, t = i;
  T sum = x[i];
  if (i + n > i + 10)
    for (; t != i + 3; ++t) {
      s[i] = x[t] * sum;
      __syncthreads();
      sum += s[i ^ 1];
      __syncthreads();
    }
  y[i] = sum;
}
int main() {
  return rg::checkKernel<double, strided<double>>("strided", 192, 64, 1, 64) +
         rg::checkKernel<float, strided<float>>("strided, float", 192, 64, 1, 64) +
         rg::checkKernel<double, window<double>>("window", 128, 64, 1, 64) +
         rg::checkKernel<double, guarded<double>>("guarded", 128, 64, 1, 64);
}
