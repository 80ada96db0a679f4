// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-verify-each %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O0 -I%root/test/include -I%root/include -mllvm -rg-plan=naive %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O3 -I%root/test/include -I%root/include -mllvm -rg-disable=segment-recurrences %s -o %t && %t
// States of a recurrence in registers, over rows that the threads of a block load together: the loop runs in segments,
// which run again in the reverse sweep, with their barriers. Its bounds name the thread.
#include "rgcuda.h"

constexpr int Size = 8;
// x: rows of keys, rows of decays, rows of values, Size numbers each; bounds in T.
template <class T, class Place, int Rounds> __device__ void states(const T *x, T *y, Place step) {
  __shared__ T key[Size], decay[Size];
  const int i = threadIdx.x;
  const Place rows = Rounds * step;
  T state[Size] = {};
  for (Place t = rows * blockIdx.x + i; t < rows * (blockIdx.x + 1) + i; t += step) {
    __syncthreads();
    key[i] = x[t];
    decay[i] = T(0.5) + x[t + 2 * rows] * T(0.1);
    __syncthreads();
    const T value = x[t + 4 * rows];
    T out = 0;
    for (int j = 0; j < Size; ++j) {
      out += key[j] * (value * key[j] + state[j]);
      state[j] = state[j] * decay[j] + key[j] * value;
    }
    y[t] = out;
  }
}
template <class T> __device__ void ofInts(const T *x, T *y, int) { states<T, int, 70>(x, y, Size); }
template <class T> __device__ void ofUnsigned(const T *x, T *y, int) { states<T, unsigned, 37>(x, y, Size); }
template <class T> __device__ void ofSizes(const T *x, T *y, int) { states<T, unsigned long, 3>(x, y, Size); }
// The step is known when the kernel runs.
template <class T> __device__ void anyStep(const T *x, T *y, int n) { states<T, int, 40>(x, y, n / (6 * 40)); }
int main() {
  return rg::checkKernel<double, ofInts<double>>("ints", 6 * 70 * Size, 2 * 70 * Size, 2, Size) +
         rg::checkKernel<double, ofUnsigned<double>>("unsigned", 6 * 37 * Size, 2 * 37 * Size, 2, Size) +
         rg::checkKernel<double, ofSizes<double>>("sizes", 6 * 3 * Size, 2 * 3 * Size, 2, Size) +
         rg::checkKernel<double, anyStep<double>>("any step", 6 * 40 * Size, 2 * 40 * Size, 2, Size) +
         rg::checkKernel<float, ofInts<float>>("ints, float", 6 * 70 * Size, 2 * 70 * Size, 2, Size);
}
