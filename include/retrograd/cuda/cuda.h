//===- cuda.h - version of the interface that these headers follow -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef RETROGRAD_CUDA_CUDA_H
#define RETROGRAD_CUDA_CUDA_H

#define CUDA_VERSION 12080
typedef unsigned int cuuint32_t;
typedef unsigned long long cuuint64_t;
// The driver interface (cu*) is not provided: only the runtime interface (cuda*) is.

#endif
