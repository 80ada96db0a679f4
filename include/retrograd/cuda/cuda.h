//===- cuda.h - version of the interface that these headers follow -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef RETROGRAD_CUDA_CUDA_H
#define RETROGRAD_CUDA_CUDA_H

#define CUDA_VERSION 12080
typedef unsigned int cuuint32_t;
typedef unsigned long long cuuint64_t;
// The driver interface (cu*) is not provided: only the runtime interface
// (cuda*) is. What is missing is told by its name where it is used.
#define RG_MISSING(Name)                                                       \
  __attribute__((unavailable(                                                  \
      Name " is of the driver interface, which is not part of --offload=cpu: " \
           "use the runtime interface (docs/user/CudaOnCpu.md)")))
typedef int CUdevice RG_MISSING("CUdevice");
typedef struct CUctx_missing *CUcontext RG_MISSING("CUcontext");
typedef struct CUmod_missing *CUmodule RG_MISSING("CUmodule");
typedef struct CUfunc_missing *CUfunction RG_MISSING("CUfunction");
typedef unsigned long long CUdeviceptr RG_MISSING("CUdeviceptr");
typedef int CUresult RG_MISSING("CUresult");
#if defined(__cplusplus)
template <class... _RgA> RG_MISSING("cuInit") int cuInit(_RgA...);
template <class... _RgA> RG_MISSING("cuDeviceGet") int cuDeviceGet(_RgA...);
template <class... _RgA> RG_MISSING("cuCtxCreate") int cuCtxCreate(_RgA...);
template <class... _RgA> RG_MISSING("cuModuleLoad") int cuModuleLoad(_RgA...);
template <class... _RgA>
RG_MISSING("cuModuleLoadData")
int cuModuleLoadData(_RgA...);
template <class... _RgA>
RG_MISSING("cuLaunchKernel")
int cuLaunchKernel(_RgA...);
#endif
#undef RG_MISSING

#endif
