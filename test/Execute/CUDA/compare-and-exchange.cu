// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-verify-each %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O0 -I%root/test/include -I%root/include -mllvm -rg-plan=naive %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O3 -I%root/test/include -I%root/include %s -o %t && %t
// Numbers are added, and taken off, by loops of compare and exchange, in global and in shared memory.
#include "rgcuda.h"
template <typename T> struct Bits;
template <> struct Bits<double> {
  using Word = unsigned long long;
  static __device__ Word of(double x) { return __double_as_longlong(x); }
  static __device__ double from(Word w) { return __longlong_as_double(w); }
};
template <> struct Bits<float> {
  using Word = unsigned;
  static __device__ Word of(float x) { return __float_as_uint(x); }
  static __device__ float from(Word w) { return __uint_as_float(w); }
};
// As in CUDA's guide.
template <typename T> __device__ T add(T *address, T value) {
  using B = Bits<T>;
  typename B::Word *p = (typename B::Word *)address, old = *p, seen;
  do {
    seen = old;
    old = atomicCAS(p, seen, B::of(value + B::from(seen)));
  } while (seen != old);
  return B::from(old);
}
// Takes off, begins with any number, ends in its midst.
template <typename T> __device__ void takeOff(T *address, T value) {
  using B = Bits<T>;
  auto *p = (typename B::Word *)address;
  typename B::Word seen = 0;
  for (;;) {
    typename B::Word old = atomicCAS(p, seen, B::of(B::from(seen) - value));
    if (old == seen)
      break;
    seen = old;
  }
}
template <typename T> __device__ void sums(const T *x, T *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  add(y + i % 3, x[i] * x[i]);
  takeOff(y + 3 + i % 2, x[i] * x[(i + 1) % n]);
}
template <typename T> __device__ void tile(const T *x, T *y, int n) {
  __shared__ T part[2];
  if (threadIdx.x < 2)
    part[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  add(&part[i % 2], x[i] * x[i] * x[i]);
  __syncthreads();
  if (threadIdx.x < 2)
    y[2 * blockIdx.x + threadIdx.x] = part[threadIdx.x] * part[1 - threadIdx.x];
}
int main() {
  int bad = 0;
  bad |= rg::checkKernel<double, sums<double>>("sums", 40, 5, 2, 24);
  bad |= rg::checkKernel<float, sums<float>>("sums, float", 40, 5, 2, 24);
  bad |= rg::checkKernel<double, tile<double>>("tile", 48, 4, 2, 24);
  bad |= rg::checkKernel<float, tile<float>>("tile, float", 48, 4, 2, 24);
  return bad;
}
