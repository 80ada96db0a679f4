//===- retrograd_cuda.h - included before every CUDA source, as nvcc does -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device functions come from clang's own CUDA headers, which need no CUDA
// toolkit by themselves: they call libdevice's names (__nv_sin) and NVVM's
// builtins. The toolkit's half (types, atomics, the runtime interface) is ours.
//
#ifndef RETROGRAD_CUDA_RETROGRAD_CUDA_H
#define RETROGRAD_CUDA_RETROGRAD_CUDA_H

#if defined(__CUDA__) && defined(__cplusplus)
#define RETROGRAD_CUDA_ON_CPU 1
// The toolkit's CUB and Thrust, if a program brings them, ask for half
// precision's insides, which here are others.
#define CCCL_DISABLE_FP16_SUPPORT
#define CCCL_DISABLE_BF16_SUPPORT
#define CCCL_DISABLE_FP8_SUPPORT
#include "cuda.h"
#include "host_defines.h"
// Before <cmath>, so that its functions meet device overloads.
#include <__clang_cuda_math_forward_declares.h>
// libstdc++ asks whether to avoid __float128, which devices do not have.
#define __CUDACC__ 1
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 8
#define __NVCC__ 1
#include <climits>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <stdlib.h> // before std::malloc has a device form, too
#include <string.h>
#undef __NVCC__
#include "cuda_runtime.h"
#endif

#endif
