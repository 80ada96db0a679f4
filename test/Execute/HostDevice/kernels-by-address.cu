// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels whose addresses the program passes on: to a function that launches them, in tables, by choice;
// <<<>>> and calls of the runtime.
#include "gradients.h"
#include <cuda_runtime.h>
#include <functional>
#include <vector>

__global__ void cube(double *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = x[i] * x[i] * x[i];
}
__global__ void wave(double *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = sin(x[i]) + x[i];
}
__global__ void follow(double **x, int n) { x[0][0] = n; } // has no derivative, and another type
template <class T> __global__ void scale(const T *x, T *y, T a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] += a * x[i] * x[n - 1 - i];
}
// A function of the host with a kernel's type.
static int calls;
void hook(double *, int) { ++calls; }

template <class... P, class... A> void launch(void (*kernel)(P...), int n, A... a) {
  kernel<<<(n + 7) / 8, 8>>>(a...);
}
template <class K> cudaError_t byCall(K kernel, double *x, int n, int blocks) {
  void *args[] = {&x, &n};
  return cudaLaunchKernel((const void *)kernel, dim3(blocks), dim3(8), args, 0, 0);
}
typedef void (*Kernel)(double *, int);
static const Kernel table[] = {cube, wave, cube};
struct stage {
  Kernel kernel;
  double factor;
};
double f(const double *x, int n) {
  double *a, *b, s = 0;
  void (*after)(double *, int) = hook;
  std::vector<double> y(n);
  cudaMalloc(&a, n * sizeof(double));
  cudaMalloc(&b, n * sizeof(double));
  cudaMemcpy(a, x, n * sizeof(double), cudaMemcpyHostToDevice);
  cudaMemcpy(b, x, n * sizeof(double), cudaMemcpyHostToDevice);
  for (int k = 0; k < 3; k++) {
    table[k]<<<(n + 7) / 8, 8>>>(a, n);
    after(a, n);
    auto chosen = x[k] > 0.7 ? wave : cube;
    chosen<<<dim3((n + 3) / 4), dim3(4)>>>(b, n);
  }
  launch(scale<double>, n, a, b, x[1], n);
  launch(wave, n, b, n);
  if (byCall(cube, b, n, (n + 7) / 8) || byCall(wave, b, n, (n + 7) / 8))
    return -1;
  for (const stage &t : {stage{wave, x[0]}, stage{cube, 0.5}}) {
    t.kernel<<<(n + 7) / 8, 8>>>(a, n);
    scale<<<(n + 7) / 8, 8>>>(a, b, t.factor, n);
  }
  cudaMemcpy(y.data(), b, n * sizeof(double), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; i++)
    s += y[i] * (1 + i % 3);
  cudaFree(a), cudaFree(b);
  return s;
}
int main() {
  const int n = 20;
  double x[n], g[n] = {};
  for (int i = 0; i < n; i++)
    x[i] = 0.5 + 0.01 * i;
  __enzyme_autodiff<double>((void *)f, enzyme_dup, x, g, enzyme_const, n);
  RG_TRUE(calls == 3); // the host's function ran once, with the primal
  rgCheckGradient(f, n, 0.5);
  return rgReport();
}
