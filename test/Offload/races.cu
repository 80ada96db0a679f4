// More races, each at its line: several writers, warps that only a barrier of the warp keeps apart, atomics beside
// plain stores, dynamic shared memory that was not written, a loop that lacks its second barrier, blocks without a
// barrier of the grid. And what barriers of the block and the grid order.
// RUN: %rgcxx --offload=cpu -O0 -rg-check-races -rg-check-uninitialized %s -o %t.0
// RUN: %t.0 6 2>&1 | FileCheck --check-prefix=FINE %s
// RUN: not %t.0 7 2>&1 | FileCheck --check-prefix=CALLED %s
// RUN: %rgcxx --offload=cpu -O2 -rg-check-races -rg-check-uninitialized %s -o %t
// RUN: not %t 0 2>&1 | FileCheck --check-prefix=WRITERS %s
// RUN: not %t 1 2>&1 | FileCheck --check-prefix=WARPS %s
// RUN: not %t 2 2>&1 | FileCheck --check-prefix=ATOMIC %s
// RUN: not %t 3 2>&1 | FileCheck --check-prefix=UNSET %s
// RUN: not %t 4 2>&1 | FileCheck --check-prefix=LOOP %s
// RUN: not %t 5 2>&1 | FileCheck --check-prefix=GRID %s
// RUN: %t 6 2>&1 | FileCheck --check-prefix=FINE %s
// RUN: not %t 7 2>&1 | FileCheck --check-prefix=CALLED %s
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

__global__ void writers(int *X) {
  __shared__ int S;
  // WRITERS: races.cu:[[@LINE+1]]:{{[0-9]+}}: error: race in kernel 'writers': thread (1,0,0) of block (0,0,0) writes shared memory that thread (0,0,0) of block (0,0,0) writes, without a barrier between [RG1602]
  S = threadIdx.x;
  __syncthreads();
  X[threadIdx.x] = S;
}
__global__ void warps(int *X) {
  __shared__ int S[64];
  S[threadIdx.x] = 0;
  __syncthreads();
  S[threadIdx.x] = threadIdx.x;
  __syncwarp();
  // WARPS: race in kernel 'warps': {{.*}} shared memory {{.*}}, without a barrier between [RG1602]
  // WARPS-DAG: races.cu:[[@LINE+1]]:{{[0-9]+}}:
  X[threadIdx.x] = S[63 - threadIdx.x];
}
__global__ void mixed(int *X) {
  if (threadIdx.x < 32)
    atomicAdd(X, 1);
  else
    // ATOMIC: races.cu:[[@LINE+1]]:{{[0-9]+}}: error: race in kernel 'mixed': thread (32,0,0) of block (0,0,0) writes global memory that thread (31,0,0)
    X[0] = 5;
}
__global__ void unset(float *X) {
  extern __shared__ float D[];
  if (threadIdx.x != 7)
    D[threadIdx.x] = 1;
  __syncthreads();
  // UNSET: races.cu:[[@LINE+1]]:{{[0-9]+}}: error: kernel 'unset': thread (7,0,0) of block (0,0,0) reads shared memory that no thread of its block has written [RG1604]
  X[threadIdx.x] = D[threadIdx.x];
}
__global__ void loop(int *X) {
  __shared__ int S[64];
  for (int K = 0; K < 3; ++K) {
    S[threadIdx.x] = X[threadIdx.x] + K;
    __syncthreads();
    // LOOP: race in kernel 'loop': {{.*}} shared memory
    X[threadIdx.x] = S[(threadIdx.x + 1) % 64];
  }
}
__global__ void grid(int *X, int Meet) {
  X[blockIdx.x] = blockIdx.x;
  if (Meet)
    cooperative_groups::this_grid().sync();
  // GRID: race in kernel 'grid': thread (0,0,0) of block {{.*}} global memory that thread (0,0,0) of block {{.*}}, in the same launch [RG1602]
  X[64 + blockIdx.x] = X[(blockIdx.x + 1) % gridDim.x];
}
// FINE-NOT: error
// FINE: done
__global__ void fine(int *X) {
  __shared__ int S[64];
  S[threadIdx.x] = X[threadIdx.x];
  __syncthreads();
  for (int H = 32; H; H /= 2) {
    int V = threadIdx.x < H ? S[threadIdx.x + H] : 0;
    __syncthreads();
    if (threadIdx.x < H)
      S[threadIdx.x] += V;
    __syncthreads();
  }
  if (threadIdx.x == 0)
    atomicAdd(&X[100], S[0]);
}

// Shared memory of a function that is not inlined is the block's, too.
__device__ __noinline__ int called(int V) {
  static __shared__ int S[64];
  S[threadIdx.x] = V;
  return S[threadIdx.x];
}
__device__ __noinline__ int unsetIn(int V) {
  static __shared__ int S[64];
  if (V)
    S[threadIdx.x] = V;
  // CALLED-NOT: error
  // CALLED: races.cu:[[@LINE+1]]:{{[0-9]+}}: error: kernel 'calling': thread (0,0,0) of block (0,0,0) reads shared memory that no thread of its block has written [RG1604]
  return S[threadIdx.x];
}
__global__ void calling(int *X, bool Unset) {
  int I = blockIdx.x * 64 + threadIdx.x;
  X[I] = called(I);
  if (Unset)
    X[I] = unsetIn(I);
}

int main(int, char **Arguments) {
  int *X, Meet = 1, Not = 0;
  cudaMallocManaged(&X, 4096);
  for (int I = 0; I < 1024; ++I)
    X[I] = 1;
  void *Together[] = {&X, &Meet}, *Apart[] = {&X, &Not};
  switch (atoi(Arguments[1])) {
  case 0:
    writers<<<1, 64>>>(X);
    break;
  case 1:
    warps<<<1, 64>>>(X);
    break;
  case 2:
    mixed<<<1, 64>>>(X);
    break;
  case 3:
    unset<<<1, 64, 256>>>((float *)X);
    break;
  case 4:
    loop<<<1, 64>>>(X);
    break;
  case 5:
    cudaLaunchCooperativeKernel(grid, dim3(6), dim3(1), Apart);
    break;
  case 6:
    fine<<<4, 64>>>(X);
    calling<<<4, 64>>>(X, false);
    cudaLaunchCooperativeKernel(grid, dim3(6), dim3(1), Together);
    break;
  case 7:
    calling<<<4, 64>>>(X, true);
    break;
  }
  printf("done\n");
  return cudaDeviceSynchronize();
}
