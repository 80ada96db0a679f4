//===- cufftXt.h - plans of cuFFT by the types of their numbers -----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef RETROGRAD_CUDA_CUFFTXT_H
#define RETROGRAD_CUDA_CUFFTXT_H

#include "cufft.h"

#ifdef __cplusplus
extern "C"
#endif
    cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long *n,
                                    long long *inembed, long long istride,
                                    long long idist, cudaDataType inputtype,
                                    long long *onembed, long long ostride,
                                    long long odist, cudaDataType outputtype,
                                    long long batch, size_t *workSize,
                                    cudaDataType executiontype);

#endif
