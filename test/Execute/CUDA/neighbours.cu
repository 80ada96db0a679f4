// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-verify-each %s -o %t && %t
// Structs of two to nine floats, read by index: several threads come to one of them, at any
// alignment. Sums in place.
#include "rgcuda.h"

template <int N> struct Row {
  float a[N];
};

template <int N> __device__ void rows(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const Row<N> &r = reinterpret_cast<const Row<N> *>(x)[(i * 7) % 20];
  float s = 1;
  for (int k = 0; k < N; ++k)
    s *= r.a[k];
  y[i] = s + r.a[N / 2];
}
// From an address that is no multiple of anything larger than a float.
__device__ void shifted(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const float *p = x + 1 + i % 3 + 4 * ((i * 5) % 16);
    y[i] = p[0] * p[1] + p[2] * p[3] * p[3];
  }
}
__device__ void sums(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  for (int k = 0; k < 4; ++k)
    y[i + k * n] += x[i] * x[(i + k) % n];
}

int main() {
  int Bad = rg::checkKernel<float, rows<2>>("two", 40, 40, 2, 64);
  Bad |= rg::checkKernel<float, rows<3>>("three", 60, 60, 2, 64);
  Bad |= rg::checkKernel<float, rows<4>>("four", 80, 80, 2, 64);
  Bad |= rg::checkKernel<float, rows<5>>("five", 100, 100, 2, 64);
  Bad |= rg::checkKernel<float, rows<8>>("eight", 160, 160, 3, 64);
  Bad |= rg::checkKernel<float, rows<9>>("nine", 180, 180, 3, 64);
  Bad |= rg::checkKernel<float, shifted>("shifted", 80, 80, 2, 64);
  Bad |= rg::checkKernel<float, sums>("sums in place", 128, 512, 2, 64);
  return Bad;
}
