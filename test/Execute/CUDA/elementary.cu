// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-verify-each %s -o %t && %t
// Kernels without communication: libdevice, loops of constant and of unknown length,
// local arrays, branches, vector types, single precision.
#include "rgcuda.h"

__device__ void functions(const double *x, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  double a = x[i];
  double s, c;
  sincos(a, &s, &c);
  y[i] = sin(a) * exp(-a) + pow(a, 1.7) + log(a) * sqrt(a) + tanh(a) + atan2(a, 2.0) + cbrt(a) +
         rsqrt(a) + s * c + erf(a) + fmax(a, 1.0) * fmin(a, 0.9) + hypot(a, 0.3) + fabs(a - 1) +
         fma(a, a, 0.5) + lgamma(a) + normcdf(a) + sinpi(a) + exp10(0.1 * a) + rhypot(a, 1.0);
}

__device__ void functionsf(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float a = x[i];
  y[i] = sinf(a) * expf(-a) + powf(a, 1.7f) + logf(a) * sqrtf(a) + __expf(a) * 0.1f +
         __sinf(a) + __cosf(a) + __logf(a) + __fdividef(a, 1 + a) + rsqrtf(a) + __powf(a, 1.5f) +
         __saturatef(a - 0.3f) + __frcp_rn(a) + __fmaf_rn(a, a, a) + tanhf(a);
}

// A loop whose length is in memory.
__device__ void powers(const double *x, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  double p = 1, s = 0;
  for (int k = 0; k < 3 + i % 7; ++k) {
    p = p * x[i] * cos(0.1 * p);
    s += sin(p) * p;
  }
  y[i] = s;
}

// Stops when it is good enough.
__device__ void newton(const double *x, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  double r = x[i];
  while (fabs(r * r - x[i]) > 1e-12)
    r = 0.5 * (r + x[i] / r);
  y[i] = r * r * r;
}

__device__ void localArray(const double *x, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  double a[6];
  for (int k = 0; k < 6; ++k)
    a[k] = x[(i + k) % n] * (k + 1);
  for (int k = 1; k < 6; ++k)
    a[k] += a[k - 1] * a[(k * (i + 1)) % 6];
  y[i] = a[5];
}

// Everybody reads one number, and a stencil of five.
__device__ void stencil(const double *x, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  double s = 0;
  for (int k = -2; k <= 2; ++k)
    s += x[(i + k + n) % n] * x[0];
  y[i] = s * s;
}

__device__ void vectors(const double *x, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (2 * i + 1 >= n)
    return;
  double2 v = ((const double2 *)x)[i];
  ((double2 *)y)[i] = make_double2(v.x * v.y, v.x * v.x - v.y);
}

__device__ void vectorsf(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (4 * i + 3 >= n)
    return;
  float4 v = ((const float4 *)x)[i];
  ((float4 *)y)[i] = make_float4(v.x * v.y, v.z * v.w, v.x * v.w, v.y + v.z * v.z);
}

__device__ double __noinline__ callee(const double *x, int i, int k) {
  return k == 0 ? x[i] * x[i] : callee(x, i, k - 1) * sin(x[i] + k);
}
__device__ void recursion(const double *x, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = callee(x, i, i % 4);
}

typedef double (*Op)(double);
__device__ double square(double a) { return a * a; }
__device__ double half(double a) { return a / 2 + sin(a); }
__device__ void pointers(const double *x, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Op o = i % 3 ? square : half;
  y[i] = o(x[i]) * x[i];
}

int main() {
  int Bad = rg::checkKernel<double, functions>("functions", 300, 300, 3, 128);
  Bad |= rg::checkKernel<float, functionsf>("float functions", 300, 300, 3, 128);
  Bad |= rg::checkKernel<double, powers>("powers", 100, 100, 2, 64);
  Bad |= rg::checkKernel<double, newton>("newton", 100, 100, 2, 64);
  Bad |= rg::checkKernel<double, localArray>("local array", 100, 100, 2, 64);
  Bad |= rg::checkKernel<double, stencil>("stencil", 100, 100, 2, 64);
  Bad |= rg::checkKernel<double, vectors>("vectors", 100, 100, 2, 64);
  Bad |= rg::checkKernel<float, vectorsf>("float vectors", 128, 128, 2, 64);
  Bad |= rg::checkKernel<double, recursion>("recursion", 100, 100, 2, 64);
  Bad |= rg::checkKernel<double, pointers>("pointers", 100, 100, 2, 64);
  return Bad;
}
