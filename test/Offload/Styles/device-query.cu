// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a device-query program asks, occupancy, limits of launches.
// RG-LEVELS: O0 O2
// RG-PLANS: mincut
#include "Check.h"
#include <cuda_runtime.h>
__global__ void __launch_bounds__(256, 2) k(float *x, float a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = x[i] * a;
}
template <int N> __global__ void big(double *x) {
  extern __shared__ __align__(16) unsigned char raw[];
  double *s = reinterpret_cast<double *>(raw);
  s[threadIdx.x * N] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = s[(blockDim.x - 1 - threadIdx.x) * N];
}
struct ShmSize {
  size_t operator()(int bs) const { return bs * 8; }
};
int main() {
  int n, drv, rt;
  CHECK(cudaGetDeviceCount(&n));
  CHECK(cudaDriverGetVersion(&drv));
  CHECK(cudaRuntimeGetVersion(&rt));
  EXPECT(drv >= 12000 && rt >= 12000);
  cudaDeviceProp p;
  for (int d = 0; d < n; d++) {
    CHECK(cudaSetDevice(d));
    CHECK(cudaGetDeviceProperties(&p, d));
    printf("%s %d.%d %zu MB SM %d %d kHz mem %d kHz bus %d L2 %d const %zu shm %zu regs %d warp %d maxthr %d/%d dim %d "
           "%d %d grid %d %d %d pitch %zu align %zu ovl %d timeout %d integ %d map %d mode %d conc %d ecc %d pci %x:%x "
           "uva %d man %d\n",
           p.name, p.major, p.minor, p.totalGlobalMem >> 20, p.multiProcessorCount, p.clockRate, p.memoryClockRate,
           p.memoryBusWidth, p.l2CacheSize, p.totalConstMem, p.sharedMemPerBlock, p.regsPerBlock, p.warpSize,
           p.maxThreadsPerMultiProcessor, p.maxThreadsPerBlock, p.maxThreadsDim[0], p.maxThreadsDim[1],
           p.maxThreadsDim[2], p.maxGridSize[0], p.maxGridSize[1], p.maxGridSize[2], p.memPitch, p.textureAlignment,
           p.deviceOverlap, p.kernelExecTimeoutEnabled, p.integrated, p.canMapHostMemory, p.computeMode,
           p.concurrentKernels, p.ECCEnabled, p.pciBusID, p.pciDeviceID, p.unifiedAddressing, p.managedMemory);
  }
  printf("%d %d %zu %zu %d %d %d\n", p.asyncEngineCount, p.streamPrioritiesSupported, p.sharedMemPerMultiprocessor,
         p.sharedMemPerBlockOptin, p.pageableMemoryAccess, p.concurrentManagedAccess,
         p.singleToDoublePrecisionPerfRatio);
  int mg, bs;
  CHECK(cudaOccupancyMaxPotentialBlockSize(&mg, &bs, k, 0, 0));
  EXPECT(bs == 256);
  CHECK(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&mg, &bs, big<2>, ShmSize()));
  EXPECT(bs > 0);
  int nb;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&nb, k, 128, 0));
  EXPECT(nb >= 1);
  cudaFuncAttributes at;
  CHECK(cudaFuncGetAttributes(&at, k));
  EXPECT(at.maxThreadsPerBlock == 256);
  printf("%d %zu %zu\n", at.numRegs, at.constSizeBytes, at.localSizeBytes);
  double *x;
  CHECK(cudaMallocManaged(&x, 1024 * 8));
  for (int i = 0; i < 1024; i++)
    x[i] = i;
  big<8><<<1, 1024, 1024 * 64>>>(x);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(cudaFuncSetAttribute(big<8>, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
  CHECK(cudaFuncSetAttribute(big<8>, cudaFuncAttributePreferredSharedMemoryCarveout, 100));
  big<8><<<1, 1024, 1024 * 64>>>(x);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  EXPECT(x[0] == 1023);
  float *f;
  CHECK(cudaMallocManaged(&f, 4096));
  float two = 2;
  f[5] = 3;
  void *args[] = {&f, &two};
  CHECK(cudaLaunchKernel((const void *)k, dim3(4), dim3(256), args, 0, NULL));
  CHECK(cudaDeviceSynchronize());
  EXPECT(f[5] == 6);
  k<<<1, 512>>>(f, 1);
  EXPECT(cudaGetLastError() != cudaSuccess);
  k<<<dim3(1, 65536), 1>>>(f, 1);
  EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
  k<<<1, dim3(8, 8, 65)>>>(f, 1);
  EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
  k<<<1, 0>>>(f, 1);
  EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
  int v;
  CHECK(cudaDeviceGetAttribute(&v, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
  EXPECT(v == 227 * 1024);
  CHECK(cudaDeviceGetAttribute(&v, cudaDevAttrComputeCapabilityMajor, 0));
  EXPECT(v == 9);
  CHECK(cudaDeviceGetAttribute(&v, cudaDevAttrMaxThreadsPerBlock, 0));
  EXPECT(v == 1024);
  CHECK(cudaDeviceGetAttribute(&v, cudaDevAttrClockRate, 0));
  CHECK(cudaDeviceGetAttribute(&v, cudaDevAttrConcurrentManagedAccess, 0));
  size_t lim;
  CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 << 20));
  CHECK(cudaDeviceGetLimit(&lim, cudaLimitMallocHeapSize));
  EXPECT(lim == 64 << 20);
  return finish();
}
