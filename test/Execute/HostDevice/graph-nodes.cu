// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs whose nodes the program adds: kernels of several signatures, with numbers and structs by value, chosen by
// name and by address; copies of rows and boxes, fills, functions of the host, empty nodes. Launched in loops; nodes
// that are added behind an instantiation are not in it. Kernels and copies that are changed between launches, in one
// of two instantiations, and nodes of all kinds in the graph itself; graphs in graphs; dependencies that are named later.
#include "gradients.h"
#include <cuda_runtime.h>

struct Field {
  double *at;
  double rate;
  int n;
};
__global__ void step(const double *u, double *v, double rate, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    v[i] = u[i] + rate * sin(u[(i + 1) % n]) * u[i];
}
__global__ void weigh(Field f, double a) {
  extern __shared__ double tile[];
  tile[threadIdx.x] = threadIdx.x < f.n ? f.at[threadIdx.x] : 0;
  __syncthreads();
  if (threadIdx.x < f.n)
    f.at[threadIdx.x] += f.rate * a * tile[(threadIdx.x + 1) % f.n] * tile[threadIdx.x];
}
__global__ void halve(Field f, double a) {
  if (threadIdx.x < f.n)
    f.at[threadIdx.x] *= 0.5 * a;
}

// A diamond: a copy, two kernels of which each depends on it, and one behind both.
double diamond(const double *x, int n) {
  double *u, *v, *w, y[64], s = 0, rate = 0.1 * x[0];
  cudaStream_t q;
  cudaGraph_t g;
  cudaGraphExec_t e;
  cudaGraphNode_t in, left, right, join, out;
  cudaStreamCreate(&q);
  cudaMalloc(&u, n * sizeof(double));
  cudaMalloc(&v, n * sizeof(double));
  cudaMalloc(&w, n * sizeof(double));
  cudaMemset(w, 0, n * sizeof(double));
  cudaGraphCreate(&g, 0);
  cudaGraphAddMemcpyNode1D(&in, g, nullptr, 0, u, x, n * sizeof(double), cudaMemcpyHostToDevice);
  cudaKernelNodeParams p = {};
  const double *from = u;
  double *to = v;
  void *arguments[] = {&from, &to, &rate, &n};
  p.func = (void *)step;
  p.gridDim = dim3(2);
  p.blockDim = dim3(16);
  p.kernelParams = arguments;
  cudaGraphAddKernelNode(&left, g, &in, 1, &p);
  to = w, rate = 0.3 * x[1];
  cudaGraphAddKernelNode(&right, g, &in, 1, &p);
  cudaGraphNode_t both[] = {left, right};
  from = w, to = v, rate = x[2];
  cudaGraphAddKernelNode(&join, g, both, 2, &p);
  cudaGraphAddMemcpyNode1D(&out, g, &join, 1, y, v, n * sizeof(double), cudaMemcpyDeviceToHost);
  cudaGraphInstantiate(&e, g, NULL, NULL, 0);
  from = v, to = w; // not in what is launched
  cudaGraphAddKernelNode(&join, g, &out, 1, &p);
  cudaGraphAddMemcpyNode1D(&out, g, &join, 1, y, w, n * sizeof(double), cudaMemcpyDeviceToHost);
  cudaGraphDestroy(g);
  cudaGraphLaunch(e, q);
  cudaStreamSynchronize(q);
  for (int i = 0; i < n; i++)
    s += y[i] * y[i] * (1 + i % 3);
  cudaGraphExecDestroy(e);
  cudaStreamDestroy(q);
  cudaFree(u), cudaFree(v), cudaFree(w);
  return s;
}

struct Seen {
  double *at, *sum;
  int n;
};
static void look(void *data) {
  Seen *seen = (Seen *)data;
  for (int i = 0; i < seen->n; i++)
    *seen->sum += seen->at[i] * seen->at[i];
}
__attribute__((noinline)) static cudaGraphNode_t kernel(cudaGraph_t g, cudaGraphNode_t after, void *function, Field f,
                                                        double a) {
  cudaGraphNode_t node;
  void *arguments[] = {&f, &a};
  cudaKernelNodeParams p = {function, dim3(1), dim3(32), 32 * sizeof(double), arguments, nullptr};
  cudaGraphAddKernelNode(&node, g, after ? &after : nullptr, after != nullptr, &p);
  return node;
}
// By a function, which adds kernels that it is given; the others' parameters by structs.
double steps(const double *x, int n) {
  double *d, *room, y[64] = {}, s = 0;
  Seen seen = {y, &s, n};
  cudaGraph_t g;
  cudaGraphExec_t e;
  cudaGraphNode_t last, node;
  cudaMalloc(&d, n * sizeof(double));
  cudaMalloc(&room, 2 * n * sizeof(double));
  cudaMemcpy(d, x, n * sizeof(double), cudaMemcpyHostToDevice);
  cudaGraphCreate(&g, 0);
  last = kernel(g, nullptr, (void *)weigh, Field{d, 0.4, n}, x[1]);
  for (int k = 0; k < 2; k++)
    last = kernel(g, last, k % 2 ? (void *)halve : (void *)weigh, Field{d, 0.2 + x[k], n}, 1.5 + x[2]);
  cudaGraphAddEmptyNode(&node, g, &last, 1);
  // Rows of two numbers, the second of which is cleared.
  cudaMemcpy3DParms box = {};
  box.srcPtr = make_cudaPitchedPtr(d, sizeof(double), sizeof(double), n);
  box.dstPtr = make_cudaPitchedPtr(room, 2 * sizeof(double), 2 * sizeof(double), n);
  box.extent = make_cudaExtent(sizeof(double), n, 1);
  box.kind = cudaMemcpyDeviceToDevice;
  cudaGraphAddMemcpyNode(&last, g, &node, 1, &box);
  cudaMemsetParams zero = {room + 1, 2 * sizeof(double), 0, 4, 2, (size_t)n};
  cudaGraphAddMemsetNode(&node, g, &last, 1, &zero);
  cudaGraphAddMemcpyNode1D(&last, g, &node, 1, y, room, n * sizeof(double), cudaMemcpyDeviceToHost);
  cudaHostNodeParams call = {look, &seen};
  cudaGraphAddHostNode(&node, g, &last, 1, &call);
  cudaGraphInstantiate(&e, g, 0);
  for (int k = 0; k < 3; k++)
    cudaGraphLaunch(e, 0);
  cudaDeviceSynchronize();
  cudaGraphExecDestroy(e), cudaGraphDestroy(g);
  cudaFree(d), cudaFree(room);
  return s;
}

// Two buffers in turns: one node, whose parameters change before each launch; then its kernel and a copy do.
double changes(const double *x, int n) {
  double *u, *v, y[2][64], s = 0, rate = 0.1 * x[0];
  cudaStream_t q;
  cudaGraph_t g;
  cudaGraphExec_t e, as_it_was;
  cudaGraphNode_t fill, node, out;
  cudaStreamCreate(&q);
  cudaMalloc(&u, n * sizeof(double));
  cudaMalloc(&v, n * sizeof(double));
  cudaMemcpy(u, x, n * sizeof(double), cudaMemcpyHostToDevice);
  cudaGraphCreate(&g, 0);
  cudaMemsetParams half = {v, 0, 0, 4, 2 * (size_t)(n / 2), 1};
  cudaGraphAddMemsetNode(&fill, g, nullptr, 0, &half);
  cudaKernelNodeParams p = {};
  void *forth[] = {&u, &v, &rate, &n}, *back[] = {&v, &u, &rate, &n};
  p.func = (void *)step;
  p.gridDim = dim3(2);
  p.blockDim = dim3(16);
  p.kernelParams = forth;
  cudaGraphAddKernelNode(&node, g, &fill, 1, &p);
  cudaGraphAddMemcpyNode1D(&out, g, &node, 1, y[0], v, n * sizeof(double), cudaMemcpyDeviceToHost);
  cudaGraphInstantiate(&e, g, 0);
  cudaGraphInstantiate(&as_it_was, g, 0);
  for (int k = 0; k < 4 + (x[2] > 0); k++) {
    rate = 0.1 * x[k] + 0.01 * k;
    p.kernelParams = k % 2 ? back : forth;
    cudaGraphExecKernelNodeSetParams(e, node, &p);
    cudaGraphExecMemcpyNodeSetParams1D(e, out, y[0], k % 2 ? u : v, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaGraphLaunch(e, q);
    cudaStreamSynchronize(q);
    s += y[0][k] * y[0][k + 1];
  }
  rate = 7 * x[3]; // of no kernel
  cudaGraphLaunch(as_it_was, q);
  Field f = {v, x[1], n};
  double a = 1 + x[2];
  void *weights[] = {&f, &a};
  cudaKernelNodeParams other = {(void *)weigh, dim3(1), dim3(32), 32 * sizeof(double), weights, nullptr};
  cudaGraphExecKernelNodeSetParams(as_it_was, node, &other);
  cudaGraphExecMemcpyNodeSetParams1D(as_it_was, out, y[1], v, n * sizeof(double), cudaMemcpyDeviceToHost);
  cudaGraphLaunch(as_it_was, q);
  cudaStreamSynchronize(q);
  for (int i = 0; i < n; i++)
    s += y[0][i] * y[1][i] * (1 + i % 3);
  cudaGraphExecDestroy(e), cudaGraphExecDestroy(as_it_was), cudaGraphDestroy(g);
  cudaStreamDestroy(q);
  cudaFree(u), cudaFree(v);
  return s;
}

// Two times a graph of two kernels, of which one is added later, in a graph with edges that are named at the end.
double parts(const double *x, int n) {
  double *u, *v, y[64], s = 0, rate = 0.1 * x[0];
  cudaGraph_t g, part;
  cudaGraphExec_t e;
  cudaGraphNode_t in, first, second, out, node;
  cudaMalloc(&u, n * sizeof(double));
  cudaMalloc(&v, n * sizeof(double));
  cudaGraphCreate(&g, 0);
  cudaGraphCreate(&part, 0);
  void *forth[] = {&u, &v, &rate, &n}, *back[] = {&v, &u, &rate, &n};
  cudaKernelNodeParams p = {(void *)step, dim3(2), dim3(16), 0, forth, nullptr};
  cudaGraphAddKernelNode(&node, part, nullptr, 0, &p);
  cudaGraphAddMemcpyNode1D(&in, g, nullptr, 0, u, x, n * sizeof(double), cudaMemcpyHostToDevice);
  cudaGraphAddChildGraphNode(&first, g, nullptr, 0, part);
  rate = 0.2 + x[1];
  p.kernelParams = back;
  cudaGraphAddKernelNode(&node, part, &node, 1, &p); // not in the first
  cudaGraphAddChildGraphNode(&second, g, nullptr, 0, part);
  cudaGraphAddMemcpyNode1D(&out, g, nullptr, 0, y, u, n * sizeof(double), cudaMemcpyDeviceToHost);
  cudaGraphNode_t from[] = {in, first, second}, to[] = {first, second, out};
#if CUDART_VERSION >= 13000
  cudaGraphAddDependencies(g, from, to, nullptr, 3);
#else
  cudaGraphAddDependencies(g, from, to, 3);
#endif
  cudaGraphDestroy(part);
  cudaGraphInstantiate(&e, g, 0);
  for (int k = 0; k < 2; k++)
    cudaGraphLaunch(e, 0);
  cudaDeviceSynchronize();
  for (int i = 0; i < n; i++)
    s += y[i] * y[i] * (1 + i % 3);
  cudaGraphExecDestroy(e), cudaGraphDestroy(g);
  cudaFree(u), cudaFree(v);
  return s;
}

// Nodes of each kind are changed in the graph, behind one instantiation, a clone and a use in another graph, which keep
// what they were; then in what is launched.
double altered(const double *x, int n) {
  double *u, *v, *w, y[2][64] = {}, sums[2] = {}, s = 0, rate = 0.1 * x[0];
  size_t bytes = n * sizeof(double);
  Seen seen[2] = {{y[0], &sums[0], n}, {y[1], &sums[1], n - 1}};
  cudaGraph_t g, twin, around;
  cudaGraphExec_t before, after, twice;
  cudaGraphNode_t in, fill, node, box, out, host, child;
  cudaMalloc(&u, bytes), cudaMalloc(&v, bytes), cudaMalloc(&w, 2 * bytes);
  cudaMemset(v, 0, bytes), cudaMemset(w, 0, 2 * bytes);
  cudaGraphCreate(&g, 0), cudaGraphCreate(&around, 0);
  cudaGraphAddMemcpyNode1D(&in, g, nullptr, 0, u, x, bytes, cudaMemcpyHostToDevice);
  cudaMemsetParams zero = {w, 0, 0, 4, 2, 1};
  cudaGraphAddMemsetNode(&fill, g, &in, 1, &zero);
  Field f = {u, x[1], n};
  double a = 1 + x[2];
  void *forth[] = {&u, &v, &rate, &n}, *weights[] = {&f, &a};
  cudaKernelNodeParams p = {(void *)step, dim3(2), dim3(16), 0, forth, nullptr};
  cudaKernelNodeParams q = {(void *)weigh, dim3(1), dim3(32), 32 * sizeof(double), weights, nullptr};
  cudaGraphAddKernelNode(&node, g, &fill, 1, &p);
  cudaMemcpy3DParms rows = {};
  rows.srcPtr = make_cudaPitchedPtr(v, sizeof(double), sizeof(double), n);
  rows.dstPtr = make_cudaPitchedPtr(w, 2 * sizeof(double), 2 * sizeof(double), n);
  rows.extent = make_cudaExtent(sizeof(double), n, 1);
  rows.kind = cudaMemcpyDeviceToDevice;
  cudaGraphAddMemcpyNode(&box, g, &node, 1, &rows);
  cudaGraphAddMemcpyNode1D(&out, g, &box, 1, y[0], w, bytes, cudaMemcpyDeviceToHost);
  cudaHostNodeParams call = {look, &seen[0]};
  cudaGraphAddHostNode(&host, g, &out, 1, &call);
  cudaGraphInstantiate(&before, g, 0);
  cudaGraphClone(&twin, g);
  cudaGraphAddChildGraphNode(&child, around, nullptr, 0, g);

  cudaGraphMemcpyNodeSetParams1D(in, u, x + 1, bytes - sizeof(double), cudaMemcpyHostToDevice);
  zero.dst = w + 3;
  cudaGraphMemsetNodeSetParams(fill, &zero);
  cudaGraphKernelNodeSetParams(node, &q);
  rows.srcPtr.ptr = u;
  rows.dstPtr.ptr = w + 1;
  cudaGraphMemcpyNodeSetParams(box, &rows);
  cudaGraphMemcpyNodeSetParams1D(out, y[1], w + 1, bytes, cudaMemcpyDeviceToHost);
  call.userData = &seen[1];
  cudaGraphHostNodeSetParams(host, &call);
  cudaGraphInstantiate(&after, g, 0);
  cudaGraphAddChildGraphNode(&child, around, &child, 1, g);
  cudaGraphInstantiate(&twice, around, 0);
  cudaGraphExec_t all[] = {before, after, twice, after, before};
  for (int k = 0; k < 5; k++) {
    if (k == 3) { // in what is launched, with the parameters of the other
      zero.dst = w + 5;
      cudaGraphExecMemsetNodeSetParams(after, fill, &zero);
      cudaGraphExecHostNodeSetParams(before, host, &call);
      cudaMemcpy3DParms line = {}; // of one row: CUDA changes no others in what is instantiated
      line.srcPtr = make_cudaPitchedPtr(w, bytes, bytes, 1);
      line.dstPtr = make_cudaPitchedPtr(y[1], bytes, bytes, 1);
      line.extent = make_cudaExtent(bytes, 1, 1);
      line.kind = cudaMemcpyDeviceToHost;
      cudaGraphExecMemcpyNodeSetParams(after, out, &line);
    }
    cudaGraphLaunch(all[k], 0);
    cudaDeviceSynchronize();
    s += (k + 1) * (sums[0] - 2 * sums[1]) + y[0][k] * y[1][k + 1];
  }
  cudaGraphInstantiate(&twice, twin, 0);
  cudaGraphLaunch(twice, 0);
  cudaDeviceSynchronize();
  s += sums[0];
  cudaGraphDestroy(g), cudaGraphDestroy(around), cudaGraphDestroy(twin);
  cudaFree(u), cudaFree(v), cudaFree(w);
  return s;
}

int main() {
  rgCheckGradient(altered, 20, 0.3);
  rgCheckGradient(diamond, 24, 0.3);
  rgCheckGradient(changes, 24, 0.3);
  rgCheckGradient(parts, 24, 0.3);
  rgCheckGradient(steps, 12, 0.2);
  return rgReport();
}
