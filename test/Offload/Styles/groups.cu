// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cooperative groups as the samples use them: a function of any group, tiles of tiles, coalesced threads.
// RG-LEVELS: O0 O2
// RG-PLANS: mincut
#include "Check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;
__device__ int sumReduction(cg::thread_group g, int *x, int val) {
  int lane = g.thread_rank();
  for (int i = g.size() / 2; i > 0; i /= 2) {
    x[lane] = val;
    g.sync();
    if (lane < i)
      val += x[lane + i];
    g.sync();
  }
  if (g.thread_rank() == 0)
    return val;
  else
    return -1;
}
__global__ void cgkernel(int *res, int *tiles) {
  cg::thread_block threadBlockGroup = cg::this_thread_block();
  extern __shared__ int workspace[];
  int input = threadBlockGroup.thread_rank();
  int output = sumReduction(threadBlockGroup, workspace, input);
  if (threadBlockGroup.thread_rank() == 0)
    *res = output;
  threadBlockGroup.sync();
  cg::thread_block_tile<16> tiledPartition16 = cg::tiled_partition<16>(threadBlockGroup);
  int workspaceOffset = threadBlockGroup.thread_rank() - tiledPartition16.thread_rank();
  input = tiledPartition16.thread_rank();
  output = sumReduction(tiledPartition16, workspace + workspaceOffset, input);
  if (tiledPartition16.thread_rank() == 0)
    tiles[threadBlockGroup.thread_rank() / 16] = output;
}
__global__ void dot(const float *a, const float *b, float *out, int n) {
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<32>(block);
  auto grid = cg::this_grid();
  float s = 0;
  for (int i = grid.thread_rank(); i < n; i += grid.size())
    s += a[i] * b[i];
  s = cg::reduce(tile, s, cg::plus<float>());
  if (tile.thread_rank() == 0)
    atomicAdd(out, s);
}
__global__ void compact(const int *in, int *out, int *cnt, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] > 0) {
    cg::coalesced_group active = cg::coalesced_threads();
    int base;
    if (active.thread_rank() == 0)
      base = atomicAdd(cnt, active.size());
    base = active.shfl(base, 0);
    out[base + active.thread_rank()] = in[i];
  }
}
__global__ void part(int *o) {
  auto b = cg::this_thread_block();
  auto w = cg::tiled_partition<32>(b);
  auto q = cg::tiled_partition<4>(w);
  o[b.thread_rank()] =
      q.shfl_xor((int)b.thread_rank(), 1) * 100 + q.meta_group_rank() + (q.any(b.thread_rank() == 5) ? 1000 : 0);
}
int main() {
  int *r, *t;
  CHECK(cudaMallocManaged(&r, 4));
  CHECK(cudaMallocManaged(&t, 64));
  cgkernel<<<1, 64, 64 * sizeof(int)>>>(r, t);
  CHECK(cudaDeviceSynchronize());
  EXPECT(*r == 63 * 64 / 2);
  for (int i = 0; i < 4; i++)
    EXPECT(t[i] == 120);
  const int n = 5000;
  float *a, *b, *o;
  cudaMallocManaged(&a, n * 4);
  cudaMallocManaged(&b, n * 4);
  cudaMallocManaged(&o, 4);
  *o = 0;
  double ref = 0;
  for (int i = 0; i < n; i++)
    a[i] = i % 5, b[i] = i % 3, ref += a[i] * b[i];
  dot<<<8, 128>>>(a, b, o, n);
  CHECK(cudaDeviceSynchronize());
  EXPECT(*o == ref);
  int *in, *out, *c;
  cudaMallocManaged(&in, n * 4);
  cudaMallocManaged(&out, n * 4);
  cudaMallocManaged(&c, 4);
  *c = 0;
  int rc = 0;
  long sum = 0, os = 0;
  for (int i = 0; i < n; i++) {
    in[i] = i % 4 - 1;
    if (in[i] > 0)
      rc++, sum += in[i];
  }
  compact<<<40, 128>>>(in, out, c, n);
  CHECK(cudaDeviceSynchronize());
  EXPECT(*c == rc);
  for (int i = 0; i < rc; i++)
    os += out[i];
  EXPECT(os == sum);
  int *p;
  cudaMallocManaged(&p, 64 * 4);
  part<<<1, 64>>>(p);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 64; i++)
    EXPECT(p[i] == (i ^ 1) * 100 + (i % 32) / 4 + (i / 4 == 1 ? 1000 : 0));
  return finish();
}
