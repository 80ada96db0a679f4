//===- cublas_api.h - cuBLAS on this machine
//--------------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is declared here is implemented in runtime/cuda/libraries/Cublas.cpp, on
// the BLAS of the host. What is not declared does not exist.
//
#ifndef RETROGRAD_CUDA_CUBLAS_API_H
#define RETROGRAD_CUDA_CUBLAS_API_H
// Programs ask for this name to know whether the library is there.
#define CUBLAS_API_H_

#include "cuComplex.h"
#include "driver_types.h"
#include "library_types.h"
#include <stddef.h>

typedef enum {
  CUBLAS_STATUS_SUCCESS = 0,
  CUBLAS_STATUS_NOT_INITIALIZED = 1,
  CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7,
  CUBLAS_STATUS_ARCH_MISMATCH = 8,
  CUBLAS_STATUS_MAPPING_ERROR = 11,
  CUBLAS_STATUS_EXECUTION_FAILED = 13,
  CUBLAS_STATUS_INTERNAL_ERROR = 14,
  CUBLAS_STATUS_NOT_SUPPORTED = 15,
  CUBLAS_STATUS_LICENSE_ERROR = 16
} cublasStatus_t;
typedef enum {
  CUBLAS_FILL_MODE_LOWER = 0,
  CUBLAS_FILL_MODE_UPPER = 1,
  CUBLAS_FILL_MODE_FULL = 2
} cublasFillMode_t;
typedef enum {
  CUBLAS_DIAG_NON_UNIT = 0,
  CUBLAS_DIAG_UNIT = 1
} cublasDiagType_t;
typedef enum { CUBLAS_SIDE_LEFT = 0, CUBLAS_SIDE_RIGHT = 1 } cublasSideMode_t;
typedef enum {
  CUBLAS_OP_N = 0,
  CUBLAS_OP_T = 1,
  CUBLAS_OP_C = 2
} cublasOperation_t;
typedef enum {
  CUBLAS_POINTER_MODE_HOST = 0,
  CUBLAS_POINTER_MODE_DEVICE = 1
} cublasPointerMode_t;
typedef enum {
  CUBLAS_ATOMICS_NOT_ALLOWED = 0,
  CUBLAS_ATOMICS_ALLOWED = 1
} cublasAtomicsMode_t;
typedef enum {
  CUBLAS_DEFAULT_MATH = 0,
  CUBLAS_TENSOR_OP_MATH = 1,
  CUBLAS_PEDANTIC_MATH = 2,
  CUBLAS_TF32_TENSOR_OP_MATH = 3
} cublasMath_t;
typedef enum {
  CUBLAS_COMPUTE_16F = 64,
  CUBLAS_COMPUTE_32F = 68,
  CUBLAS_COMPUTE_32F_PEDANTIC = 69,
  CUBLAS_COMPUTE_64F = 70,
  CUBLAS_COMPUTE_64F_PEDANTIC = 71,
  CUBLAS_COMPUTE_32F_FAST_16F = 74,
  CUBLAS_COMPUTE_32F_FAST_16BF = 75,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77
} cublasComputeType_t;
typedef enum {
  CUBLAS_GEMM_DFALT = -1,
  CUBLAS_GEMM_DEFAULT = -1,
  CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99
} cublasGemmAlgo_t;
typedef cudaDataType cublasDataType_t;
typedef struct cublasContext *cublasHandle_t;

#if defined(__cplusplus)
extern "C" {
#endif

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle);
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle);
cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version);
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t *stream);
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace,
                                     size_t bytes);
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle,
                                       cublasPointerMode_t mode);
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle,
                                       cublasPointerMode_t *mode);
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle,
                                    cublasAtomicsMode_t mode);
cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle,
                                    cublasAtomicsMode_t *mode);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t *mode);
const char *cublasGetStatusName(cublasStatus_t status);
const char *cublasGetStatusString(cublasStatus_t status);

cublasStatus_t cublasSetVector(int n, int bytes, const void *x, int incx,
                               void *y, int incy);
cublasStatus_t cublasGetVector(int n, int bytes, const void *x, int incx,
                               void *y, int incy);
cublasStatus_t cublasSetMatrix(int rows, int cols, int bytes, const void *_RgA,
                               int lda, void *_RgB, int ldb);
cublasStatus_t cublasGetMatrix(int rows, int cols, int bytes, const void *_RgA,
                               int lda, void *_RgB, int ldb);
cublasStatus_t cublasSetVectorAsync(int n, int bytes, const void *x, int incx,
                                    void *y, int incy, cudaStream_t stream);
cublasStatus_t cublasGetVectorAsync(int n, int bytes, const void *x, int incx,
                                    void *y, int incy, cudaStream_t stream);
cublasStatus_t cublasSetMatrixAsync(int rows, int cols, int bytes,
                                    const void *_RgA, int lda, void *_RgB,
                                    int ldb, cudaStream_t stream);
cublasStatus_t cublasGetMatrixAsync(int rows, int cols, int bytes,
                                    const void *_RgA, int lda, void *_RgB,
                                    int ldb, cudaStream_t stream);

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t opA,
                            cublasOperation_t opB, int m, int n, int k,
                            const void *alpha, const void *_RgA,
                            cudaDataType typeA, int lda, const void *_RgB,
                            cudaDataType typeB, int ldb, const void *beta,
                            void *_RgC, cudaDataType typeC, int ldc,
                            cublasComputeType_t compute,
                            cublasGemmAlgo_t algorithm);
cublasStatus_t cublasSgemmEx(cublasHandle_t handle, cublasOperation_t opA,
                             cublasOperation_t opB, int m, int n, int k,
                             const float *alpha, const void *_RgA,
                             cudaDataType typeA, int lda, const void *_RgB,
                             cudaDataType typeB, int ldb, const float *beta,
                             void *_RgC, cudaDataType typeC, int ldc);
cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB, int m,
    int n, int k, const void *alpha, const void *_RgA, cudaDataType typeA,
    int lda, long long int strideA, const void *_RgB, cudaDataType typeB,
    int ldb, long long int strideB, const void *beta, void *_RgC,
    cudaDataType typeC, int ldc, long long int strideC, int count,
    cublasComputeType_t compute, cublasGemmAlgo_t algorithm);

cublasStatus_t cublasGemmBatchedEx(
    cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB, int m,
    int n, int k, const void *alpha, const void *const _RgA[],
    cudaDataType typeA, int lda, const void *const _RgB[], cudaDataType typeB,
    int ldb, const void *beta, void *const _RgC[], cudaDataType typeC, int ldc,
    int count, cublasComputeType_t compute, cublasGemmAlgo_t algorithm);

struct __half;
cublasStatus_t cublasHgemmBatched(
    cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB, int m,
    int n, int k, const struct __half *alpha, const struct __half *const _RgA[],
    int lda, const struct __half *const _RgB[], int ldb,
    const struct __half *beta, struct __half *const _RgC[], int ldc, int count);
cublasStatus_t
cublasHgemm(cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB,
            int m, int n, int k, const struct __half *alpha,
            const struct __half *_RgA, int lda, const struct __half *_RgB,
            int ldb, const struct __half *beta, struct __half *_RgC, int ldc);
cublasStatus_t cublasHgemmStridedBatched(
    cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB, int m,
    int n, int k, const struct __half *alpha, const struct __half *_RgA,
    int lda, long long int strideA, const struct __half *_RgB, int ldb,
    long long int strideB, const struct __half *beta, struct __half *_RgC,
    int ldc, long long int strideC, int count);

#define RG_CUBLAS_ROUTINES(_RgT, _RgP, _RgL)                                   \
  cublasStatus_t cublas##_RgP##gemvBatched(                                    \
      cublasHandle_t handle, cublasOperation_t op, int m, int n,               \
      const _RgT *alpha, const _RgT *const _RgA[], int lda,                    \
      const _RgT *const x[], int incx, const _RgT *beta, _RgT *const y[],      \
      int incy, int count);                                                    \
  cublasStatus_t cublas##_RgP##gemvStridedBatched(                             \
      cublasHandle_t handle, cublasOperation_t op, int m, int n,               \
      const _RgT *alpha, const _RgT *_RgA, int lda, long long int strideA,     \
      const _RgT *x, int incx, long long int stridex, const _RgT *beta,        \
      _RgT *y, int incy, long long int stridey, int count);                    \
  cublasStatus_t cublas##_RgP##trsmBatched(                                    \
      cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill,     \
      cublasOperation_t op, cublasDiagType_t diag, int m, int n,               \
      const _RgT *alpha, const _RgT *const _RgA[], int lda,                    \
      _RgT *const _RgB[], int ldb, int count);                                 \
  cublasStatus_t cublas##_RgP##dot_v2(cublasHandle_t handle, int n,            \
                                      const _RgT *x, int incx, const _RgT *y,  \
                                      int incy, _RgT *result);                 \
  cublasStatus_t cublas##_RgP##nrm2_v2(cublasHandle_t handle, int n,           \
                                       const _RgT *x, int incx, _RgT *result); \
  cublasStatus_t cublas##_RgP##asum_v2(cublasHandle_t handle, int n,           \
                                       const _RgT *x, int incx, _RgT *result); \
  cublasStatus_t cublasI##_RgL##amax_v2(cublasHandle_t handle, int n,          \
                                        const _RgT *x, int incx, int *result); \
  cublasStatus_t cublasI##_RgL##amin_v2(cublasHandle_t handle, int n,          \
                                        const _RgT *x, int incx, int *result); \
  cublasStatus_t cublas##_RgP##axpy_v2(cublasHandle_t handle, int n,           \
                                       const _RgT *alpha, const _RgT *x,       \
                                       int incx, _RgT *y, int incy);           \
  cublasStatus_t cublas##_RgP##scal_v2(cublasHandle_t handle, int n,           \
                                       const _RgT *alpha, _RgT *x, int incx);  \
  cublasStatus_t cublas##_RgP##copy_v2(cublasHandle_t handle, int n,           \
                                       const _RgT *x, int incx, _RgT *y,       \
                                       int incy);                              \
  cublasStatus_t cublas##_RgP##swap_v2(cublasHandle_t handle, int n, _RgT *x,  \
                                       int incx, _RgT *y, int incy);           \
  cublasStatus_t cublas##_RgP##gemv_v2(                                        \
      cublasHandle_t handle, cublasOperation_t op, int m, int n,               \
      const _RgT *alpha, const _RgT *_RgA, int lda, const _RgT *x, int incx,   \
      const _RgT *beta, _RgT *y, int incy);                                    \
  cublasStatus_t cublas##_RgP##ger_v2(                                         \
      cublasHandle_t handle, int m, int n, const _RgT *alpha, const _RgT *x,   \
      int incx, const _RgT *y, int incy, _RgT *_RgA, int lda);                 \
  cublasStatus_t cublas##_RgP##symv_v2(                                        \
      cublasHandle_t handle, cublasFillMode_t fill, int n, const _RgT *alpha,  \
      const _RgT *_RgA, int lda, const _RgT *x, int incx, const _RgT *beta,    \
      _RgT *y, int incy);                                                      \
  cublasStatus_t cublas##_RgP##syr_v2(                                         \
      cublasHandle_t handle, cublasFillMode_t fill, int n, const _RgT *alpha,  \
      const _RgT *x, int incx, _RgT *_RgA, int lda);                           \
  cublasStatus_t cublas##_RgP##syr2_v2(                                        \
      cublasHandle_t handle, cublasFillMode_t fill, int n, const _RgT *alpha,  \
      const _RgT *x, int incx, const _RgT *y, int incy, _RgT *_RgA, int lda);  \
  cublasStatus_t cublas##_RgP##trmv_v2(                                        \
      cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t op,      \
      cublasDiagType_t diag, int n, const _RgT *_RgA, int lda, _RgT *x,        \
      int incx);                                                               \
  cublasStatus_t cublas##_RgP##trsv_v2(                                        \
      cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t op,      \
      cublasDiagType_t diag, int n, const _RgT *_RgA, int lda, _RgT *x,        \
      int incx);                                                               \
  cublasStatus_t cublas##_RgP##gemm_v2(                                        \
      cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB,     \
      int m, int n, int k, const _RgT *alpha, const _RgT *_RgA, int lda,       \
      const _RgT *_RgB, int ldb, const _RgT *beta, _RgT *_RgC, int ldc);       \
  cublasStatus_t cublas##_RgP##gemmBatched(                                    \
      cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB,     \
      int m, int n, int k, const _RgT *alpha, const _RgT *const _RgA[],        \
      int lda, const _RgT *const _RgB[], int ldb, const _RgT *beta,            \
      _RgT *const _RgC[], int ldc, int count);                                 \
  cublasStatus_t cublas##_RgP##gemmStridedBatched(                             \
      cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB,     \
      int m, int n, int k, const _RgT *alpha, const _RgT *_RgA, int lda,       \
      long long int strideA, const _RgT *_RgB, int ldb, long long int strideB, \
      const _RgT *beta, _RgT *_RgC, int ldc, long long int strideC,            \
      int count);                                                              \
  cublasStatus_t cublas##_RgP##symm_v2(                                        \
      cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill,     \
      int m, int n, const _RgT *alpha, const _RgT *_RgA, int lda,              \
      const _RgT *_RgB, int ldb, const _RgT *beta, _RgT *_RgC, int ldc);       \
  cublasStatus_t cublas##_RgP##syrk_v2(                                        \
      cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t op,      \
      int n, int k, const _RgT *alpha, const _RgT *_RgA, int lda,              \
      const _RgT *beta, _RgT *_RgC, int ldc);                                  \
  cublasStatus_t cublas##_RgP##syr2k_v2(                                       \
      cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t op,      \
      int n, int k, const _RgT *alpha, const _RgT *_RgA, int lda,              \
      const _RgT *_RgB, int ldb, const _RgT *beta, _RgT *_RgC, int ldc);       \
  cublasStatus_t cublas##_RgP##trmm_v2(                                        \
      cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill,     \
      cublasOperation_t op, cublasDiagType_t diag, int m, int n,               \
      const _RgT *alpha, const _RgT *_RgA, int lda, const _RgT *_RgB, int ldb, \
      _RgT *_RgC, int ldc);                                                    \
  cublasStatus_t cublas##_RgP##trsm_v2(                                        \
      cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill,     \
      cublasOperation_t op, cublasDiagType_t diag, int m, int n,               \
      const _RgT *alpha, const _RgT *_RgA, int lda, _RgT *_RgB, int ldb);      \
  cublasStatus_t cublas##_RgP##geam(                                           \
      cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB,     \
      int m, int n, const _RgT *alpha, const _RgT *_RgA, int lda,              \
      const _RgT *beta, const _RgT *_RgB, int ldb, _RgT *_RgC, int ldc);       \
  cublasStatus_t cublas##_RgP##dgmm(cublasHandle_t handle,                     \
                                    cublasSideMode_t side, int m, int n,       \
                                    const _RgT *_RgA, int lda, const _RgT *x,  \
                                    int incx, _RgT *_RgC, int ldc);
RG_CUBLAS_ROUTINES(float, S, s)
RG_CUBLAS_ROUTINES(double, D, d)
#undef RG_CUBLAS_ROUTINES

#define RG_CUBLAS_COMPLEX(_RgT, _RgR, _RgP, _RgN, _RgS)                        \
  cublasStatus_t cublas##_RgP##symv_v2(                                        \
      cublasHandle_t handle, cublasFillMode_t fill, int n, const _RgT *alpha,  \
      const _RgT *_RgA, int lda, const _RgT *x, int incx, const _RgT *beta,    \
      _RgT *y, int incy);                                                      \
  cublasStatus_t cublas##_RgP##hemv_v2(                                        \
      cublasHandle_t handle, cublasFillMode_t fill, int n, const _RgT *alpha,  \
      const _RgT *_RgA, int lda, const _RgT *x, int incx, const _RgT *beta,    \
      _RgT *y, int incy);                                                      \
  cublasStatus_t cublas##_RgP##syr_v2(                                         \
      cublasHandle_t handle, cublasFillMode_t fill, int n, const _RgT *alpha,  \
      const _RgT *x, int incx, _RgT *_RgA, int lda);                           \
  cublasStatus_t cublas##_RgP##her_v2(                                         \
      cublasHandle_t handle, cublasFillMode_t fill, int n, const _RgR *alpha,  \
      const _RgT *x, int incx, _RgT *_RgA, int lda);                           \
  cublasStatus_t cublas##_RgP##syr2_v2(                                        \
      cublasHandle_t handle, cublasFillMode_t fill, int n, const _RgT *alpha,  \
      const _RgT *x, int incx, const _RgT *y, int incy, _RgT *_RgA, int lda);  \
  cublasStatus_t cublas##_RgP##her2_v2(                                        \
      cublasHandle_t handle, cublasFillMode_t fill, int n, const _RgT *alpha,  \
      const _RgT *x, int incx, const _RgT *y, int incy, _RgT *_RgA, int lda);  \
  cublasStatus_t cublas##_RgP##gemvBatched(                                    \
      cublasHandle_t handle, cublasOperation_t op, int m, int n,               \
      const _RgT *alpha, const _RgT *const _RgA[], int lda,                    \
      const _RgT *const x[], int incx, const _RgT *beta, _RgT *const y[],      \
      int incy, int count);                                                    \
  cublasStatus_t cublas##_RgP##gemvStridedBatched(                             \
      cublasHandle_t handle, cublasOperation_t op, int m, int n,               \
      const _RgT *alpha, const _RgT *_RgA, int lda, long long int strideA,     \
      const _RgT *x, int incx, long long int stridex, const _RgT *beta,        \
      _RgT *y, int incy, long long int stridey, int count);                    \
  cublasStatus_t cublas##_RgP##trsmBatched(                                    \
      cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill,     \
      cublasOperation_t op, cublasDiagType_t diag, int m, int n,               \
      const _RgT *alpha, const _RgT *const _RgA[], int lda,                    \
      _RgT *const _RgB[], int ldb, int count);                                 \
  cublasStatus_t cublas##_RgP##trmv_v2(                                        \
      cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t op,      \
      cublasDiagType_t diag, int n, const _RgT *_RgA, int lda, _RgT *x,        \
      int incx);                                                               \
  cublasStatus_t cublas##_RgP##trsv_v2(                                        \
      cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t op,      \
      cublasDiagType_t diag, int n, const _RgT *_RgA, int lda, _RgT *x,        \
      int incx);                                                               \
  cublasStatus_t cublas##_RgP##symm_v2(                                        \
      cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill,     \
      int m, int n, const _RgT *alpha, const _RgT *_RgA, int lda,              \
      const _RgT *_RgB, int ldb, const _RgT *beta, _RgT *_RgC, int ldc);       \
  cublasStatus_t cublas##_RgP##syrk_v2(                                        \
      cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t op,      \
      int n, int k, const _RgT *alpha, const _RgT *_RgA, int lda,              \
      const _RgT *beta, _RgT *_RgC, int ldc);                                  \
  cublasStatus_t cublas##_RgP##syr2k_v2(                                       \
      cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t op,      \
      int n, int k, const _RgT *alpha, const _RgT *_RgA, int lda,              \
      const _RgT *_RgB, int ldb, const _RgT *beta, _RgT *_RgC, int ldc);       \
  cublasStatus_t cublas##_RgP##geam(                                           \
      cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB,     \
      int m, int n, const _RgT *alpha, const _RgT *_RgA, int lda,              \
      const _RgT *beta, const _RgT *_RgB, int ldb, _RgT *_RgC, int ldc);       \
  cublasStatus_t cublas##_RgP##dgmm(cublasHandle_t handle,                     \
                                    cublasSideMode_t side, int m, int n,       \
                                    const _RgT *_RgA, int lda, const _RgT *x,  \
                                    int incx, _RgT *_RgC, int ldc);            \
  cublasStatus_t cublas##_RgP##hemm_v2(                                        \
      cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill,     \
      int m, int n, const _RgT *alpha, const _RgT *_RgA, int lda,              \
      const _RgT *_RgB, int ldb, const _RgT *beta, _RgT *_RgC, int ldc);       \
  cublasStatus_t cublas##_RgP##herk_v2(                                        \
      cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t op,      \
      int n, int k, const _RgR *alpha, const _RgT *_RgA, int lda,              \
      const _RgR *beta, _RgT *_RgC, int ldc);                                  \
  cublasStatus_t cublas##_RgP##her2k_v2(                                       \
      cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t op,      \
      int n, int k, const _RgT *alpha, const _RgT *_RgA, int lda,              \
      const _RgT *_RgB, int ldb, const _RgR *beta, _RgT *_RgC, int ldc);       \
  cublasStatus_t cublas##_RgP##dotu_v2(cublasHandle_t handle, int n,           \
                                       const _RgT *x, int incx, const _RgT *y, \
                                       int incy, _RgT *result);                \
  cublasStatus_t cublas##_RgP##dotc_v2(cublasHandle_t handle, int n,           \
                                       const _RgT *x, int incx, const _RgT *y, \
                                       int incy, _RgT *result);                \
  cublasStatus_t cublas##_RgN##nrm2_v2(cublasHandle_t handle, int n,           \
                                       const _RgT *x, int incx, _RgR *result); \
  cublasStatus_t cublas##_RgP##axpy_v2(cublasHandle_t handle, int n,           \
                                       const _RgT *alpha, const _RgT *x,       \
                                       int incx, _RgT *y, int incy);           \
  cublasStatus_t cublas##_RgP##scal_v2(cublasHandle_t handle, int n,           \
                                       const _RgT *alpha, _RgT *x, int incx);  \
  cublasStatus_t cublas##_RgS##scal_v2(cublasHandle_t handle, int n,           \
                                       const _RgR *alpha, _RgT *x, int incx);  \
  cublasStatus_t cublas##_RgP##copy_v2(cublasHandle_t handle, int n,           \
                                       const _RgT *x, int incx, _RgT *y,       \
                                       int incy);                              \
  cublasStatus_t cublas##_RgP##swap_v2(cublasHandle_t handle, int n, _RgT *x,  \
                                       int incx, _RgT *y, int incy);           \
  cublasStatus_t cublas##_RgP##gemv_v2(                                        \
      cublasHandle_t handle, cublasOperation_t op, int m, int n,               \
      const _RgT *alpha, const _RgT *_RgA, int lda, const _RgT *x, int incx,   \
      const _RgT *beta, _RgT *y, int incy);                                    \
  cublasStatus_t cublas##_RgP##geru_v2(                                        \
      cublasHandle_t handle, int m, int n, const _RgT *alpha, const _RgT *x,   \
      int incx, const _RgT *y, int incy, _RgT *_RgA, int lda);                 \
  cublasStatus_t cublas##_RgP##gerc_v2(                                        \
      cublasHandle_t handle, int m, int n, const _RgT *alpha, const _RgT *x,   \
      int incx, const _RgT *y, int incy, _RgT *_RgA, int lda);                 \
  cublasStatus_t cublas##_RgP##gemm_v2(                                        \
      cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB,     \
      int m, int n, int k, const _RgT *alpha, const _RgT *_RgA, int lda,       \
      const _RgT *_RgB, int ldb, const _RgT *beta, _RgT *_RgC, int ldc);       \
  cublasStatus_t cublas##_RgP##trmm_v2(                                        \
      cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill,     \
      cublasOperation_t op, cublasDiagType_t diag, int m, int n,               \
      const _RgT *alpha, const _RgT *_RgA, int lda, const _RgT *_RgB, int ldb, \
      _RgT *_RgC, int ldc);                                                    \
  cublasStatus_t cublas##_RgP##trsm_v2(                                        \
      cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill,     \
      cublasOperation_t op, cublasDiagType_t diag, int m, int n,               \
      const _RgT *alpha, const _RgT *_RgA, int lda, _RgT *_RgB, int ldb);      \
  cublasStatus_t cublas##_RgP##gemmBatched(                                    \
      cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB,     \
      int m, int n, int k, const _RgT *alpha, const _RgT *const _RgA[],        \
      int lda, const _RgT *const _RgB[], int ldb, const _RgT *beta,            \
      _RgT *const _RgC[], int ldc, int count);                                 \
  cublasStatus_t cublas##_RgP##gemmStridedBatched(                             \
      cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB,     \
      int m, int n, int k, const _RgT *alpha, const _RgT *_RgA, int lda,       \
      long long int strideA, const _RgT *_RgB, int ldb, long long int strideB, \
      const _RgT *beta, _RgT *_RgC, int ldc, long long int strideC,            \
      int count);
RG_CUBLAS_COMPLEX(cuComplex, float, C, Sc, Cs)
RG_CUBLAS_COMPLEX(cuDoubleComplex, double, Z, Dz, Zd)
#undef RG_CUBLAS_COMPLEX

// Banded and packed matrices, rotations: of real numbers and of complex ones.
#define RG_CUBLAS_OTHERS(_RgT, _RgR, _RgP, _RgI)                               \
  cublasStatus_t cublas##_RgP##gbmv_v2(                                        \
      cublasHandle_t handle, cublasOperation_t op, int m, int n, int kl,       \
      int ku, const _RgT *alpha, const _RgT *_RgA, int lda, const _RgT *x,     \
      int incx, const _RgT *beta, _RgT *y, int incy);                          \
  cublasStatus_t cublas##_RgP##tpttr(cublasHandle_t handle,                    \
                                     cublasFillMode_t fill, int n,             \
                                     const _RgT *AP, _RgT *_RgA, int lda);     \
  cublasStatus_t cublas##_RgP##trttp(cublasHandle_t handle,                    \
                                     cublasFillMode_t fill, int n,             \
                                     const _RgT *_RgA, int lda, _RgT *AP);     \
  cublasStatus_t cublas##_RgP##syrkx(                                          \
      cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t op,      \
      int n, int k, const _RgT *alpha, const _RgT *_RgA, int lda,              \
      const _RgT *_RgB, int ldb, const _RgT *beta, _RgT *_RgC, int ldc);       \
  cublasStatus_t cublas##_RgP##tbmv_v2(                                        \
      cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t op,      \
      cublasDiagType_t diag, int n, int k, const _RgT *_RgA, int lda, _RgT *x, \
      int incx);                                                               \
  cublasStatus_t cublas##_RgP##tbsv_v2(                                        \
      cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t op,      \
      cublasDiagType_t diag, int n, int k, const _RgT *_RgA, int lda, _RgT *x, \
      int incx);                                                               \
  cublasStatus_t cublas##_RgP##tpmv_v2(                                        \
      cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t op,      \
      cublasDiagType_t diag, int n, const _RgT *AP, _RgT *x, int incx);        \
  cublasStatus_t cublas##_RgP##tpsv_v2(                                        \
      cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t op,      \
      cublasDiagType_t diag, int n, const _RgT *AP, _RgT *x, int incx);        \
  cublasStatus_t cublas##_RgP##rot_v2(cublasHandle_t handle, int n, _RgT *x,   \
                                      int incx, _RgT *y, int incy,             \
                                      const _RgR *c, const _RgT *s);           \
  cublasStatus_t cublas##_RgP##rotg_v2(cublasHandle_t handle, _RgT *a,         \
                                       _RgT *b, _RgR *c, _RgT *s);             \
  cublasStatus_t cublasI##_RgI##amax_v2(cublasHandle_t handle, int n,          \
                                        const _RgT *x, int incx, int *result); \
  cublasStatus_t cublasI##_RgI##amin_v2(cublasHandle_t handle, int n,          \
                                        const _RgT *x, int incx, int *result);
RG_CUBLAS_OTHERS(float, float, S, s)
RG_CUBLAS_OTHERS(double, double, D, d)
RG_CUBLAS_OTHERS(cuComplex, float, C, c)
RG_CUBLAS_OTHERS(cuDoubleComplex, double, Z, z)
#undef RG_CUBLAS_OTHERS
#define RG_CUBLAS_OTHERS_REAL(_RgT, _RgP)                                      \
  cublasStatus_t cublas##_RgP##sbmv_v2(                                        \
      cublasHandle_t handle, cublasFillMode_t fill, int n, int k,              \
      const _RgT *alpha, const _RgT *_RgA, int lda, const _RgT *x, int incx,   \
      const _RgT *beta, _RgT *y, int incy);                                    \
  cublasStatus_t cublas##_RgP##spmv_v2(                                        \
      cublasHandle_t handle, cublasFillMode_t fill, int n, const _RgT *alpha,  \
      const _RgT *AP, const _RgT *x, int incx, const _RgT *beta, _RgT *y,      \
      int incy);                                                               \
  cublasStatus_t cublas##_RgP##spr_v2(                                         \
      cublasHandle_t handle, cublasFillMode_t fill, int n, const _RgT *alpha,  \
      const _RgT *x, int incx, _RgT *AP);                                      \
  cublasStatus_t cublas##_RgP##spr2_v2(                                        \
      cublasHandle_t handle, cublasFillMode_t fill, int n, const _RgT *alpha,  \
      const _RgT *x, int incx, const _RgT *y, int incy, _RgT *AP);             \
  cublasStatus_t cublas##_RgP##rotm_v2(cublasHandle_t handle, int n, _RgT *x,  \
                                       int incx, _RgT *y, int incy,            \
                                       const _RgT *param);                     \
  cublasStatus_t cublas##_RgP##rotmg_v2(cublasHandle_t handle, _RgT *d1,       \
                                        _RgT *d2, _RgT *x1, const _RgT *y1,    \
                                        _RgT *param);                          \
  cublasStatus_t cublas##_RgP##getrfBatched(                                   \
      cublasHandle_t handle, int n, _RgT *const _RgA[], int lda,               \
      int *_RgPivots, int *info, int count);                                   \
  cublasStatus_t cublas##_RgP##getrsBatched(                                   \
      cublasHandle_t handle, cublasOperation_t op, int n, int nrhs,            \
      const _RgT *const _RgA[], int lda, const int *_RgPivots,                 \
      _RgT *const _RgB[], int ldb, int *info, int count);                      \
  cublasStatus_t cublas##_RgP##getriBatched(                                   \
      cublasHandle_t handle, int n, const _RgT *const _RgA[], int lda,         \
      const int *_RgPivots, _RgT *const _RgC[], int ldc, int *info,            \
      int count);
RG_CUBLAS_OTHERS_REAL(float, S)
RG_CUBLAS_OTHERS_REAL(double, D)
#undef RG_CUBLAS_OTHERS_REAL
#define RG_CUBLAS_OTHERS_COMPLEX(_RgT, _RgR, _RgP, _RgN, _RgS)                 \
  cublasStatus_t cublas##_RgP##hbmv_v2(                                        \
      cublasHandle_t handle, cublasFillMode_t fill, int n, int k,              \
      const _RgT *alpha, const _RgT *_RgA, int lda, const _RgT *x, int incx,   \
      const _RgT *beta, _RgT *y, int incy);                                    \
  cublasStatus_t cublas##_RgP##hpmv_v2(                                        \
      cublasHandle_t handle, cublasFillMode_t fill, int n, const _RgT *alpha,  \
      const _RgT *AP, const _RgT *x, int incx, const _RgT *beta, _RgT *y,      \
      int incy);                                                               \
  cublasStatus_t cublas##_RgP##hpr_v2(                                         \
      cublasHandle_t handle, cublasFillMode_t fill, int n, const _RgR *alpha,  \
      const _RgT *x, int incx, _RgT *AP);                                      \
  cublasStatus_t cublas##_RgP##hpr2_v2(                                        \
      cublasHandle_t handle, cublasFillMode_t fill, int n, const _RgT *alpha,  \
      const _RgT *x, int incx, const _RgT *y, int incy, _RgT *AP);             \
  cublasStatus_t cublas##_RgP##herkx(                                          \
      cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t op,      \
      int n, int k, const _RgT *alpha, const _RgT *_RgA, int lda,              \
      const _RgT *_RgB, int ldb, const _RgR *beta, _RgT *_RgC, int ldc);       \
  cublasStatus_t cublas##_RgP##gemm3m(                                         \
      cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB,     \
      int m, int n, int k, const _RgT *alpha, const _RgT *_RgA, int lda,       \
      const _RgT *_RgB, int ldb, const _RgT *beta, _RgT *_RgC, int ldc);       \
  cublasStatus_t cublas##_RgN##asum_v2(cublasHandle_t handle, int n,           \
                                       const _RgT *x, int incx, _RgR *result); \
  cublasStatus_t cublas##_RgS##rot_v2(cublasHandle_t handle, int n, _RgT *x,   \
                                      int incx, _RgT *y, int incy,             \
                                      const _RgR *c, const _RgR *s);
RG_CUBLAS_OTHERS_COMPLEX(cuComplex, float, C, Sc, Cs)
RG_CUBLAS_OTHERS_COMPLEX(cuDoubleComplex, double, Z, Dz, Zd)
#undef RG_CUBLAS_OTHERS_COMPLEX
cublasStatus_t cublasCgemm3mBatched(
    cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB, int m,
    int n, int k, const cuComplex *alpha, const cuComplex *const _RgA[],
    int lda, const cuComplex *const _RgB[], int ldb, const cuComplex *beta,
    cuComplex *const _RgC[], int ldc, int count);
cublasStatus_t cublasCgemm3mStridedBatched(
    cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB, int m,
    int n, int k, const cuComplex *alpha, const cuComplex *_RgA, int lda,
    long long int strideA, const cuComplex *_RgB, int ldb,
    long long int strideB, const cuComplex *beta, cuComplex *_RgC, int ldc,
    long long int strideC, int count);

#if defined(__cplusplus)
}
#endif
#endif
