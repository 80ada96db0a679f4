// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives of device functions in kernels, both modes, against central differences.
// RG-LEVELS: O0 O2
// RG-PLANS: mincut
#include "Check.h"
#include <cuda_runtime.h>
#include <vector>
extern __device__ int enzyme_dup, enzyme_const, enzyme_out;
template <class R, class... T> __device__ R __enzyme_autodiff(void *, T...);
template <class R, class... T> __device__ R __enzyme_fwddiff(void *, T...);
#define T 32
__device__ void layer(const double *w, const double *x, double *y, int n) {
  __shared__ double s[T];
  double a = 0;
  int t = threadIdx.x;
  for (int j = 0; j < n; j++)
    a += w[t * n + j] * x[j];
  s[t] = tanh(a);
  __syncthreads();
  for (int h = T / 2; h; h >>= 1) {
    if (t < h)
      s[t] += s[t + h] * s[t + h];
    __syncthreads();
  }
  if (t == 0)
    y[0] = s[0];
}
__global__ void fwd(const double *w, const double *x, double *y, int n) { layer(w, x, y, n); }
__global__ void rev(const double *w, double *dw, const double *x, double *dx, double *y, double *dy, int n) {
  __enzyme_autodiff<void>((void *)layer, enzyme_dup, w, dw, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
}
__global__ void tan_(const double *w, const double *dw, const double *x, const double *dx, double *y, double *dy,
                     int n) {
  __enzyme_fwddiff<void>((void *)layer, enzyme_dup, w, dw, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
}
__device__ void stencil(const float *in, float *out, int n, int steps) {
  extern __shared__ float sm[];
  int i = threadIdx.x;
  sm[i] = in[i];
  for (int k = 0; k < steps; k++) {
    __syncthreads();
    float v = i > 0 && i < n - 1 ? 0.25f * sm[i - 1] + 0.5f * sm[i] * sm[i] + 0.25f * sm[i + 1] : sm[i];
    __syncthreads();
    sm[i] = v;
  }
  out[i] = sm[i];
}
__global__ void sfwd(const float *in, float *out, int n, int steps) { stencil(in, out, n, steps); }
__global__ void srev(const float *in, float *din, float *out, float *dout, int n, int steps) {
  __enzyme_autodiff<void>((void *)stencil, enzyme_dup, in, din, enzyme_dup, out, dout, enzyme_const, n, enzyme_const,
                          steps);
}
__device__ double square_sin(double x) { return sin(x * x) * exp(-x); }
__global__ void scal(const double *x, double *d, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    d[i] = __enzyme_autodiff<double>((void *)square_sin, x[i]);
}
__device__ void warpnorm(const double *x, double *y) {
  double v = x[threadIdx.x];
  double s = v * v;
  for (int o = 16; o; o >>= 1)
    s += __shfl_xor_sync(0xffffffffu, s, o);
  y[threadIdx.x] = v / sqrt(s + 1);
}
__global__ void wfwd(const double *x, double *y) { warpnorm(x, y); }
__global__ void wrev(const double *x, double *dx, double *y, double *dy) {
  __enzyme_autodiff<void>((void *)warpnorm, enzyme_dup, x, dx, enzyme_dup, y, dy);
}
__device__ void scatter(const double *x, const int *k, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&y[k[i]], x[i] * x[i]);
}
__global__ void arev(const double *x, double *dx, const int *k, double *y, double *dy, int n) {
  __enzyme_autodiff<void>((void *)scatter, enzyme_dup, x, dx, enzyme_const, k, enzyme_dup, y, dy, enzyme_const, n);
}
template <class P> P *mg(size_t n) {
  P *p;
  CHECK(cudaMallocManaged(&p, n * sizeof(P)));
  for (size_t i = 0; i < n; i++)
    p[i] = 0;
  return p;
}
int main() {
  int n = 7;
  double *w = mg<double>(T * n), *dw = mg<double>(T * n), *x = mg<double>(n), *dx = mg<double>(n), *y = mg<double>(1),
         *dy = mg<double>(1);
  for (int i = 0; i < T * n; i++)
    w[i] = sin(i) * .3;
  for (int i = 0; i < n; i++)
    x[i] = cos(i);
  *dy = 1;
  rev<<<1, T>>>(w, dw, x, dx, y, dy, n);
  CHECK(cudaDeviceSynchronize());
  auto F = [&] {
    fwd<<<1, T>>>(w, x, y, n);
    CHECK(cudaDeviceSynchronize());
    return *y;
  };
  double h = 1e-6;
  for (int i = 0; i < n; i++) {
    double o = x[i];
    x[i] = o + h;
    double a = F();
    x[i] = o - h;
    double b = F();
    x[i] = o;
    EXPECT(fabs((a - b) / (2 * h) - dx[i]) < 1e-6 * (1 + fabs(dx[i])));
  }
  for (int i = 0; i < T * n; i += 11) {
    double o = w[i];
    w[i] = o + h;
    double a = F();
    w[i] = o - h;
    double b = F();
    w[i] = o;
    EXPECT(fabs((a - b) / (2 * h) - dw[i]) < 1e-6 * (1 + fabs(dw[i])));
  }
  double dot = 0;
  double *tw = mg<double>(T * n), *tx = mg<double>(n), *ty = mg<double>(1);
  for (int i = 0; i < T * n; i++)
    tw[i] = i % 3, dot += tw[i] * dw[i];
  for (int i = 0; i < n; i++)
    tx[i] = i, dot += tx[i] * dx[i];
  tan_<<<1, T>>>(w, tw, x, tx, y, ty, n);
  CHECK(cudaDeviceSynchronize());
  EXPECT(fabs(*ty - dot) < 1e-9 * (1 + fabs(dot)));
  int m = 40, steps = 5;
  float *in = mg<float>(m), *din = mg<float>(m), *out = mg<float>(m), *dout = mg<float>(m);
  for (int i = 0; i < m; i++)
    in[i] = .3f + .01f * (i % 7), dout[i] = 1 + i % 3;
  srev<<<1, m, m * 4>>>(in, din, out, dout, m, steps);
  cudaError_t e = cudaDeviceSynchronize();
  CHECK(e);
  auto G = [&] {
    sfwd<<<1, m, m * 4>>>(in, out, m, steps);
    cudaDeviceSynchronize();
    double s = 0;
    for (int i = 0; i < m; i++)
      s += (1 + i % 3) * out[i];
    return s;
  };
  for (int i = 0; i < m; i += 3) {
    float o = in[i], hh = 1e-2f;
    in[i] = o + hh;
    double a = G();
    in[i] = o - hh;
    double b = G();
    in[i] = o;
    EXPECT(fabs((a - b) / (2 * hh) - din[i]) < 3e-3 * (1 + fabs(din[i])));
  }
  double *sx = mg<double>(100), *sd = mg<double>(100);
  for (int i = 0; i < 100; i++)
    sx[i] = i * .03;
  scal<<<2, 64>>>(sx, sd, 100);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 100; i++) {
    double v = sx[i];
    EXPECT(fabs(sd[i] - (2 * v * cos(v * v) - sin(v * v)) * exp(-v)) < 1e-12);
  }
  double *wx = mg<double>(32), *wdx = mg<double>(32), *wy = mg<double>(32), *wdy = mg<double>(32);
  for (int i = 0; i < 32; i++)
    wx[i] = .1 * i - 1, wdy[i] = i % 4;
  wrev<<<1, 32>>>(wx, wdx, wy, wdy);
  CHECK(cudaDeviceSynchronize());
  auto W = [&] {
    wfwd<<<1, 32>>>(wx, wy);
    cudaDeviceSynchronize();
    double s = 0;
    for (int i = 0; i < 32; i++)
      s += (i % 4) * wy[i];
    return s;
  };
  for (int i = 0; i < 32; i += 5) {
    double o = wx[i];
    wx[i] = o + h;
    double a = W();
    wx[i] = o - h;
    double b = W();
    wx[i] = o;
    EXPECT(fabs((a - b) / (2 * h) - wdx[i]) < 1e-6);
  }
  int *k = mg<int>(100);
  double *ax = mg<double>(100), *adx = mg<double>(100), *ay = mg<double>(10), *ady = mg<double>(10);
  for (int i = 0; i < 100; i++)
    k[i] = (i * 3) % 10, ax[i] = i;
  for (int i = 0; i < 10; i++)
    ady[i] = i + 1;
  arev<<<2, 64>>>(ax, adx, k, ay, ady, 100);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 100; i++)
    EXPECT(adx[i] == 2 * ax[i] * (k[i] + 1));
  return finish();
}
