// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Partitions and scans of groups, clocks, nvstd::function, placement new, traps, managed classes.
// RG-LEVELS: O0 O2
// RG-PLANS: mincut
#include "Check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/scan.h>
#include <cuda_runtime.h>
#include <nvfunctional>
namespace cg = cooperative_groups;
__global__ void cgs(const int *in, int *o, int *p) {
  __shared__ int s[64];
  auto b = cg::this_thread_block();
  cg::memcpy_async(b, s, in, sizeof(int) * 64);
  cg::wait(b);
  auto t = cg::tiled_partition<32>(b);
  int v = s[b.thread_rank()];
  o[b.thread_rank()] = cg::inclusive_scan(t, v, cg::plus<int>());
  o[64 + b.thread_rank()] = cg::exclusive_scan(t, v);
  auto l = cg::labeled_partition(t, v % 3);
  p[b.thread_rank()] = l.size() * 100 + l.thread_rank();
  auto bp = cg::binary_partition(t, v > 4);
  p[64 + b.thread_rank()] = bp.size();
}
__global__ void clocks(long long *o, unsigned *s) {
  long long a = clock64();
  clock_t b = clock();
  __nanosleep(10);
  o[0] = clock64() - a;
  unsigned id;
  asm("mov.u32 %0, %%laneid;" : "=r"(id));
  s[threadIdx.x] = id;
}
__global__ void nvf(int *o) {
  int k = 3;
  nvstd::function<int(int)> f = [=](int x) { return x * k; };
  o[threadIdx.x] = f(threadIdx.x);
}
struct Base {
  virtual __host__ __device__ int f() const { return 1; }
};
struct Der : Base {
  int v;
  __host__ __device__ Der(int v) : v(v) {}
  __host__ __device__ int f() const override { return v; }
};
__global__ void placement(int *o) {
  __shared__ char buf[64 * sizeof(Der)];
  Base *b = new (buf + threadIdx.x * sizeof(Der)) Der(threadIdx.x * 2);
  __syncthreads();
  o[threadIdx.x] = b->f();
}
template <class... A> __device__ int suma(A... a) { return (0 + ... + a); }
__global__ void varia(int *o) {
  o[0] = suma(1, 2, 3, (int)threadIdx.x);
  constexpr int t[] = {5, 6};
  o[1] = t[1];
  auto g = [](auto x) { return x + 1; };
  o[2] = g(41);
  if constexpr (sizeof(int) == 4)
    o[3] = 4;
}
__global__ void trapk(int *x) {
  if (x[0] == 1)
    __trap();
  x[1] = 2;
}
class Managed {
public:
  void *operator new(size_t n) {
    void *p;
    cudaMallocManaged(&p, n);
    cudaDeviceSynchronize();
    return p;
  }
  void operator delete(void *p) {
    cudaDeviceSynchronize();
    cudaFree(p);
  }
};
struct Elem : Managed {
  int v;
  Elem *next;
};
__global__ void walk(Elem *e, int *o) {
  int s = 0;
  for (; e; e = e->next)
    s += e->v;
  *o = s;
}
int main() {
  int *in, *o, *p;
  cudaMallocManaged(&in, 512);
  cudaMallocManaged(&o, 512);
  cudaMallocManaged(&p, 512);
  for (int i = 0; i < 64; i++)
    in[i] = (i * 5) % 9;
  cgs<<<1, 64>>>(in, o, p);
  CHECK(cudaDeviceSynchronize());
  for (int w = 0; w < 2; w++) {
    int a = 0;
    for (int i = 0; i < 32; i++) {
      EXPECT(o[64 + w * 32 + i] == a);
      a += in[w * 32 + i];
      EXPECT(o[w * 32 + i] == a);
      int n = 0, r = 0, big = 0;
      for (int j = 0; j < 32; j++) {
        if (in[w * 32 + j] % 3 == in[w * 32 + i] % 3) {
          n++;
          r += j < i;
        }
        big += (in[w * 32 + j] > 4) == (in[w * 32 + i] > 4);
      }
      EXPECT(p[w * 32 + i] == n * 100 + r);
      EXPECT(p[64 + w * 32 + i] == big);
    }
  }
  long long *c;
  unsigned *s;
  cudaMallocManaged(&c, 8);
  cudaMallocManaged(&s, 256);
  clocks<<<1, 64>>>(c, s);
  CHECK(cudaDeviceSynchronize());
  EXPECT(*c > 0 && s[40] == 8);
  nvf<<<1, 4>>>(o);
  CHECK(cudaDeviceSynchronize());
  EXPECT(o[3] == 9);
  placement<<<1, 64>>>(o);
  CHECK(cudaDeviceSynchronize());
  EXPECT(o[9] == 18);
  varia<<<1, 1>>>(o);
  CHECK(cudaDeviceSynchronize());
  EXPECT(o[0] == 6 && o[1] == 6 && o[2] == 42);
  Elem *e = nullptr;
  for (int i = 0; i < 5; i++) {
    Elem *n = new Elem;
    n->v = i;
    n->next = e;
    e = n;
  }
  walk<<<1, 1>>>(e, o);
  CHECK(cudaDeviceSynchronize());
  EXPECT(*o == 10);
  in[0] = 1;
  trapk<<<1, 1>>>(in);
  EXPECT(cudaDeviceSynchronize() != cudaSuccess);
  return finish();
}
