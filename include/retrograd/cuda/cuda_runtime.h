//===- cuda_runtime.h - the runtime interface, C++ forms -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef RETROGRAD_CUDA_RUNTIME_H
#define RETROGRAD_CUDA_RUNTIME_H
#define __CUDA_RUNTIME_H__

#include "cuda_runtime_api.h"
#include "vector_functions.h"

#include <time.h> // clock() of the host

#if defined(__cplusplus)
#if __cplusplus >= 201103L
#include <utility> // programs rely on what it brings, std::initializer_list for one
#endif
#include "retrograd_device.inc"

// The overloads that take typed pointers and symbols by reference.
template <class T> static inline cudaError_t cudaMalloc(T **P, size_t N) {
  return ::cudaMalloc((void **)P, N);
}
template <class T>
static inline cudaError_t cudaMallocAsync(T **P, size_t N, cudaStream_t S) {
  return ::cudaMallocAsync((void **)P, N, S);
}
template <class T>
static inline cudaError_t cudaMallocPitch(T **P, size_t *Pitch, size_t W,
                                          size_t H) {
  return ::cudaMallocPitch((void **)P, Pitch, W, H);
}
template <class T>
static inline cudaError_t cudaMallocHost(T **P, size_t N, unsigned = 0) {
  return ::cudaMallocHost((void **)P, N);
}
template <class T>
static inline cudaError_t cudaHostAlloc(T **P, size_t N, unsigned F) {
  return ::cudaHostAlloc((void **)P, N, F);
}
template <class T>
static inline cudaError_t cudaMallocManaged(T **P, size_t N,
                                            unsigned F = cudaMemAttachGlobal) {
  return ::cudaMallocManaged((void **)P, N, F);
}
template <class T>
static inline cudaError_t cudaHostGetDevicePointer(T **D, void *H, unsigned F) {
  return ::cudaHostGetDevicePointer((void **)D, H, F);
}
template <class T>
static inline cudaError_t
cudaMemcpyToSymbol(const T &S, const void *From, size_t N, size_t Offset = 0,
                   cudaMemcpyKind K = cudaMemcpyHostToDevice) {
  return ::cudaMemcpyToSymbol((const void *)&S, From, N, Offset, K);
}
template <class T>
static inline cudaError_t
cudaMemcpyFromSymbol(void *To, const T &S, size_t N, size_t Offset = 0,
                     cudaMemcpyKind K = cudaMemcpyDeviceToHost) {
  return ::cudaMemcpyFromSymbol(To, (const void *)&S, N, Offset, K);
}
template <class T>
static inline cudaError_t cudaMemcpyToSymbolAsync(
    const T &S, const void *From, size_t N, size_t Offset = 0,
    cudaMemcpyKind K = cudaMemcpyHostToDevice, cudaStream_t St = 0) {
  return ::cudaMemcpyToSymbolAsync((const void *)&S, From, N, Offset, K, St);
}
template <class T>
static inline cudaError_t
cudaMemcpyFromSymbolAsync(void *To, const T &S, size_t N, size_t Offset = 0,
                          cudaMemcpyKind K = cudaMemcpyDeviceToHost,
                          cudaStream_t St = 0) {
  return ::cudaMemcpyFromSymbolAsync(To, (const void *)&S, N, Offset, K, St);
}
template <class T>
static inline cudaError_t cudaGetSymbolAddress(void **P, const T &S) {
  return ::cudaGetSymbolAddress(P, (const void *)&S);
}
template <class T>
static inline cudaError_t cudaGetSymbolSize(size_t *N, const T &S) {
  *N = sizeof(S);
  return cudaSuccess;
}
template <class T>
static inline cudaError_t cudaLaunchKernel(T *F, dim3 G, dim3 B, void **A,
                                           size_t Shared = 0,
                                           cudaStream_t S = 0) {
  return ::cudaLaunchKernel((const void *)F, G, B, A, Shared, S);
}
template <class T>
static inline cudaError_t
cudaLaunchCooperativeKernel(T *F, dim3 G, dim3 B, void **A, size_t Shared = 0,
                            cudaStream_t S = 0) {
  return ::cudaLaunchCooperativeKernel((const void *)F, G, B, A, Shared, S);
}
template <class T>
static inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *A, T *F) {
  return ::cudaFuncGetAttributes(A, (const void *)F);
}
template <class T>
static inline cudaError_t cudaFuncSetAttribute(T *F, cudaFuncAttribute A,
                                               int V) {
  return ::cudaFuncSetAttribute((const void *)F, A, V);
}
template <class T>
static inline cudaError_t cudaFuncSetCacheConfig(T *F, cudaFuncCache C) {
  return ::cudaFuncSetCacheConfig((const void *)F, C);
}
template <class T>
static inline cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *N, T *F, int B,
                                              size_t Shared) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(N, (const void *)F, B,
                                                         Shared);
}
template <class T>
static inline cudaError_t
cudaOccupancyMaxPotentialBlockSize(int *Grid, int *Block, T F,
                                   size_t Shared = 0, int Limit = 0) {
  cudaFuncAttributes A;
  if (cudaError_t E = ::cudaFuncGetAttributes(&A, (const void *)F))
    return E;
  *Block = Limit && Limit < A.maxThreadsPerBlock ? Limit : A.maxThreadsPerBlock;
  int PerProcessor = 0, Processors = 0;
  if (cudaError_t E = ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(
          &PerProcessor, (const void *)F, *Block, Shared))
    return E;
  if (cudaError_t E = ::cudaDeviceGetAttribute(
          &Processors, cudaDevAttrMultiProcessorCount, 0))
    return E;
  *Grid = PerProcessor * Processors;
  return cudaSuccess;
}
/// The largest block that a processor can run, with the shared memory that
/// Shared says for its size.
template <class T, class Fn>
static inline cudaError_t
cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *Grid, int *Block, T F,
                                               Fn Shared, int Limit = 0) {
  if (cudaError_t E =
          ::cudaOccupancyMaxPotentialBlockSize(Grid, Block, F, 0, Limit))
    return E;
  for (int PerProcessor = 0; *Block > 0;
       *Block -= *Block % 32 ? *Block % 32 : 32) {
    if (cudaError_t E = ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &PerProcessor, (const void *)F, *Block, Shared(*Block)))
      return E;
    if (PerProcessor)
      return cudaSuccess;
  }
  *Grid = 0;
  return cudaSuccess;
}
template <class T>
static inline cudaError_t
cudaOccupancyMaxPotentialBlockSizeWithFlags(int *Grid, int *Block, T F,
                                            size_t Shared = 0, int Limit = 0,
                                            unsigned = 0) {
  return ::cudaOccupancyMaxPotentialBlockSize(Grid, Block, F, Shared, Limit);
}
template <class T>
static inline cudaError_t
cudaOccupancyAvailableDynamicSMemPerBlock(size_t *N, T *F, int Blocks, int B) {
  return ::cudaOccupancyAvailableDynamicSMemPerBlock(N, (const void *)F, Blocks,
                                                     B);
}
template <class T>
static inline cudaError_t
cudaMallocFromPoolAsync(T **P, size_t N, cudaMemPool_t Pool, cudaStream_t S) {
  return ::cudaMallocFromPoolAsync((void **)P, N, Pool, S);
}
template <class T>
static inline cudaError_t
cudaStreamAttachMemAsync(cudaStream_t S, T *P, size_t N = 0,
                         unsigned F = cudaMemAttachSingle) {
  return ::cudaStreamAttachMemAsync(S, (void *)P, N, F);
}
template <class... P, class... A>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *C,
                                             void (*F)(P...),
                                             A &&...Arguments) {
  return [&](P... Own) {
    void *Addresses[] = {(void *)&Own..., nullptr};
    return ::cudaLaunchKernelExC(C, (const void *)F, Addresses);
  }(static_cast<A &&>(Arguments)...);
}
static inline cudaError_t cudaEventCreate(cudaEvent_t *E, unsigned F) {
  return ::cudaEventCreateWithFlags(E, F);
}
#endif

#endif
