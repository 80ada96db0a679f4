// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asynchronous copies, fills and host functions in a file that captures streams: of integers and of numbers, of rows,
// boxes and variables of the device; in captured streams, in others, and as nodes that the program adds and changes.
#include "gradients.h"
#include <cuda_runtime.h>

__device__ double rates[64];
__device__ int shifts[64];
__global__ void gather(const double *u, const int *of, double *v, int n) {
  int i = threadIdx.x;
  if (i < n)
    v[i] += u[of[i]] * sin(rates[i]) * u[(i + shifts[i]) % n];
}

struct Total {
  const double *y;
  double sum;
  int n;
};
struct Rounds {
  int *left;
  double *y;
};
static void add(void *data) {
  Total *t = (Total *)data;
  for (int i = 0; i < t->n; i++)
    t->sum += t->y[i] * t->y[i] * (1 + i % 3);
}
static void count(void *data) {
  Rounds *r = (Rounds *)data;
  r->y[0] *= 0.5 * ++*r->left;
}

double captured(const double *x, int n) {
  double *u, *v, *rows, *y, *more, s;
  int *of, *again, list[64], *turned, shift[64], left = 0;
  // Of memory that is not pinned CUDA may copy what it was before.
  cudaMallocHost(&y, n * sizeof(double)), cudaMallocHost(&more, n * sizeof(double));
  cudaMallocHost(&turned, n * sizeof(int));
  Total total = {y, 0, n};
  Rounds rounds = {&left, y};
  cudaStream_t q;
  cudaGraph_t g;
  cudaGraphExec_t e;
  cudaStreamCreate(&q);
  cudaMalloc(&u, n * sizeof(double)), cudaMalloc(&v, n * sizeof(double));
  cudaMalloc(&rows, 2 * n * sizeof(double));
  cudaMalloc(&of, n * sizeof(int)), cudaMalloc(&again, n * sizeof(int));
  for (int i = 0; i < n; i++)
    list[i] = (5 * i + 2) % n, shift[i] = i % 2, more[i] = x[i] * 0.3 + 0.1;
  cudaMemcpyAsync(of, list, n * sizeof(int), cudaMemcpyHostToDevice, q);
  cudaMemcpyAsync(u, x, n * sizeof(double), cudaMemcpyHostToDevice, q);
  cudaMemsetAsync(again, 0, n * sizeof(int), q);
  cudaMemcpyToSymbolAsync(shifts, shift, n * sizeof(int), 0, cudaMemcpyHostToDevice, q);
  cudaStreamSynchronize(q);

  cudaStreamBeginCapture(q, cudaStreamCaptureModeGlobal);
  cudaMemcpyToSymbolAsync(rates, more, n * sizeof(double), 0, cudaMemcpyHostToDevice, q);
  cudaMemsetAsync(v, 0, n * sizeof(double), q);
  gather<<<1, 64, 0, q>>>(u, of, v, n);
  cudaMemcpyAsync(turned, of, n * sizeof(int), cudaMemcpyDeviceToHost, q);
  cudaMemcpyAsync(again, turned, n * sizeof(int), cudaMemcpyHostToDevice, q);
  gather<<<1, 64, 0, q>>>(u, again, v, n);
  // Rows of two numbers, of which the second is cleared.
  cudaMemcpy2DAsync(rows, 2 * sizeof(double), v, sizeof(double), sizeof(double), n, cudaMemcpyDeviceToDevice, q);
  cudaMemset2DAsync(rows + 1, 2 * sizeof(double), 0, sizeof(double), n, q);
  cudaMemcpyAsync(u, rows, n * sizeof(double), cudaMemcpyDeviceToDevice, q);
  cudaMemcpyFromSymbolAsync(more, rates, n / 2 * sizeof(double), n / 2 * sizeof(double), cudaMemcpyDeviceToHost, q);
  cudaMemcpyAsync(y, u, n * sizeof(double), cudaMemcpyDeviceToHost, q);
  cudaLaunchHostFunc(q, count, &rounds);
  cudaLaunchHostFunc(q, add, &total);
  // What is copied as a box is what the operands are now.
  cudaMemcpy3DParms box = {};
  box.srcPtr = make_cudaPitchedPtr(y, sizeof(double), sizeof(double), n);
  box.dstPtr = make_cudaPitchedPtr(u, sizeof(double), sizeof(double), n);
  box.extent = make_cudaExtent(sizeof(double), n, 1);
  box.kind = cudaMemcpyHostToDevice;
  cudaMemcpy3DAsync(&box, q);
  box = {};
  cudaStreamEndCapture(q, &g);
  cudaGraphInstantiate(&e, g, NULL, NULL, 0);
  for (int k = 0; k < 3; k++)
    cudaGraphLaunch(e, q);
  cudaStreamSynchronize(q);
  cudaGraphExecDestroy(e), cudaGraphDestroy(g), cudaStreamDestroy(q);
  s = total.sum + more[1];
  cudaFree(u), cudaFree(v), cudaFree(rows), cudaFree(of), cudaFree(again);
  cudaFreeHost(y), cudaFreeHost(more), cudaFreeHost(turned);
  return s;
}

double nodes(const double *x, int n) {
  double *u, *v, y[64], rate[64], s = 0;
  int *of, list[2][64];
  cudaGraph_t g;
  cudaGraphExec_t e;
  cudaGraphNode_t which, numbers, zero, work, out;
  cudaMalloc(&u, n * sizeof(double)), cudaMalloc(&v, n * sizeof(double)), cudaMalloc(&of, n * sizeof(int));
  for (int i = 0; i < n; i++)
    list[0][i] = (3 * i + 1) % n, list[1][i] = n - 1 - i, rate[i] = 0.5 + 0.01 * i;
  cudaMemcpyToSymbol(rates, rate, n * sizeof(double));
  cudaMemcpyToSymbol(shifts, list[1], n * sizeof(int));
  cudaGraphCreate(&g, 0);
  cudaGraphAddMemcpyNode1D(&which, g, nullptr, 0, of, list[0], n * sizeof(int), cudaMemcpyHostToDevice);
  cudaGraphAddMemcpyNode1D(&numbers, g, &which, 1, u, x, n * sizeof(double), cudaMemcpyHostToDevice);
  cudaMemsetParams clear = {v, 0, 0, 4, 2 * (size_t)n, 1};
  cudaGraphAddMemsetNode(&zero, g, &numbers, 1, &clear);
  cudaKernelNodeParams p = {};
  void *arguments[] = {&u, &of, &v, &n};
  p.func = (void *)gather, p.gridDim = dim3(1), p.blockDim = dim3(64), p.kernelParams = arguments;
  cudaGraphAddKernelNode(&work, g, &zero, 1, &p);
  cudaGraphAddMemcpyNode1D(&out, g, &work, 1, y, v, n * sizeof(double), cudaMemcpyDeviceToHost);
  cudaGraphInstantiate(&e, g, NULL, NULL, 0);
  for (int k = 0; k < 2; k++) {
    cudaGraphLaunch(e, 0);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; i++)
      s += y[i] * y[i] * (1 + (i + k) % 3);
    cudaGraphExecMemcpyNodeSetParams1D(e, which, of, list[1], n * sizeof(int), cudaMemcpyHostToDevice);
  }
  cudaGraphExecDestroy(e), cudaGraphDestroy(g);
  cudaFree(u), cudaFree(v), cudaFree(of);
  return s;
}

int main() {
  rgCheckGradient(captured, 12, 0.2);
  rgCheckGradient(nodes, 12, 0.3);
  return rgReport();
}
