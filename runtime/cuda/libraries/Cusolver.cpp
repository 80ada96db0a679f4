//===- Cusolver.cpp - cuSOLVER on the LAPACK of this machine --------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device memory is memory of the host here, and a call has done its work when
// it returns. Arguments are checked, since a LAPACK would print a message.
//
//===----------------------------------------------------------------------===//

#include "../Runtime.h"

#include "retrograd/cuda/cusolverDn.h"
#include <algorithm>
#include <cstdint>
#include <new>
#include <utility>

#include "Factors.h"

struct cusolverDnContext {
  cudaStream_t Stream;
};

extern "C" {
void spotrf_(const char *, const int *, float *, const int *, int *, size_t);
void dpotrf_(const char *, const int *, double *, const int *, int *, size_t);
}

namespace {
inline void potrf(char u, int n, double *A, int lda, int *i) {
  dpotrf_(&u, &n, A, &lda, i, 1);
}
inline void potrf(char u, int n, float *A, int lda, int *i) {
  spotrf_(&u, &n, A, &lda, i, 1);
}
char triangle(cublasFillMode_t F) {
  return F == CUBLAS_FILL_MODE_LOWER ? 'L' : 'U';
}
#define CHECK(Good)                                                            \
  rgcuda::mustNotCapture("cuSOLVER");                                          \
  if (!h)                                                                      \
    return CUSOLVER_STATUS_NOT_INITIALIZED;                                    \
  if (!(Good))                                                                 \
  return CUSOLVER_STATUS_INVALID_VALUE

template <class T>
cusolverStatus_t factor(cusolverDnHandle_t h, int m, int n, T *A, int lda,
                        int *p, int *Info) {
  CHECK(m >= 0 && n >= 0 && lda >= std::max(1, m) && Info);
  *Info = factorLU(m, n, A, lda, p);
  return CUSOLVER_STATUS_SUCCESS;
}
template <class T>
cusolverStatus_t solve(cusolverDnHandle_t h, cublasOperation_t t, int n, int r,
                       const T *A, int lda, const int *p, T *B, int ldb,
                       int *Info) {
  CHECK(n >= 0 && r >= 0 && lda >= std::max(1, n) && ldb >= std::max(1, n) &&
        Info);
  *Info = 0;
  solveLU(t != CUBLAS_OP_N, n, r, A, lda, p, B, ldb);
  return CUSOLVER_STATUS_SUCCESS;
}
template <class T>
cusolverStatus_t cholesky(cusolverDnHandle_t h, cublasFillMode_t u, int n, T *A,
                          int lda, int *Info) {
  CHECK(n >= 0 && lda >= std::max(1, n) && Info);
  potrf(triangle(u), n, A, lda, Info);
  return CUSOLVER_STATUS_SUCCESS;
}
template <class T>
cusolverStatus_t choleskySolve(cusolverDnHandle_t h, cublasFillMode_t u, int n,
                               int r, const T *A, int lda, T *B, int ldb,
                               int *Info) {
  CHECK(n >= 0 && r >= 0 && lda >= std::max(1, n) && ldb >= std::max(1, n) &&
        Info);
  char U = triangle(u);
  *Info = 0;
  trsm(U, U == 'L' ? 'N' : 'T', 'N', n, r, A, lda, B, ldb);
  trsm(U, U == 'L' ? 'T' : 'N', 'N', n, r, A, lda, B, ldb);
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t room(cusolverDnHandle_t h, int n, int lda, int *Lwork) {
  CHECK(n >= 0 && lda >= std::max(1, n) && Lwork);
  return *Lwork = 1, CUSOLVER_STATUS_SUCCESS;
}
} // namespace

extern "C" {
cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t *handle) {
  if (!handle)
    return CUSOLVER_STATUS_INVALID_VALUE;
  *handle = new (std::nothrow) cusolverDnContext{nullptr};
  return *handle ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ALLOC_FAILED;
}
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t h) {
  CHECK(true);
  delete h;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t h,
                                     cudaStream_t streamId) {
  CHECK(true);
  return h->Stream = streamId, CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnGetStream(cusolverDnHandle_t h,
                                     cudaStream_t *streamId) {
  CHECK(streamId);
  return *streamId = h->Stream, CUSOLVER_STATUS_SUCCESS;
}
#define RG_CUSOLVER(P, T)                                                      \
  cusolverStatus_t cusolverDn##P##getrf_bufferSize(                            \
      cusolverDnHandle_t h, int m, int, T *, int lda, int *Lwork) {            \
    return room(h, m, lda, Lwork);                                             \
  }                                                                            \
  cusolverStatus_t cusolverDn##P##getrf(cusolverDnHandle_t h, int m, int n,    \
                                        T *A, int lda, T *, int *devIpiv,      \
                                        int *devInfo) {                        \
    return factor(h, m, n, A, lda, devIpiv, devInfo);                          \
  }                                                                            \
  cusolverStatus_t cusolverDn##P##getrs(                                       \
      cusolverDnHandle_t h, cublasOperation_t trans, int n, int nrhs,          \
      const T *A, int lda, const int *devIpiv, T *B, int ldb, int *devInfo) {  \
    return solve(h, trans, n, nrhs, A, lda, devIpiv, B, ldb, devInfo);         \
  }                                                                            \
  cusolverStatus_t cusolverDn##P##potrf_bufferSize(cusolverDnHandle_t h,       \
                                                   cublasFillMode_t, int n,    \
                                                   T *, int lda, int *Lwork) { \
    return room(h, n, lda, Lwork);                                             \
  }                                                                            \
  cusolverStatus_t cusolverDn##P##potrf(cusolverDnHandle_t h,                  \
                                        cublasFillMode_t uplo, int n, T *A,    \
                                        int lda, T *, int, int *devInfo) {     \
    return cholesky(h, uplo, n, A, lda, devInfo);                              \
  }                                                                            \
  cusolverStatus_t cusolverDn##P##potrs(                                       \
      cusolverDnHandle_t h, cublasFillMode_t uplo, int n, int nrhs,            \
      const T *A, int lda, T *B, int ldb, int *devInfo) {                      \
    return choleskySolve(h, uplo, n, nrhs, A, lda, B, ldb, devInfo);           \
  }
RG_CUSOLVER(S, float)
RG_CUSOLVER(D, double)
} // extern "C"
