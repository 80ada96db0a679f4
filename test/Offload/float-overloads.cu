// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of <math.h> by their names without a suffix, of numbers of type float, in kernels.
#include "rgtest.h"
#include <cmath>
#include <cuda_runtime.h>
template <class R, class... T> __device__ R __enzyme_autodiff(void *, T...);
extern __device__ int enzyme_dup;
template <class T> __host__ __device__ T all(const T *x) {
  T a = x[0], b = x[1], c = x[2];
  using namespace std;
  T s = asinh(a) + atanh(a) + acosh(b) + cbrt(a) + erf(a) + erfc(b) + exp2(a) + expm1(a) + lgamma(b) + log1p(a) + log2(b) + tgamma(b);
  s += logb(b) + nearbyint(b) + rint(a) + round(b) + trunc(b) + copysign(a, -b) + fdim(b, a) + fmax(a, b) + fmin(a, c) + hypot(a, b) + remainder(b, c);
  return s + fma(a, b, c) + scalbn(a, 2) + scalbln(c, 1L) + (nextafter(a, b) > a) + ilogb(b) + lrint(b) + lround(b) + llrint(b) + llround(b);
}
__global__ void value(const float *x, float *y) { *y = all(x); }
__global__ void gradient(const float *x, float *g) {
  __enzyme_autodiff<float>((void *)all<float>, enzyme_dup, x, g);
}
int main() {
  float *x, *y, *g;
  cudaMallocManaged(&x, 3 * sizeof(float)), cudaMallocManaged(&y, sizeof(float)), cudaMallocManaged(&g, 3 * sizeof(float));
  double at[3] = {0.3, 1.7, 0.6};
  for (int i = 0; i < 3; ++i)
    x[i] = at[i], g[i] = 0;
  value<<<1, 1>>>(x, y);
  gradient<<<1, 1>>>(x, g);
  RG_WITHIN(cudaDeviceSynchronize(), 0, 0);
  RG_WITHIN(*y, all(at), 1e-5);
  for (int i = 0; i < 3; ++i) {
    double up[3] = {at[0], at[1], at[2]}, down[3] = {at[0], at[1], at[2]};
    up[i] += 1e-6, down[i] -= 1e-6;
    RG_WITHIN(g[i], (all(up) - all(down)) / 2e-6, 1e-5);
  }
  cudaFree(x), cudaFree(y), cudaFree(g);
  return rgReport();
}
