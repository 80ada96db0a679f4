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
cublasStatus_t cublasSetMatrix(int rows, int cols, int bytes, const void *A,
                               int lda, void *B, int ldb);
cublasStatus_t cublasGetMatrix(int rows, int cols, int bytes, const void *A,
                               int lda, void *B, int ldb);
cublasStatus_t cublasSetVectorAsync(int n, int bytes, const void *x, int incx,
                                    void *y, int incy, cudaStream_t stream);
cublasStatus_t cublasGetVectorAsync(int n, int bytes, const void *x, int incx,
                                    void *y, int incy, cudaStream_t stream);
cublasStatus_t cublasSetMatrixAsync(int rows, int cols, int bytes,
                                    const void *A, int lda, void *B, int ldb,
                                    cudaStream_t stream);
cublasStatus_t cublasGetMatrixAsync(int rows, int cols, int bytes,
                                    const void *A, int lda, void *B, int ldb,
                                    cudaStream_t stream);

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t opA,
                            cublasOperation_t opB, int m, int n, int k,
                            const void *alpha, const void *A,
                            cudaDataType typeA, int lda, const void *B,
                            cudaDataType typeB, int ldb, const void *beta,
                            void *C, cudaDataType typeC, int ldc,
                            cublasComputeType_t compute,
                            cublasGemmAlgo_t algorithm);
cublasStatus_t cublasSgemmEx(cublasHandle_t handle, cublasOperation_t opA,
                             cublasOperation_t opB, int m, int n, int k,
                             const float *alpha, const void *A,
                             cudaDataType typeA, int lda, const void *B,
                             cudaDataType typeB, int ldb, const float *beta,
                             void *C, cudaDataType typeC, int ldc);
cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB, int m,
    int n, int k, const void *alpha, const void *A, cudaDataType typeA, int lda,
    long long int strideA, const void *B, cudaDataType typeB, int ldb,
    long long int strideB, const void *beta, void *C, cudaDataType typeC,
    int ldc, long long int strideC, int count, cublasComputeType_t compute,
    cublasGemmAlgo_t algorithm);

#define RG_CUBLAS_ROUTINES(T, P, L)                                            \
  cublasStatus_t cublas##P##dot_v2(cublasHandle_t handle, int n, const T *x,   \
                                   int incx, const T *y, int incy, T *result); \
  cublasStatus_t cublas##P##nrm2_v2(cublasHandle_t handle, int n, const T *x,  \
                                    int incx, T *result);                      \
  cublasStatus_t cublas##P##asum_v2(cublasHandle_t handle, int n, const T *x,  \
                                    int incx, T *result);                      \
  cublasStatus_t cublasI##L##amax_v2(cublasHandle_t handle, int n, const T *x, \
                                     int incx, int *result);                   \
  cublasStatus_t cublasI##L##amin_v2(cublasHandle_t handle, int n, const T *x, \
                                     int incx, int *result);                   \
  cublasStatus_t cublas##P##axpy_v2(cublasHandle_t handle, int n,              \
                                    const T *alpha, const T *x, int incx,      \
                                    T *y, int incy);                           \
  cublasStatus_t cublas##P##scal_v2(cublasHandle_t handle, int n,              \
                                    const T *alpha, T *x, int incx);           \
  cublasStatus_t cublas##P##copy_v2(cublasHandle_t handle, int n, const T *x,  \
                                    int incx, T *y, int incy);                 \
  cublasStatus_t cublas##P##swap_v2(cublasHandle_t handle, int n, T *x,        \
                                    int incx, T *y, int incy);                 \
  cublasStatus_t cublas##P##gemv_v2(                                           \
      cublasHandle_t handle, cublasOperation_t op, int m, int n,               \
      const T *alpha, const T *A, int lda, const T *x, int incx,               \
      const T *beta, T *y, int incy);                                          \
  cublasStatus_t cublas##P##ger_v2(cublasHandle_t handle, int m, int n,        \
                                   const T *alpha, const T *x, int incx,       \
                                   const T *y, int incy, T *A, int lda);       \
  cublasStatus_t cublas##P##symv_v2(                                           \
      cublasHandle_t handle, cublasFillMode_t fill, int n, const T *alpha,     \
      const T *A, int lda, const T *x, int incx, const T *beta, T *y,          \
      int incy);                                                               \
  cublasStatus_t cublas##P##syr_v2(                                            \
      cublasHandle_t handle, cublasFillMode_t fill, int n, const T *alpha,     \
      const T *x, int incx, T *A, int lda);                                    \
  cublasStatus_t cublas##P##syr2_v2(                                           \
      cublasHandle_t handle, cublasFillMode_t fill, int n, const T *alpha,     \
      const T *x, int incx, const T *y, int incy, T *A, int lda);              \
  cublasStatus_t cublas##P##trmv_v2(                                           \
      cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t op,      \
      cublasDiagType_t diag, int n, const T *A, int lda, T *x, int incx);      \
  cublasStatus_t cublas##P##trsv_v2(                                           \
      cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t op,      \
      cublasDiagType_t diag, int n, const T *A, int lda, T *x, int incx);      \
  cublasStatus_t cublas##P##gemm_v2(                                           \
      cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB,     \
      int m, int n, int k, const T *alpha, const T *A, int lda, const T *B,    \
      int ldb, const T *beta, T *C, int ldc);                                  \
  cublasStatus_t cublas##P##gemmBatched(                                       \
      cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB,     \
      int m, int n, int k, const T *alpha, const T *const A[], int lda,        \
      const T *const B[], int ldb, const T *beta, T *const C[], int ldc,       \
      int count);                                                              \
  cublasStatus_t cublas##P##gemmStridedBatched(                                \
      cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB,     \
      int m, int n, int k, const T *alpha, const T *A, int lda,                \
      long long int strideA, const T *B, int ldb, long long int strideB,       \
      const T *beta, T *C, int ldc, long long int strideC, int count);         \
  cublasStatus_t cublas##P##symm_v2(                                           \
      cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill,     \
      int m, int n, const T *alpha, const T *A, int lda, const T *B, int ldb,  \
      const T *beta, T *C, int ldc);                                           \
  cublasStatus_t cublas##P##syrk_v2(                                           \
      cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t op,      \
      int n, int k, const T *alpha, const T *A, int lda, const T *beta, T *C,  \
      int ldc);                                                                \
  cublasStatus_t cublas##P##syr2k_v2(                                          \
      cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t op,      \
      int n, int k, const T *alpha, const T *A, int lda, const T *B, int ldb,  \
      const T *beta, T *C, int ldc);                                           \
  cublasStatus_t cublas##P##trmm_v2(                                           \
      cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill,     \
      cublasOperation_t op, cublasDiagType_t diag, int m, int n,               \
      const T *alpha, const T *A, int lda, const T *B, int ldb, T *C,          \
      int ldc);                                                                \
  cublasStatus_t cublas##P##trsm_v2(                                           \
      cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill,     \
      cublasOperation_t op, cublasDiagType_t diag, int m, int n,               \
      const T *alpha, const T *A, int lda, T *B, int ldb);                     \
  cublasStatus_t cublas##P##geam(                                              \
      cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB,     \
      int m, int n, const T *alpha, const T *A, int lda, const T *beta,        \
      const T *B, int ldb, T *C, int ldc);                                     \
  cublasStatus_t cublas##P##dgmm(cublasHandle_t handle, cublasSideMode_t side, \
                                 int m, int n, const T *A, int lda,            \
                                 const T *x, int incx, T *C, int ldc);
RG_CUBLAS_ROUTINES(float, S, s)
RG_CUBLAS_ROUTINES(double, D, d)
#undef RG_CUBLAS_ROUTINES

#if defined(__cplusplus)
}
#endif
#endif
