// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-verify-each %s -o %t && %t
// Structs of two to nine floats, read by index: several threads come to one of them, at any
// alignment. Sums in place. The same with doubles, where two lanes share their additions: with
// lanes missing, and in loops that lanes leave one by one.
#include "rgcuda.h"

template <int N, typename T = float> struct Row {
  T a[N];
};

template <int N, typename T = float> __device__ void rows(const T *x, T *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const Row<N, T> &r = reinterpret_cast<const Row<N, T> *>(x)[(i * 7) % 20];
  T s = 1;
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

// Every third thread, each as often as its number says.
__device__ void apart(const double *x, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || i % 3 == 1)
    return;
  double s = 0;
  for (int k = 0; k <= i % 7; ++k) {
    const double *p = x + (i * 5 + k * 11) % (n - 3);
    s += p[0] * p[1] + p[2] * p[3] * p[3];
    if ((i + k) % 4 == 0)
      s *= p[1];
  }
  y[i] = s;
}
// One thread of a warp.
__device__ void alone(const double *x, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && i % 32 == 5)
    y[i] = x[i] * x[i + 1] + x[i - 2] * x[i - 3];
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
  Bad |= rg::checkKernel<double, rows<2, double>>("two doubles", 40, 40, 2, 64);
  Bad |= rg::checkKernel<double, rows<3, double>>("three doubles", 60, 60, 2, 64);
  Bad |= rg::checkKernel<double, rows<6, double>>("six doubles", 120, 120, 2, 96);
  Bad |= rg::checkKernel<double, apart>("lanes apart", 160, 160, 2, 96);
  Bad |= rg::checkKernel<double, alone>("one lane", 128, 128, 2, 64);
  return Bad;
}
