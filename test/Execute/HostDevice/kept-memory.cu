// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of the device that the program keeps from call to call: in a global variable, in an
// object that one leads to, in a vector, in a pool that grows. Each derivative finds it there,
// without a shadow.
#include "gradients.h"
#include <cuda_runtime.h>

__global__ void cube(const double *x, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] * x[i] * x[i];
}
__global__ void weigh(const double *w, const double *x, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = w[i] * x[i] + sin(x[i]);
}

struct Pool {
  double *at = nullptr;
  int size = 0;
  double *room(int n) {
    if (n > size) {
      if (at)
        cudaFree(at);
      cudaMalloc(&at, n * sizeof(double));
      size = n;
    }
    return at;
  }
  ~Pool() { cudaFree(at); }
};
struct Context {
  double *work, *more;
};
static Pool pool;
static Context *context;
static double *raw, *weights;
static std::vector<double *> buffers;

static double sumOf(const double *d, int n) {
  std::vector<double> h(n);
  cudaMemcpy(h.data(), d, n * sizeof(double), cudaMemcpyDeviceToHost);
  double s = 0;
  for (int i = 0; i < n; i++)
    s += h[i] * (1 + i % 3);
  return s;
}
static double growing(const double *x, int n) {
  double *a, *b = pool.room(n);
  cudaMalloc(&a, n * sizeof(double));
  cudaMemcpy(a, x, n * sizeof(double), cudaMemcpyHostToDevice);
  cube<<<2, 32>>>(a, b, n);
  double s = sumOf(b, n);
  cudaFree(a);
  return s;
}
static double inPlace(const double *x, int n) {
  cudaMemcpy(raw, x, n * sizeof(double), cudaMemcpyHostToDevice);
  for (int t = 0; t < 3; t++)
    cube<<<2, 32>>>(raw, raw, n);
  return sumOf(raw, n);
}
// What a fill overwrites is read before, and what is read behind it is a constant.
static double ofAnObject(const double *x, int n) {
  cudaMemcpy(context->work, x, n * sizeof(double), cudaMemcpyHostToDevice);
  cube<<<2, 32>>>(context->work, context->more, n);
  cudaMemset(context->work, 0, 5 * sizeof(double));
  weigh<<<2, 32>>>(context->work, context->more + 1, raw, n - 1);
  weigh<<<2, 32>>>(weights, raw, context->more, n - 1);
  return sumOf(context->more, n);
}
static double ofAVector(const double *x, int n) {
  const double *from = raw;
  cudaMemcpy(raw, x, n * sizeof(double), cudaMemcpyHostToDevice);
  for (double *b : buffers) {
    weigh<<<2, 32>>>(weights, from, b, n);
    from = b;
  }
  cudaMemcpy(buffers[0] + 1, buffers[2], (n - 1) * sizeof(double), cudaMemcpyDeviceToDevice);
  return sumOf(buffers[0], n);
}

int main() {
  const int n = 37;
  context = new Context;
  for (double **p : {&context->work, &context->more, &raw, &weights})
    cudaMalloc(p, n * sizeof(double));
  for (int i = 0; i < 3; i++) {
    double *p;
    cudaMalloc(&p, n * sizeof(double));
    buffers.push_back(p);
  }
  std::vector<double> w(n, 1.5);
  cudaMemcpy(weights, w.data(), n * sizeof(double), cudaMemcpyHostToDevice);
  growing(w.data(), 5);
  for (int again = 0; again < 2; again++) {
    rgCheckGradient(growing, n, 0.7);
    rgCheckGradient(inPlace, n, 0.8);
    rgCheckGradient(ofAnObject, n, 0.7);
    rgCheckGradient(ofAVector, n, 0.6);
  }
  return rgReport();
}
