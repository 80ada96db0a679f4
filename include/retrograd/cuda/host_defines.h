//===- host_defines.h - the words of CUDA's dialect -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef RETROGRAD_CUDA_HOST_DEFINES_H
#define RETROGRAD_CUDA_HOST_DEFINES_H

#if !defined(__CUDA__)
#error "this file is CUDA: compile it with rg-clang++ -x cuda --offload=cpu"
#endif

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
// One memory: every device variable could be managed. The mark tells which ones
// the host may change.
#define __managed__                                                            \
  __attribute__((device)) __attribute__((annotate("rg-managed")))
#define __grid_constant__ __attribute__((grid_constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __cluster_dims__(...)                                                  \
  __attribute__((unavailable("clusters of blocks are not part of "             \
                             "--offload=cpu (docs/user/CudaOnCpu.md)")))
#define __forceinline__ __inline__ __attribute__((always_inline))
// libstdc++ and others write __attribute__((__noinline__)): leave it a keyword
// of clang's.
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define __thread__ __thread
#define CUDARTAPI
#define CUDART_CB
#define CUDART_DEVICE __device__
#define CUDART_VERSION 12080

#endif
