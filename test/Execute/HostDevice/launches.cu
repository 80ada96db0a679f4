// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gradients of host functions that allocate device memory, copy, launch and synchronise:
// reverse against forward mode and central differences.
#include "rgtest.h"
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

extern int enzyme_dup, enzyme_const, enzyme_out;
template <class R, class... T> R __enzyme_autodiff(void *, T...);
template <class R, class... T> R __enzyme_fwddiff(void *, T...);

#define CHECK(Call)                                                                              \
  do {                                                                                           \
    cudaError_t Error = (Call);                                                                  \
    if (Error != cudaSuccess) {                                                                  \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(Error));             \
      exit(1);                                                                                   \
    }                                                                                            \
  } while (0)

// A number by value, a function template, checks around calls.
template <class T> __global__ void scale(const T *x, T *y, T a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a * sin(x[i]);
}
double scaled(const double *x, double a, int n) {
  double *dx, *dy;
  CHECK(cudaMalloc(&dx, n * sizeof(double)));
  CHECK(cudaMalloc((void **)&dy, n * sizeof(double)));
  CHECK(cudaMemcpy(dx, x, n * sizeof(double), cudaMemcpyHostToDevice));
  scale<<<(n + 63) / 64, 64>>>(dx, dy, a, n);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  double *y = (double *)malloc(n * sizeof(double));
  CHECK(cudaMemcpy(y, dy, n * sizeof(double), cudaMemcpyDeviceToHost));
  double s = 0;
  for (int i = 0; i < n; i++)
    s += y[i] * y[i];
  free(y);
  CHECK(cudaFree(dx));
  CHECK(cudaFree(dy));
  return s;
}

// In place, a loop whose length is known when it runs, the number changes from round to round.
__global__ void bend(double *x, double a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = x[i] + a * x[i] * x[i];
}
double inPlace(const double *x, double a, int n) {
  double *d;
  cudaMalloc(&d, n * sizeof(double));
  cudaMemcpy(d, x, n * sizeof(double), cudaMemcpyHostToDevice);
  int rounds = 3 + n % 4;
  for (int r = 0; r < rounds; r++)
    bend<<<(n + 31) / 32, 32>>>(d, a / (r + 1), n);
  std::vector<double> y(n);
  cudaMemcpy(y.data(), d, n * sizeof(double), cudaMemcpyDeviceToHost);
  cudaFree(d);
  double s = 0;
  for (int i = 0; i < n; i++)
    s += (i + 1) * y[i];
  return s;
}

// Two buffers by turns, in two dimensions, with shared memory, one branch of a condition.
__global__ void smooth(const double *from, double *to, double mix, int n) {
  __shared__ double row[34];
  int i = blockIdx.x * 32 + threadIdx.x;
  row[threadIdx.x + 1] = i < n ? from[i] : 0;
  if (threadIdx.x == 0)
    row[0] = i > 0 ? from[i - 1] : 0;
  if (threadIdx.x == 31)
    row[33] = i + 1 < n ? from[i + 1] : 0;
  __syncthreads();
  if (i < n)
    to[i] = row[threadIdx.x + 1] + mix * (row[threadIdx.x] * row[threadIdx.x + 2] - row[threadIdx.x + 1]);
}
__global__ void kick(double *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] += 0.1 * cos(x[i]);
}
double pingPong(const double *x, double mix, int n) {
  double *a, *b;
  CHECK(cudaMalloc(&a, n * sizeof(double)));
  CHECK(cudaMalloc(&b, n * sizeof(double)));
  CHECK(cudaMemcpy(a, x, n * sizeof(double), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(b, 0, n * sizeof(double)));
  for (int step = 0; step < 5; step++) {
    smooth<<<(n + 31) / 32, 32>>>(a, b, mix, n);
    if (step % 2)
      kick<<<dim3((n + 15) / 16, 1), dim3(16, 1, 1)>>>(b, n);
    double *c = a;
    a = b;
    b = c;
  }
  CHECK(cudaDeviceSynchronize());
  double *y = new double[n];
  CHECK(cudaMemcpy(y, a, n * sizeof(double), cudaMemcpyDeviceToHost));
  double s = 0;
  for (int i = 0; i < n; i++)
    s += y[i] * (1 + i % 3);
  delete[] y;
  CHECK(cudaFree(a));
  CHECK(cudaFree(b));
  return s;
}

// All kinds of copies, part of a block, a fill over what was read, reads by several threads, atomics.
__global__ void sums(const double *x, double *sum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&sum[i % 3], x[i] * x[(i + 1) % n]);
}
double copies(const double *x, double w, int n) {
  double *d, *e, *s, h[3], *t = (double *)malloc(n * sizeof(double));
  cudaMalloc(&d, n * sizeof(double));
  cudaMalloc(&e, n * sizeof(double));
  cudaMalloc(&s, 3 * sizeof(double));
  cudaMemcpy(t, x, n * sizeof(double), cudaMemcpyHostToHost);
  cudaMemcpy(d, t, n * sizeof(double), cudaMemcpyDefault);
  cudaMemset(s, 0, 3 * sizeof(double));
  sums<<<2, (n + 1) / 2>>>(d, s, n);
  cudaMemcpy(e, d, n * sizeof(double), cudaMemcpyDeviceToDevice);
  cudaMemset(d, 0, n / 2 * sizeof(double)); // what the launch has read
  sums<<<2, (n + 1) / 2>>>(d, s, n);
  cudaMemcpy(d, e + 1, (n - 1) * sizeof(double), cudaMemcpyDeviceToDevice);
  sums<<<2, (n + 1) / 2>>>(d, s, n);
  cudaMemcpy(h, s, sizeof h, cudaMemcpyDeviceToHost);
  cudaFree(d);
  cudaFree(e);
  cudaFree(s);
  free(t);
  return w * h[0] + h[1] * h[2];
}

// Dynamic shared memory, single precision, several launches in functions of their own.
__global__ void reversed(const float *x, float *y, float a, int n) {
  extern __shared__ float s[];
  s[threadIdx.x] = x[threadIdx.x] * a;
  __syncthreads();
  y[threadIdx.x] = s[n - 1 - threadIdx.x] * x[threadIdx.x];
}
static void run(const float *from, float *to, float a, int n) {
  reversed<<<1, n, n * sizeof(float), 0>>>(from, to, a, n);
}
double inFloats(const float *x, float a, int n) {
  float *d, *e, y[64];
  cudaMalloc(&d, n * sizeof(float));
  cudaMalloc(&e, n * sizeof(float));
  cudaMemcpy(d, x, n * sizeof(float), cudaMemcpyHostToDevice);
  run(d, e, a, n);
  run(e, d, a * a, n);
  cudaMemcpy(y, d, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(d);
  cudaFree(e);
  float s = 0;
  for (int i = 0; i < n; i++)
    s += y[i];
  return s;
}

// Memory of the caller's on the device: what the primal left there stays.
void onDevice(double *d, double a, int n) {
  bend<<<(n + 31) / 32, 32>>>(d, a, n);
  bend<<<(n + 31) / 32, 32>>>(d, a, n);
}

template <class F, class T> void check(F f, const char *name, T a, int n, double tolerance) {
  std::vector<T> x(n), g(n), t(n);
  for (int i = 0; i < n; i++)
    x[i] = T(0.3 + 0.01 * (i * 7 % 23));
  double value = f(x.data(), a, n), ga = 0;
  for (int twice = 0; twice < 2; twice++) { // nothing is left over from the first
    std::fill(g.begin(), g.end(), T(0));
    ga = __enzyme_autodiff<T>((void *)f, enzyme_dup, x.data(), g.data(), enzyme_out, a, enzyme_const, n);
  }
  // Blocks add to one place in any order.
  RG_WITHIN(f(x.data(), a, n), value, sizeof(T) == 8 ? 1e-13 : 1e-5);
  double h = sizeof(T) == 8 ? 1e-5 : 1e-2;
  RG_WITHIN(ga, (f(x.data(), T(a + h), n) - f(x.data(), T(a - h), n)) / (2 * h), tolerance);
  double along = 0;
  for (int i = 0; i < n; i++)
    t[i] = T(0.1 * (i % 5) - 0.2), along += t[i] * g[i];
  along += 0.5 * ga;
  double forward =
      __enzyme_fwddiff<double>((void *)f, enzyme_dup, x.data(), t.data(), enzyme_dup, a, T(0.5), enzyme_const, n);
  RG_WITHIN(forward, along, sizeof(T) == 8 ? 1e-12 : 1e-4);
  for (int i = 0; i < n; i += 1 + n / 7) {
    T old = x[i];
    x[i] = T(old + h);
    double up = f(x.data(), a, n);
    x[i] = T(old - h);
    double down = f(x.data(), a, n);
    x[i] = old;
    RG_WITHIN(g[i], (up - down) / (2 * h), tolerance);
  }
}

int main() {
  check(scaled, "scaled", 1.5, 100, 1e-7);
  check(inPlace, "inPlace", 0.2, 70, 1e-7);
  check(pingPong, "pingPong", 0.3, 75, 1e-7);
  check(copies, "copies", 0.7, 31, 1e-7);
  check(inFloats, "inFloats", 1.25f, 24, 1e-2);

  const int n = 40;
  double x[n], seed[n], *d, *s;
  for (int i = 0; i < n; i++)
    x[i] = 0.1 + 0.02 * i, seed[i] = 1;
  CHECK(cudaMalloc(&d, sizeof x));
  CHECK(cudaMalloc(&s, sizeof x));
  CHECK(cudaMemcpy(d, x, sizeof x, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(s, seed, sizeof x, cudaMemcpyHostToDevice));
  double ga = __enzyme_autodiff<double>((void *)onDevice, enzyme_dup, d, s, enzyme_out, 0.5, enzyme_const, n);
  double y[n], g[n], want = 0;
  CHECK(cudaMemcpy(y, d, sizeof x, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(g, s, sizeof x, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++) {
    double m = x[i] + 0.5 * x[i] * x[i];
    RG_WITHIN(y[i], m + 0.5 * m * m, 1e-14);
    RG_WITHIN(g[i], (1 + m) * (1 + x[i]), 1e-13);
    want += m * m + (1 + m) * x[i] * x[i];
  }
  RG_WITHIN(ga, want, 1e-12);
  CHECK(cudaFree(d));
  CHECK(cudaFree(s));
  return rgReport();
}
