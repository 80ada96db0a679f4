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
#include "retrograd_textures.inc"

// The overloads that take typed pointers and symbols by reference.
template <class _RgT>
static inline cudaError_t cudaMalloc(_RgT **_RgP, size_t _RgN) {
  return ::cudaMalloc((void **)_RgP, _RgN);
}
template <class _RgT>
static inline cudaError_t cudaMallocAsync(_RgT **_RgP, size_t _RgN,
                                          cudaStream_t _RgS) {
  return ::cudaMallocAsync((void **)_RgP, _RgN, _RgS);
}
template <class _RgT>
static inline cudaError_t cudaMallocPitch(_RgT **_RgP, size_t *Pitch,
                                          size_t _RgW, size_t _RgH) {
  return ::cudaMallocPitch((void **)_RgP, Pitch, _RgW, _RgH);
}
template <class _RgT>
static inline cudaError_t cudaMallocHost(_RgT **_RgP, size_t _RgN,
                                         unsigned = 0) {
  return ::cudaMallocHost((void **)_RgP, _RgN);
}
template <class _RgT>
static inline cudaError_t cudaHostAlloc(_RgT **_RgP, size_t _RgN,
                                        unsigned _RgF) {
  return ::cudaHostAlloc((void **)_RgP, _RgN, _RgF);
}
template <class _RgT>
static inline cudaError_t
cudaMallocManaged(_RgT **_RgP, size_t _RgN,
                  unsigned _RgF = cudaMemAttachGlobal) {
  return ::cudaMallocManaged((void **)_RgP, _RgN, _RgF);
}
template <class _RgT>
static inline cudaError_t cudaHostGetDevicePointer(_RgT **_RgD, void *_RgH,
                                                   unsigned _RgF) {
  return ::cudaHostGetDevicePointer((void **)_RgD, _RgH, _RgF);
}
template <class _RgT>
static inline cudaError_t
cudaMemcpyToSymbol(const _RgT &_RgS, const void *From, size_t _RgN,
                   size_t Offset = 0,
                   cudaMemcpyKind _RgK = cudaMemcpyHostToDevice) {
  return ::cudaMemcpyToSymbol((const void *)&_RgS, From, _RgN, Offset, _RgK);
}
template <class _RgT>
static inline cudaError_t
cudaMemcpyFromSymbol(void *To, const _RgT &_RgS, size_t _RgN, size_t Offset = 0,
                     cudaMemcpyKind _RgK = cudaMemcpyDeviceToHost) {
  return ::cudaMemcpyFromSymbol(To, (const void *)&_RgS, _RgN, Offset, _RgK);
}
template <class _RgT>
static inline cudaError_t cudaMemcpyToSymbolAsync(
    const _RgT &_RgS, const void *From, size_t _RgN, size_t Offset = 0,
    cudaMemcpyKind _RgK = cudaMemcpyHostToDevice, cudaStream_t St = 0) {
  return ::cudaMemcpyToSymbolAsync((const void *)&_RgS, From, _RgN, Offset,
                                   _RgK, St);
}
template <class _RgT>
static inline cudaError_t cudaMemcpyFromSymbolAsync(
    void *To, const _RgT &_RgS, size_t _RgN, size_t Offset = 0,
    cudaMemcpyKind _RgK = cudaMemcpyDeviceToHost, cudaStream_t St = 0) {
  return ::cudaMemcpyFromSymbolAsync(To, (const void *)&_RgS, _RgN, Offset,
                                     _RgK, St);
}
template <class _RgT>
static inline cudaError_t cudaGetSymbolAddress(void **_RgP, const _RgT &_RgS) {
  ::rg_cuda_symbol((const void *)&_RgS, sizeof(_RgS));
  return ::cudaGetSymbolAddress(_RgP, (const void *)&_RgS);
}
// The address as a pointer of its type, as in `cudaGetSymbolAddress(&p, v)`.
template <class _RgP, class _RgT>
static inline cudaError_t cudaGetSymbolAddress(_RgP **_RgA, const _RgT &_RgS) {
  return cudaGetSymbolAddress((void **)_RgA, _RgS);
}
template <class _RgT>
static inline cudaError_t cudaGetSymbolSize(size_t *_RgN, const _RgT &_RgS) {
  *_RgN = sizeof(_RgS);
  return cudaSuccess;
}
template <class _RgT>
static inline cudaError_t cudaLaunchKernel(_RgT *_RgF, dim3 _RgG, dim3 _RgB,
                                           void **_RgA, size_t Shared = 0,
                                           cudaStream_t _RgS = 0) {
  return ::cudaLaunchKernel((const void *)_RgF, _RgG, _RgB, _RgA, Shared, _RgS);
}
template <class _RgT>
static inline cudaError_t
cudaLaunchCooperativeKernel(_RgT *_RgF, dim3 _RgG, dim3 _RgB, void **_RgA,
                            size_t Shared = 0, cudaStream_t _RgS = 0) {
  return ::cudaLaunchCooperativeKernel((const void *)_RgF, _RgG, _RgB, _RgA,
                                       Shared, _RgS);
}
template <class _RgT>
static inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *_RgA,
                                                _RgT *_RgF) {
  return ::cudaFuncGetAttributes(_RgA, (const void *)_RgF);
}
template <class _RgT>
static inline cudaError_t
cudaFuncSetAttribute(_RgT *_RgF, cudaFuncAttribute _RgA, int _RgV) {
  return ::cudaFuncSetAttribute((const void *)_RgF, _RgA, _RgV);
}
template <class _RgT>
static inline cudaError_t cudaFuncSetCacheConfig(_RgT *_RgF,
                                                 cudaFuncCache _RgC) {
  return ::cudaFuncSetCacheConfig((const void *)_RgF, _RgC);
}
template <class _RgT>
static inline cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *_RgN, _RgT *_RgF, int _RgB,
                                              size_t Shared) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      _RgN, (const void *)_RgF, _RgB, Shared);
}
template <class _RgT>
static inline cudaError_t
cudaOccupancyMaxPotentialBlockSize(int *Grid, int *Block, _RgT _RgF,
                                   size_t Shared = 0, int Limit = 0) {
  cudaFuncAttributes _RgA;
  if (cudaError_t _RgE = ::cudaFuncGetAttributes(&_RgA, (const void *)_RgF))
    return _RgE;
  *Block = Limit && Limit < _RgA.maxThreadsPerBlock ? Limit
                                                    : _RgA.maxThreadsPerBlock;
  int PerProcessor = 0, Processors = 0;
  if (cudaError_t _RgE = ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(
          &PerProcessor, (const void *)_RgF, *Block, Shared))
    return _RgE;
  if (cudaError_t _RgE = ::cudaDeviceGetAttribute(
          &Processors, cudaDevAttrMultiProcessorCount, 0))
    return _RgE;
  *Grid = PerProcessor * Processors;
  return cudaSuccess;
}
/// The largest block that a processor can run, with the shared memory that
/// Shared says for its size.
template <class _RgT, class Fn>
static inline cudaError_t
cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *Grid, int *Block, _RgT _RgF,
                                               Fn Shared, int Limit = 0) {
  if (cudaError_t _RgE =
          ::cudaOccupancyMaxPotentialBlockSize(Grid, Block, _RgF, 0, Limit))
    return _RgE;
  for (int PerProcessor = 0; *Block > 0;
       *Block -= *Block % 32 ? *Block % 32 : 32) {
    if (cudaError_t _RgE = ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &PerProcessor, (const void *)_RgF, *Block, Shared(*Block)))
      return _RgE;
    if (PerProcessor)
      return cudaSuccess;
  }
  *Grid = 0;
  return cudaSuccess;
}
template <class _RgT>
static inline cudaError_t
cudaOccupancyMaxPotentialBlockSizeWithFlags(int *Grid, int *Block, _RgT _RgF,
                                            size_t Shared = 0, int Limit = 0,
                                            unsigned = 0) {
  return ::cudaOccupancyMaxPotentialBlockSize(Grid, Block, _RgF, Shared, Limit);
}
template <class _RgT>
static inline cudaError_t
cudaOccupancyAvailableDynamicSMemPerBlock(size_t *_RgN, _RgT *_RgF, int Blocks,
                                          int _RgB) {
  return ::cudaOccupancyAvailableDynamicSMemPerBlock(_RgN, (const void *)_RgF,
                                                     Blocks, _RgB);
}
template <class _RgT>
static inline cudaError_t cudaMallocFromPoolAsync(_RgT **_RgP, size_t _RgN,
                                                  cudaMemPool_t Pool,
                                                  cudaStream_t _RgS) {
  return ::cudaMallocFromPoolAsync((void **)_RgP, _RgN, Pool, _RgS);
}
template <class _RgT>
static inline cudaError_t
cudaStreamAttachMemAsync(cudaStream_t _RgS, _RgT *_RgP, size_t _RgN = 0,
                         unsigned _RgF = cudaMemAttachSingle) {
  return ::cudaStreamAttachMemAsync(_RgS, (void *)_RgP, _RgN, _RgF);
}
template <class... _RgP, class... _RgA>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *_RgC,
                                             void (*_RgF)(_RgP...),
                                             _RgA &&...Arguments) {
  return [&](_RgP... Own) {
    void *Addresses[] = {(void *)&Own..., nullptr};
    return ::cudaLaunchKernelExC(_RgC, (const void *)_RgF, Addresses);
  }(static_cast<_RgA &&>(Arguments)...);
}
// The format of elements of a type.
template <class _RgT>
static inline cudaChannelFormatDesc cudaCreateChannelDesc() {
  return rg_texture::format<_RgT>();
}
static inline cudaError_t cudaEventCreate(cudaEvent_t *_RgE, unsigned _RgF) {
  return ::cudaEventCreateWithFlags(_RgE, _RgF);
}
#endif

#endif
