// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows and boxes of memory, pinned memory, pools, peer copies, functions of the host in a stream;
// launches by calls of the runtime, cooperative ones among them.
#include "rgtest.h"
#include <cuda_runtime.h>
#include <cmath>
#include <cstring>
extern int enzyme_dup, enzyme_const;
template <class R, class... T> R __enzyme_autodiff(void *, T...);
template <class R, class... T> R __enzyme_fwddiff(void *, T...);
__global__ void bend(double *p, size_t pitch, int w, double a) {
  double *row = (double *)((char *)p + blockIdx.x * pitch);
  if (threadIdx.x < w) row[threadIdx.x] += a * row[threadIdx.x] * row[threadIdx.x];
}
double pitched(const double *x, int n) {
  const int w = 5; int h = n / w; double *d, y[64] = {}, s = 0; size_t pitch;
  cudaMallocPitch((void **)&d, &pitch, w * 8, h);
  cudaMemset2D(d, pitch, 0, w * 8, h);
  cudaMemcpy2D(d, pitch, x, w * 8, w * 8, h, cudaMemcpyHostToDevice);
  bend<<<h, 8>>>(d, pitch, w, 0.5);
  cudaMemcpy2D(d, pitch, d + 2, pitch, 2 * 8, h, cudaMemcpyDeviceToDevice);
  bend<<<h, 8>>>(d, pitch, w, 0.3);
  cudaMemcpy2DAsync(y, w * 8, d, pitch, w * 8, h, cudaMemcpyDeviceToHost, 0);
  cudaDeviceSynchronize();
  for (int i = 0; i < w * h; i++) s += y[i] * (1 + i % 4);
  cudaFree(d); return s;
}
double cube(const double *x, int n) {
  cudaPitchedPtr p; cudaExtent e = make_cudaExtent(3 * 8, 2, n / 6); double y[64] = {}, s = 0;
  cudaMalloc3D(&p, e);
  cudaMemset3D(p, 0, e);
  cudaMemcpy3DParms c; memset(&c, 0, sizeof c);
  c.srcPtr = make_cudaPitchedPtr((void *)x, 3 * 8, 3, 2); c.dstPtr = p; c.extent = e; c.kind = cudaMemcpyHostToDevice;
  cudaMemcpy3D(&c);
  bend<<<n / 3, 4>>>((double *)p.ptr, p.pitch, 3, 0.4);
  cudaMemcpy3DParms b; memset(&b, 0, sizeof b);
  b.srcPtr = p; b.dstPtr = make_cudaPitchedPtr(y, 3 * 8, 3, 2); b.extent = e; b.kind = cudaMemcpyDeviceToHost;
  cudaMemcpy3D(&b);
  for (int i = 0; i < n; i++) s += y[i] * (1 + i % 5);
  cudaFree(p.ptr); return s;
}
struct job { double *at; int n; };
static void square(void *v) { job *j = (job *)v; for (int i = 0; i < j->n; i++) j->at[i] *= j->at[i]; }
double pinned(const double *x, int n) {
  double *h, *d, *e, s = 0; cudaStream_t st; cudaStreamCreate(&st);
  cudaHostAlloc((void **)&h, n * 8, cudaHostAllocMapped);
  cudaHostGetDevicePointer((void **)&d, h, 0);
  cudaMallocAsync((void **)&e, n * 8, st);
  for (int i = 0; i < n; i++) h[i] = x[i] * 1.5;
  bend<<<1, n, 0, st>>>(d, 0, n, 0.2);
  job j{h, n};
  cudaLaunchHostFunc(st, square, &j);
  bend<<<1, n, 0, st>>>(d, 0, n, 0.1);
  cudaMemcpyPeerAsync(e, 0, d, 0, n * 8, st);
  bend<<<1, n, 0, st>>>(e, 0, n, 0.1);
  cudaMemcpyAsync(h, e, n * 8, cudaMemcpyDeviceToHost, st);
  cudaStreamSynchronize(st);
  for (int i = 0; i < n; i++) s += h[i];
  cudaFreeAsync(e, st); cudaFreeHost(h); cudaStreamDestroy(st); return s;
}
double byCall(const double *x, int n) {
  double *d, y[64], s = 0, a = x[0]; size_t zero = 0;
  cudaMalloc(&d, n * 8);
  cudaMemcpy(d, x, n * 8, cudaMemcpyHostToDevice);
  void *args[] = {&d, &zero, &n, &a};
  if (cudaLaunchKernel((const void *)bend, dim3(1), dim3(n), args, 0, 0)) return -1;
  if (x[1] > 0) cudaLaunchCooperativeKernel((const void *)bend, dim3(1), dim3(n), args, 0, 0);
  a *= 2;
  cudaLaunchConfig_t c; memset(&c, 0, sizeof c); c.gridDim = dim3(1); c.blockDim = dim3(n);
  cudaLaunchKernelExC(&c, (const void *)bend, args);
  cudaMemcpy(y, d, n * 8, cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; i++) s += y[i] * (i % 3);
  cudaFree(d); return s;
}
template <class F> void check(F f, int n) {
  double x[64], g[64] = {}, t[64], along = 0, bad = 0;
  for (int i = 0; i < n; i++) x[i] = 0.5 + 0.01 * (i * 5 % 17), t[i] = 0.1 * (i % 5) - 0.2;
  __enzyme_autodiff<double>((void *)f, enzyme_dup, x, g, enzyme_const, n);
  for (int i = 0; i < n; i++) along += t[i] * g[i];
  double fwd = __enzyme_fwddiff<double>((void *)f, enzyme_dup, x, t, enzyme_const, n);
  for (int i = 0; i < n; i++) {
    double o = x[i], h = 1e-5; x[i] = o + h; double u = f(x, n); x[i] = o - h; double d = f(x, n); x[i] = o;
    bad = fmax(bad, fabs(g[i] - (u - d) / (2 * h)));
  }
  RG_WITHIN(fwd, along, 1e-11);
  RG_WITHIN(bad, 0, 1e-6);
}
int main() { check(pitched, 20); check(cube, 24); check(pinned, 20); check(byCall, 20); return rgReport(); }
