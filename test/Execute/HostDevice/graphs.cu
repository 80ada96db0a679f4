// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs that streams capture, in a differentiated program: launched in loops and on changed data; copies, fills and
// kernels in two streams; numbers and structs by value, variables of the device; updates; captured and launched by
// different functions.
#include "gradients.h"
#include <cuda_runtime.h>

__global__ void step(const double *u, double *v, double rate, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    v[i] = u[i] + rate * sin(u[(i + 1) % n]) * u[i];
}
// A time loop over two buffers, recorded once; the rate is a number by value.
double loop(const double *x, int n) {
  double *u, *v, y[64], s = 0;
  cudaStream_t q;
  cudaGraph_t g;
  cudaGraphExec_t e;
  cudaStreamCreate(&q);
  cudaMalloc(&u, n * sizeof(double));
  cudaMalloc(&v, n * sizeof(double));
  cudaMemcpy(u, x, n * sizeof(double), cudaMemcpyHostToDevice);
  cudaStreamBeginCapture(q, cudaStreamCaptureModeGlobal);
  step<<<2, 16, 0, q>>>(u, v, 0.1 * x[0], n);
  step<<<2, 16, 0, q>>>(v, u, 0.2 * x[1], n);
  cudaStreamEndCapture(q, &g);
  cudaGraphInstantiate(&e, g, NULL, NULL, 0);
  cudaGraphDestroy(g);
  for (int k = 0; k < 2 + (x[2] > 0); k++)
    cudaGraphLaunch(e, q);
  cudaStreamSynchronize(q);
  cudaMemcpy(y, u, n * sizeof(double), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; i++)
    s += y[i] * y[i] * (1 + i % 3);
  cudaGraphExecDestroy(e);
  cudaStreamDestroy(q);
  cudaFree(u), cudaFree(v);
  return s;
}

__global__ void addProduct(const double *a, const double *b, double *c, int n) {
  int i = threadIdx.x;
  if (i < n)
    c[i] += a[i] * b[n - 1 - i];
}
// Copies from memory of the host, which has other numbers at each launch; a fill; a branch in another stream.
double changed(const double *x, int n) {
  double *a, *b, *c, h[64], y[64], s = 0;
  cudaStream_t one, two;
  cudaEvent_t fork, join;
  cudaGraph_t g;
  cudaGraphExec_t e;
  cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&fork, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&join, cudaEventDisableTiming);
  cudaMalloc(&a, n * sizeof(double));
  cudaMalloc(&b, n * sizeof(double));
  cudaMalloc(&c, n * sizeof(double));
  cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal);
  cudaEventRecord(fork, one);
  cudaStreamWaitEvent(two, fork, 0);
  cudaMemcpyAsync(a, h, n * sizeof(double), cudaMemcpyHostToDevice, one);
  cudaMemcpyAsync(b, x, n * sizeof(double), cudaMemcpyHostToDevice, two);
  step<<<1, 32, 0, two>>>(b, c, 0.3, n);
  cudaMemsetAsync(c, 0, n / 2 * sizeof(double), two);
  cudaEventRecord(join, two);
  cudaStreamWaitEvent(one, join, 0);
  addProduct<<<1, 32, 0, one>>>(a, b, c, n);
  cudaMemcpyAsync(y, c, n * sizeof(double), cudaMemcpyDeviceToHost, one);
  cudaStreamEndCapture(one, &g);
  cudaGraphInstantiate(&e, g, 0);
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < n; i++)
      h[i] = k ? y[i] * 0.3 + x[i] * x[i] : x[(i + 2) % n];
    cudaGraphLaunch(e, one);
    cudaStreamSynchronize(one);
  }
  for (int i = 0; i < n; i++)
    s += y[i] * y[i] * (1 + i % 4);
  cudaGraphExecDestroy(e), cudaGraphDestroy(g);
  cudaEventDestroy(fork), cudaEventDestroy(join);
  cudaStreamDestroy(one), cudaStreamDestroy(two);
  cudaFree(a), cudaFree(b), cudaFree(c);
  return s;
}

struct Field {
  double *at;
  double scale;
  int n;
};
__constant__ double weights[64];
template <class T> __global__ void weigh(Field f, T power) {
  int i = threadIdx.x;
  if (i < f.n)
    f.at[i] = f.scale * f.at[i] * f.at[i] + power * weights[i];
}
struct Run {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  bool made;
};
static int refused;
static void record(Run &r, Field f, double power, int times) {
  cudaStreamBeginCapture(r.stream, cudaStreamCaptureModeThreadLocal);
  for (int k = 0; k < times; k++)
    weigh<<<1, 32, 0, r.stream>>>(f, power + k);
  weigh<<<1, 32, 0, r.stream>>>(f, 1.5f);
  cudaStreamEndCapture(r.stream, &r.graph);
  cudaGraphExecUpdateResultInfo info;
  if (r.made && cudaGraphExecUpdate(r.exec, r.graph, &info) != cudaSuccess) {
    refused++, cudaGetLastError(); // it has more kernels than that one
    r.made = info.result != cudaGraphExecUpdateErrorTopologyChanged;
    cudaGraphExecDestroy(r.exec);
  }
  if (!r.made)
    cudaGraphInstantiateWithFlags(&r.exec, r.graph, 0);
  r.made = true;
  cudaGraphDestroy(r.graph);
}
__attribute__((noinline)) static void play(const Run &r) { cudaGraphLaunch(r.exec, r.stream); }
// Recorded and launched elsewhere; updated with other numbers; operations in between that are in no graph.
double updated(const double *x, int n) {
  double *d, y[64], s = 0;
  Run r = {};
  cudaStreamCreate(&r.stream);
  cudaMalloc(&d, n * sizeof(double));
  cudaMemcpyToSymbol(weights, x, n * sizeof(double));
  cudaMemcpy(d, x, n * sizeof(double), cudaMemcpyHostToDevice);
  for (int k = 0; k < 3; k++) {
    record(r, Field{d, 0.2 + 0.1 * x[k], n}, 0.1 * x[3 + k], 1 + (k > 1));
    play(r);
    weigh<<<1, 32, 0, r.stream>>>(Field{d, 0.4, n}, x[5]);
    play(r);
  }
  cudaStreamSynchronize(r.stream);
  cudaMemcpy(y, d, n * sizeof(double), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; i++)
    s += y[i] * (1 + i % 5);
  cudaGraphExecDestroy(r.exec);
  cudaStreamDestroy(r.stream);
  cudaFree(d);
  return s;
}

// A function of the host in the graph, a clone, a graph that is made when it is first needed.
struct Seen {
  double *at, *sum;
  int n;
};
static void look(void *data) {
  Seen *seen = (Seen *)data;
  for (int i = 0; i < seen->n; i++)
    *seen->sum += seen->at[i] * seen->at[i];
}
double called(const double *x, int n) {
  double *d, y[64], s = 0;
  Seen seen = {y, &s, n};
  cudaStream_t q;
  cudaGraph_t g, copy;
  cudaGraphExec_t e = nullptr;
  cudaStreamCreate(&q);
  cudaMalloc(&d, n * sizeof(double));
  cudaMemcpyAsync(d, x, n * sizeof(double), cudaMemcpyHostToDevice, q);
  for (int k = 0; k < 3; k++) {
    if (!e) {
      cudaStreamBeginCapture(q, cudaStreamCaptureModeRelaxed);
      weigh<<<1, 32, 0, q>>>(Field{d, 0.5, n}, x[1]);
      cudaMemcpyAsync(y, d, n * sizeof(double), cudaMemcpyDefault, q);
      cudaLaunchHostFunc(q, look, &seen);
      cudaStreamEndCapture(q, &g);
      cudaGraphClone(&copy, g);
      cudaGraphDestroy(g);
      cudaGraphInstantiate(&e, copy, 0);
    }
    cudaGraphLaunch(e, q);
  }
  cudaStreamSynchronize(q);
  cudaGraphExecDestroy(e), cudaGraphDestroy(copy);
  cudaStreamDestroy(q);
  cudaFree(d);
  return s;
}

int main() {
  rgCheckGradient(loop, 24, 0.3);
  rgCheckGradient(changed, 12, 0.3);
  rgCheckGradient(updated, 16, 0.2);
  RG_TRUE(refused == 3 + 2 * 16);
  rgCheckGradient(called, 12, 0.2);
  return rgReport();
}
