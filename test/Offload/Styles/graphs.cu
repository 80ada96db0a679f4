// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Breadth-first search in two ways, shortest paths, sparse matrices by warps, page rank.
// RG-LEVELS: O0 O2
// RG-PLANS: mincut
#include "Check.h"
#include <cuda_runtime.h>
#include <queue>
#include <vector>
struct Node {
  int starting, no_of_edges;
};
__global__ void Kernel(Node *g, int *e, bool *mask, bool *upd, bool *vis, int *cost, int n) {
  int tid = blockIdx.x * 256 + threadIdx.x;
  if (tid < n && mask[tid]) {
    mask[tid] = false;
    for (int i = g[tid].starting; i < (g[tid].no_of_edges + g[tid].starting); i++) {
      int id = e[i];
      if (!vis[id]) {
        cost[id] = cost[tid] + 1;
        upd[id] = true;
      }
    }
  }
}
__global__ void Kernel2(bool *mask, bool *upd, bool *vis, bool *over, int n) {
  int tid = blockIdx.x * 256 + threadIdx.x;
  if (tid < n && upd[tid]) {
    mask[tid] = true;
    vis[tid] = true;
    *over = true;
    upd[tid] = false;
  }
}
__global__ void frontier(const int *off, const int *adj, int *dist, const int *in, int nin, int *out, int *nout,
                         int level) {
  __shared__ int buf[256], cnt, base;
  if (threadIdx.x == 0)
    cnt = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < nin) {
    int u = in[i];
    for (int k = off[u]; k < off[u + 1]; k++) {
      int v = adj[k];
      if (atomicCAS(&dist[v], -1, level) == -1) {
        int p = atomicAdd(&cnt, 1);
        if (p < 256)
          buf[p] = v;
        else
          out[atomicAdd(nout, 1)] = v;
      }
    }
  }
  __syncthreads();
  int c = min(cnt, 256);
  if (threadIdx.x == 0)
    base = atomicAdd(nout, c);
  __syncthreads();
  for (int k = threadIdx.x; k < c; k += blockDim.x)
    out[base + k] = buf[k];
}
__global__ void floyd(int *d, int n, int k) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
  if (j >= n)
    return;
  __shared__ int best;
  if (threadIdx.x == 0)
    best = d[i * n + k];
  __syncthreads();
  if (best == 1 << 20)
    return;
  int t = d[k * n + j] + best;
  if (t < d[i * n + j])
    d[i * n + j] = t;
}
__global__ void spmv_warp(const int *rp, const int *ci, const double *v, const double *x, double *y, int rows) {
  int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32, l = threadIdx.x & 31;
  if (w < rows) {
    double s = 0;
    for (int k = rp[w] + l; k < rp[w + 1]; k += 32)
      s += v[k] * __ldg(&x[ci[k]]);
    for (int o = 16; o; o >>= 1)
      s += __shfl_down_sync(0xffffffff, s, o);
    if (l == 0)
      y[w] = s;
  }
}
__global__ void pagerank(const int *rp, const int *ci, const float *in, float *out, const int *deg, int n, float *err) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float d = 0;
  if (i < n) {
    float s = 0;
    for (int k = rp[i]; k < rp[i + 1]; k++)
      s += in[ci[k]] / deg[ci[k]];
    out[i] = .15f / n + .85f * s;
    d = fabsf(out[i] - in[i]);
  }
  d = __syncthreads_or(d > 1e-4f);
  if (threadIdx.x == 0 && d)
    atomicAdd(err, 1.f);
}
int main() {
  int n = 2000;
  std::vector<std::vector<int>> a(n);
  unsigned z = 7;
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 1 + i % 5; k++) {
      z = z * 1103515245 + 12345;
      a[i].push_back((z >> 8) % n);
    }
  for (int i = 0; i + 1 < n; i += 1)
    if (i % 50)
      a[i].push_back(i + 1);
  int m = 0;
  for (auto &v : a)
    m += v.size();
  Node *g;
  int *e, *off, *cost, *dist;
  bool *mask, *upd, *vis, *over;
  cudaMallocManaged(&g, n * 8);
  cudaMallocManaged(&e, m * 4);
  cudaMallocManaged(&off, (n + 1) * 4);
  cudaMallocManaged(&cost, n * 4);
  cudaMallocManaged(&dist, n * 4);
  cudaMallocManaged(&mask, n);
  cudaMallocManaged(&upd, n);
  cudaMallocManaged(&vis, n);
  cudaMallocManaged(&over, 1);
  int p = 0;
  for (int i = 0; i < n; i++) {
    g[i] = {p, (int)a[i].size()};
    off[i] = p;
    for (int v : a[i])
      e[p++] = v;
    mask[i] = upd[i] = vis[i] = false;
    cost[i] = dist[i] = -1;
  }
  off[n] = p;
  std::vector<int> ref(n, -1);
  std::queue<int> q;
  q.push(3);
  ref[3] = 0;
  while (!q.empty()) {
    int u = q.front();
    q.pop();
    for (int v : a[u])
      if (ref[v] < 0)
        ref[v] = ref[u] + 1, q.push(v);
  }
  mask[3] = vis[3] = true;
  cost[3] = 0;
  do {
    *over = false;
    Kernel<<<(n + 255) / 256, 256>>>(g, e, mask, upd, vis, cost, n);
    Kernel2<<<(n + 255) / 256, 256>>>(mask, upd, vis, over, n);
    CHECK(cudaDeviceSynchronize());
  } while (*over);
  for (int i = 0; i < n; i++)
    EXPECT(cost[i] == ref[i]);
  int *f0, *f1, *nn;
  cudaMallocManaged(&f0, n * 4);
  cudaMallocManaged(&f1, n * 4);
  cudaMallocManaged(&nn, 4);
  f0[0] = 3;
  dist[3] = 0;
  int cur = 1, lev = 1;
  while (cur) {
    *nn = 0;
    frontier<<<(cur + 127) / 128, 128>>>(off, e, dist, f0, cur, f1, nn, lev++);
    CHECK(cudaDeviceSynchronize());
    cur = *nn;
    std::swap(f0, f1);
  }
  for (int i = 0; i < n; i++)
    EXPECT(dist[i] == ref[i]);
  int N = 60, *d;
  cudaMallocManaged(&d, N * N * 4);
  std::vector<int> fw(N * N);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      fw[i * N + j] = d[i * N + j] = i == j ? 0 : (i * 13 + j * 7) % 11 < 2 ? 1 + (i + j) % 9 : 1 << 20;
  for (int k = 0; k < N; k++) {
    floyd<<<dim3(2, N), 32>>>(d, N, k);
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        if (fw[i * N + k] + fw[k * N + j] < fw[i * N + j])
          fw[i * N + j] = fw[i * N + k] + fw[k * N + j];
  }
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < N * N; i++)
    EXPECT(d[i] == fw[i] || fw[i] >= 1 << 20);
  double *v, *x, *y;
  cudaMallocManaged(&v, m * 8);
  cudaMallocManaged(&x, n * 8);
  cudaMallocManaged(&y, n * 8);
  for (int i = 0; i < m; i++)
    v[i] = i % 9;
  for (int i = 0; i < n; i++)
    x[i] = i % 4;
  spmv_warp<<<(n * 32 + 127) / 128, 128>>>(off, e, v, x, y, n);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int k = off[i]; k < off[i + 1]; k++)
      s += v[k] * x[e[k]];
    EXPECT(y[i] == s);
  }
  float *r0, *r1, *er;
  int *deg;
  cudaMallocManaged(&r0, n * 4);
  cudaMallocManaged(&r1, n * 4);
  cudaMallocManaged(&er, 4);
  cudaMallocManaged(&deg, n * 4);
  for (int i = 0; i < n; i++)
    r0[i] = 1.f / n, deg[i] = 0;
  for (int i = 0; i < m; i++)
    deg[e[i]]++;
  int it = 0;
  do {
    *er = 0;
    pagerank<<<(n + 127) / 128, 128>>>(off, e, r0, r1, deg, n, er);
    CHECK(cudaDeviceSynchronize());
    std::swap(r0, r1);
  } while (*er > 0 && ++it < 100);
  EXPECT(it < 100);
  return finish();
}
