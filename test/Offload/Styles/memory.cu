// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory in two and three dimensions, symbols, pools, pinned and managed memory.
// RG-LEVELS: O0 O2
// RG-PLANS: mincut
#include "Check.h"
#include <cstring>
#include <cuda_runtime.h>
#include <vector>
__constant__ float coef[8];
__device__ int dcount;
__device__ float dtab[16];
__global__ void usec(float *o) {
  o[threadIdx.x] = coef[threadIdx.x % 8] + dtab[threadIdx.x % 16];
  atomicAdd(&dcount, 1);
}
__global__ void vol(cudaPitchedPtr p, int w, int h, int d) {
  char *ptr = (char *)p.ptr;
  size_t pitch = p.pitch, slice = pitch * h;
  for (int z = threadIdx.x; z < d; z += blockDim.x)
    for (int y = 0; y < h; y++) {
      float *row = (float *)(ptr + z * slice + y * pitch);
      for (int x = 0; x < w; x++)
        row[x] = x + 10 * y + 100 * z;
    }
}
__global__ void rows(float *d, size_t pitch, int w, int h) {
  int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y < h) {
    float *r = (float *)((char *)d + y * pitch);
    for (int x = 0; x < w; x++)
      r[x] *= 2;
  }
}
int main() {
  float hc[8];
  for (int i = 0; i < 8; i++)
    hc[i] = i;
  float ht[16];
  for (int i = 0; i < 16; i++)
    ht[i] = 100 * i;
  int zero = 0;
  CHECK(cudaMemcpyToSymbol(coef, hc, sizeof hc));
  CHECK(cudaMemcpyToSymbol(dtab, ht, sizeof ht));
  CHECK(cudaMemcpyToSymbol(dcount, &zero, sizeof zero));
  float *o;
  CHECK(cudaMalloc((void **)&o, 128));
  usec<<<1, 32>>>(o);
  float ho[32];
  CHECK(cudaMemcpy(ho, o, 128, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 32; i++)
    EXPECT(ho[i] == i % 8 + 100 * (i % 16));
  int c;
  CHECK(cudaMemcpyFromSymbol(&c, dcount, 4));
  EXPECT(c == 32);
  cudaExtent ext = make_cudaExtent(6 * sizeof(float), 4, 3);
  cudaPitchedPtr pp;
  CHECK(cudaMalloc3D(&pp, ext));
  CHECK(cudaMemset3D(pp, 0, ext));
  vol<<<1, 2>>>(pp, 6, 4, 3);
  std::vector<float> hv(72);
  cudaMemcpy3DParms prm = {0};
  prm.srcPtr = pp;
  prm.dstPtr = make_cudaPitchedPtr(hv.data(), 6 * sizeof(float), 6, 4);
  prm.extent = ext;
  prm.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3D(&prm));
  for (int z = 0; z < 3; z++)
    for (int y = 0; y < 4; y++)
      for (int x = 0; x < 6; x++)
        EXPECT(hv[(z * 4 + y) * 6 + x] == x + 10 * y + 100 * z);
  cudaMemcpy3DParms p2 = {};
  p2.srcPtr = pp;
  p2.srcPos = make_cudaPos(2 * sizeof(float), 1, 1);
  p2.dstPtr = make_cudaPitchedPtr(hv.data(), 2 * sizeof(float), 2, 2);
  p2.extent = make_cudaExtent(2 * sizeof(float), 2, 1);
  p2.kind = cudaMemcpyDefault;
  CHECK(cudaMemcpy3DAsync(&p2, 0));
  EXPECT(hv[0] == 112 && hv[3] == 123);
  size_t pitch;
  float *d2;
  CHECK(cudaMallocPitch((void **)&d2, &pitch, 10 * 4, 7));
  std::vector<float> h2(70, 1.5f);
  CHECK(cudaMemcpy2D(d2, pitch, h2.data(), 40, 40, 7, cudaMemcpyHostToDevice));
  rows<<<2, 4>>>(d2, pitch, 10, 7);
  CHECK(cudaMemcpy2D(h2.data(), 40, d2, pitch, 40, 7, cudaMemcpyDeviceToHost));
  EXPECT(h2[69] == 3);
  CHECK(cudaMemset2DAsync(d2, pitch, 0, 40, 7, 0));
  cudaStream_t s;
  CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  float *hp, *dp;
  CHECK(cudaHostAlloc(&hp, 4096, cudaHostAllocMapped | cudaHostAllocPortable));
  CHECK(cudaHostGetDevicePointer((void **)&dp, hp, 0));
  hp[3] = 9;
  rows<<<1, 1, 0, s>>>(dp, 4096, 10, 1);
  CHECK(cudaStreamSynchronize(s));
  EXPECT(hp[3] == 18);
  unsigned fl;
  CHECK(cudaHostGetFlags(&fl, hp));
  EXPECT(fl & cudaHostAllocMapped);
  float *am;
  CHECK(cudaMallocAsync((void **)&am, 256, s));
  CHECK(cudaMemsetAsync(am, 0, 256, s));
  CHECK(cudaFreeAsync(am, s));
  size_t f, t;
  CHECK(cudaMemGetInfo(&f, &t));
  EXPECT(f > 0 && f <= t);
  cudaMemPool_t pool;
  CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
  unsigned long long thr = ~0ull;
  CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &thr));
  int peer;
  CHECK(cudaDeviceCanAccessPeer(&peer, 0, 0));
  EXPECT(peer == 0);
  float *mg;
  CHECK(cudaMallocManaged(&mg, 1024));
  CHECK(cudaMemAdvise(mg, 1024, cudaMemAdviseSetReadMostly, 0));
  CHECK(cudaMemPrefetchAsync(mg, 1024, cudaCpuDeviceId, s));
  CHECK(cudaStreamAttachMemAsync(s, mg, 0, cudaMemAttachGlobal));
  EXPECT(cudaMalloc((void **)&o, (size_t)1 << 50) == cudaErrorMemoryAllocation);
  EXPECT(cudaPeekAtLastError() == cudaErrorMemoryAllocation);
  EXPECT(cudaGetLastError() == cudaErrorMemoryAllocation);
  EXPECT(cudaGetLastError() == cudaSuccess);
  CHECK(cudaFree(0));
  CHECK(cudaFreeHost(hp));
  CHECK(cudaFree(pp.ptr));
  CHECK(cudaStreamDestroy(s));
  char id[32];
  CHECK(cudaDeviceGetPCIBusId(id, 32, 0));
  CHECK(cudaThreadExit());
  return finish();
}
