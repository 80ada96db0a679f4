//===- cusolverDn.h - cuSOLVER on this machine ----------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is declared here is implemented in runtime/cuda/libraries/Cusolver.cpp,
// on the LAPACK of the host. What is not declared does not exist.
//
#ifndef RETROGRAD_CUDA_CUSOLVERDN_H
#define RETROGRAD_CUDA_CUSOLVERDN_H
// Programs ask for this name to know whether the library is there.
#define CUSOLVER_COMMON_H_

#include "cublas_api.h"

typedef enum {
  CUSOLVER_STATUS_SUCCESS = 0,
  CUSOLVER_STATUS_NOT_INITIALIZED = 1,
  CUSOLVER_STATUS_ALLOC_FAILED = 2,
  CUSOLVER_STATUS_INVALID_VALUE = 3,
  CUSOLVER_STATUS_ARCH_MISMATCH = 4,
  CUSOLVER_STATUS_MAPPING_ERROR = 5,
  CUSOLVER_STATUS_EXECUTION_FAILED = 6,
  CUSOLVER_STATUS_INTERNAL_ERROR = 7,
  CUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED = 8,
  CUSOLVER_STATUS_NOT_SUPPORTED = 9,
  CUSOLVER_STATUS_ZERO_PIVOT = 10,
  CUSOLVER_STATUS_INVALID_LICENSE = 11
} cusolverStatus_t;
typedef struct cusolverDnContext *cusolverDnHandle_t;

#ifdef __cplusplus
extern "C" {
#endif
cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t *handle);
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle);
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle,
                                     cudaStream_t streamId);
cusolverStatus_t cusolverDnGetStream(cusolverDnHandle_t handle,
                                     cudaStream_t *streamId);
#define RG_CUSOLVER(_RgP, _RgT)                                                \
  cusolverStatus_t cusolverDn##_RgP##getrf_bufferSize(                         \
      cusolverDnHandle_t handle, int m, int n, _RgT *_RgA, int lda,            \
      int *Lwork);                                                             \
  cusolverStatus_t cusolverDn##_RgP##getrf(                                    \
      cusolverDnHandle_t handle, int m, int n, _RgT *_RgA, int lda,            \
      _RgT *Workspace, int *devIpiv, int *devInfo);                            \
  cusolverStatus_t cusolverDn##_RgP##getrs(                                    \
      cusolverDnHandle_t handle, cublasOperation_t trans, int n, int nrhs,     \
      const _RgT *_RgA, int lda, const int *devIpiv, _RgT *_RgB, int ldb,      \
      int *devInfo);                                                           \
  cusolverStatus_t cusolverDn##_RgP##potrf_bufferSize(                         \
      cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, _RgT *_RgA,     \
      int lda, int *Lwork);                                                    \
  cusolverStatus_t cusolverDn##_RgP##potrf(                                    \
      cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, _RgT *_RgA,     \
      int lda, _RgT *Workspace, int Lwork, int *devInfo);                      \
  cusolverStatus_t cusolverDn##_RgP##potrs(                                    \
      cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, int nrhs,       \
      const _RgT *_RgA, int lda, _RgT *_RgB, int ldb, int *devInfo);
RG_CUSOLVER(S, float)
RG_CUSOLVER(D, double)
#undef RG_CUSOLVER
#ifdef __cplusplus
}
#endif

#endif
