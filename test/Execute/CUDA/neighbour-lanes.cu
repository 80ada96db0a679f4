// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-verify-each %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O0 -I%root/test/include -I%root/include -mllvm -rg-plan=naive %s -o %t && %t
// Lanes side by side that read places side by side: a row of an image whose width cuts warps, in rounds over the grid,
// with lanes that a branch or the end of the array leaves out, of floats and of doubles, 2 to 4 places and more.
#include "rgcuda.h"

template <typename T, int N> __device__ void image(const T *__restrict__ x, T *__restrict__ y, int n) {
  const int v = 19;
  int i = blockIdx.x * blockDim.x + threadIdx.x, row = i / v, column = i % v;
  if (row * (v + N) + column + N > n)
    return;
  T sum = 0;
  for (int a = 0; a < 2; ++a)
    for (int b = 0; b < N; ++b)
      sum += T(a + 0.5) * T(b + 1) * x[(row + a) * (v + N) % (n - v - N) + column + b];
  y[i] = sum * sum;
}
template <typename T, int N> __device__ void rounds(const T *__restrict__ x, T *__restrict__ y, int n) {
  int threads = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n - N; i += threads) {
    if (i % 11 == 3)
      continue;
    T product = 1;
    for (int b = 0; b < N; ++b)
      product *= x[i + b];
    y[i] = product;
  }
}

int main() {
  int Bad = 0;
  for (int Threads : {32, 64, 50}) {
    Bad |= rg::checkKernel<float, image<float, 2>>("image, 2 floats", 300, 3 * Threads, 3, Threads);
    Bad |= rg::checkKernel<float, image<float, 3>>("image, 3 floats", 300, 3 * Threads, 3, Threads);
    Bad |= rg::checkKernel<double, image<double, 3>>("image, 3 doubles", 300, 3 * Threads, 3, Threads);
    Bad |= rg::checkKernel<double, image<double, 7>>("image, 7 doubles", 300, 3 * Threads, 3, Threads);
    Bad |= rg::checkKernel<float, rounds<float, 4>>("rounds, 4 floats", 200, 200, 2, Threads);
    Bad |= rg::checkKernel<double, rounds<double, 2>>("rounds, 2 doubles", 200, 200, 2, Threads);
  }
  return Bad;
}
