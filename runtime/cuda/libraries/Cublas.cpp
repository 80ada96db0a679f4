//===- Cublas.cpp - cuBLAS on the BLAS of this machine
//----------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device memory is memory of the host here, and a call has done its work when
// it returns, so pointer modes and streams make no difference; they are kept,
// and given back. Arguments are checked, since a BLAS would end the program.
//
//===----------------------------------------------------------------------===//

#include "../Runtime.h"
#include "retrograd/cuda/cublas_v2.h"
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#include "../../hostdevice.h"
#include "Factors.h"
// rg_convert_element
#include "../../deviceconvert.inc"

struct cublasContext {
  uint64_t Magic;
  cudaStream_t Stream;
  cublasPointerMode_t Numbers;
  cublasAtomicsMode_t Atomics;
  cublasMath_t Math;
};

namespace {
constexpr uint64_t Magic = 0x72676375626c6173;
bool valid(cublasHandle_t H) { return H && H->Magic == Magic; }
/// A handle is there, and Good holds.
cublasStatus_t check(cublasHandle_t H, bool Good) {
  rgcuda::beforeCall();
  return !valid(H) ? CUBLAS_STATUS_NOT_INITIALIZED
         : !Good   ? CUBLAS_STATUS_INVALID_VALUE
                   : CUBLAS_STATUS_SUCCESS;
}
#define CHECK(Good)                                                            \
  if (cublasStatus_t Error = check(handle, Good))                              \
  return Error

/// In a stream that is captured a graph gets the call, and numbers of the host
/// as they are.
#define LIST(Call, ...)                                                        \
  if (valid(handle) && rgcuda::lists(handle->Stream))                          \
  return listed(handle->Stream, Call, handle, __VA_ARGS__)
/// The same, of a routine with a result.
#define LIST_DEVICE(Call, ...)                                                 \
  if (valid(handle) && handle->Numbers == CUBLAS_POINTER_MODE_HOST &&          \
      rgcuda::lists(handle->Stream))                                           \
    rgcuda::mustNotList("cuBLAS");                                             \
  LIST(Call, __VA_ARGS__)
#define NUMBER(x) onHost(x, handle)
#define ANY_NUMBER(x)                                                          \
  rgcuda::AnyNumber(x, bytesOf(typeC, compute),                                \
                    handle->Numbers == CUBLAS_POINTER_MODE_HOST)
template <class F, class... A>
cublasStatus_t listed(cudaStream_t S, F *Call, A... Args) {
  rgcuda::list(S, [=]() -> int { return Call(Args...); });
  return CUBLAS_STATUS_SUCCESS;
}
template <class T>
rgcuda::GivenNumber<T> onHost(const T *x, cublasHandle_t handle) {
  return {x, handle->Numbers == CUBLAS_POINTER_MODE_HOST};
}
/// Of the numbers of a product with a result of that type.
size_t bytesOf(cudaDataType Type, cublasComputeType_t Compute) {
  return Compute == CUBLAS_COMPUTE_16F || Compute == 65 ? 2
         : Type == CUDA_C_64F                           ? 16
         : Type == CUDA_R_64F || Type == CUDA_C_32F     ? 8
                                                        : 4;
}

char transposition(cublasOperation_t Op) {
  return Op == CUBLAS_OP_N ? 'N' : Op == CUBLAS_OP_T ? 'T' : 'C';
}
float multiplied(float a, float b) { return a * b; }
double multiplied(double a, double b) { return a * b; }
cuComplex multiplied(cuComplex a, cuComplex b) { return cuCmulf(a, b); }
cuDoubleComplex multiplied(cuDoubleComplex a, cuDoubleComplex b) {
  return cuCmul(a, b);
}
float added(float a, float b) { return a + b; }
double added(double a, double b) { return a + b; }
cuComplex added(cuComplex a, cuComplex b) { return cuCaddf(a, b); }
cuDoubleComplex added(cuDoubleComplex a, cuDoubleComplex b) {
  return cuCadd(a, b);
}
float conjugated(float a) { return a; }
double conjugated(double a) { return a; }
cuComplex conjugated(cuComplex a) { return cuConjf(a); }
cuDoubleComplex conjugated(cuDoubleComplex a) { return cuConj(a); }
float magnitude(float a) { return std::abs(a); }
double magnitude(double a) { return std::abs(a); }
float magnitude(cuComplex a) { return std::abs(a.x) + std::abs(a.y); }
double magnitude(cuDoubleComplex a) { return std::abs(a.x) + std::abs(a.y); }
bool isZero(float a) { return a == 0; }
bool isZero(double a) { return a == 0; }
bool isZero(cuComplex a) { return a.x == 0 && a.y == 0; }
bool isZero(cuDoubleComplex a) { return a.x == 0 && a.y == 0; }
bool transposed(cublasOperation_t Op) { return Op != CUBLAS_OP_N; }
char triangle(cublasFillMode_t F) {
  return F == CUBLAS_FILL_MODE_LOWER ? 'L' : 'U';
}
char sideOf(cublasSideMode_t S) { return S == CUBLAS_SIDE_LEFT ? 'L' : 'R'; }
char diagonal(cublasDiagType_t D) { return D == CUBLAS_DIAG_UNIT ? 'U' : 'N'; }
/// x^T y or x^H y: how a Fortran function returns a complex number is the
/// compiler's business.
template <class R, class T>
T sumOfProducts(bool Conjugated, int n, const T *x, int incx, const T *y,
                int incy) {
  R Re = 0, Im = 0;
  for (int i = 0; i < n; ++i) {
    T X = x[(int64_t)(incx < 0 ? i - n + 1 : i) * incx];
    T Y = y[(int64_t)(incy < 0 ? i - n + 1 : i) * incy];
    R b = Conjugated ? -X.y : X.y;
    Re += X.x * Y.x - b * Y.y;
    Im += X.x * Y.y + b * Y.x;
  }
  T Sum;
  Sum.x = Re;
  Sum.y = Im;
  return Sum;
}
/// A leading dimension for that many rows.
bool fits(int ld, int Rows) { return ld >= std::max(1, Rows); }

template <class T> T *at(T *A, int i, int j, int ld) {
  return A + i + (int64_t)j * ld;
}
} // namespace

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle) {
  if (!handle)
    return CUBLAS_STATUS_INVALID_VALUE;
  *handle = new (std::nothrow)
      cublasContext{Magic, nullptr, CUBLAS_POINTER_MODE_HOST,
                    CUBLAS_ATOMICS_NOT_ALLOWED, CUBLAS_DEFAULT_MATH};
  return *handle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  CHECK(true);
  handle->Magic = 0;
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version) {
  CHECK(version);
  return *version = 130000, CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  CHECK(true);
  return handle->Stream = stream, CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t *stream) {
  CHECK(stream);
  return *stream = handle->Stream, CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *, size_t) {
  CHECK(true);
  return CUBLAS_STATUS_SUCCESS;
}
#define RG_SETTING(Name, Set, Get, Type)                                       \
  cublasStatus_t Set(cublasHandle_t handle, Type mode) {                       \
    CHECK(true);                                                               \
    return handle->Name = mode, CUBLAS_STATUS_SUCCESS;                         \
  }                                                                            \
  cublasStatus_t Get(cublasHandle_t handle, Type *mode) {                      \
    CHECK(mode);                                                               \
    return *mode = handle->Name, CUBLAS_STATUS_SUCCESS;                        \
  }
RG_SETTING(Numbers, cublasSetPointerMode_v2, cublasGetPointerMode_v2,
           cublasPointerMode_t)
RG_SETTING(Atomics, cublasSetAtomicsMode, cublasGetAtomicsMode,
           cublasAtomicsMode_t)
RG_SETTING(Math, cublasSetMathMode, cublasGetMathMode, cublasMath_t)

#define RG_STATUSES(X)                                                         \
  X(SUCCESS, "success")                                                        \
  X(NOT_INITIALIZED, "the library was not initialized")                        \
  X(ALLOC_FAILED, "the resource allocation failed")                            \
  X(INVALID_VALUE, "an invalid value was used as an argument")                 \
  X(MAPPING_ERROR, "an access to device memory failed")                        \
  X(EXECUTION_FAILED, "the function failed to launch on the device")           \
  X(NOT_SUPPORTED, "the functionality is not supported")
const char *cublasGetStatusName(cublasStatus_t status) {
  switch (status) {
#define X(Name, Text)                                                          \
  case CUBLAS_STATUS_##Name:                                                   \
    return "CUBLAS_STATUS_" #Name;
    RG_STATUSES(X)
#undef X
  default:
    return "unknown status";
  }
}
const char *cublasGetStatusString(cublasStatus_t status) {
  switch (status) {
#define X(Name, Text)                                                          \
  case CUBLAS_STATUS_##Name:                                                   \
    return Text;
    RG_STATUSES(X)
#undef X
  default:
    return "unknown status";
  }
}

cublasStatus_t cublasSetMatrixAsync(int rows, int cols, int bytes,
                                    const void *A, int lda, void *B, int ldb,
                                    cudaStream_t) {
  if (rows < 0 || cols < 0 || bytes <= 0 || lda <= 0 || ldb <= 0)
    return CUBLAS_STATUS_INVALID_VALUE;
  for (int j = 0; j < cols; ++j)
    if (rows)
      memmove(static_cast<char *>(B) + (int64_t)j * ldb * bytes,
              static_cast<const char *>(A) + (int64_t)j * lda * bytes,
              (size_t)rows * bytes);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetMatrix(int rows, int cols, int bytes, const void *A,
                               int lda, void *B, int ldb) {
  return cublasSetMatrixAsync(rows, cols, bytes, A, lda, B, ldb, nullptr);
}
cublasStatus_t cublasGetMatrix(int rows, int cols, int bytes, const void *A,
                               int lda, void *B, int ldb) {
  return cublasSetMatrixAsync(rows, cols, bytes, A, lda, B, ldb, nullptr);
}
cublasStatus_t cublasGetMatrixAsync(int rows, int cols, int bytes,
                                    const void *A, int lda, void *B, int ldb,
                                    cudaStream_t stream) {
  return cublasSetMatrixAsync(rows, cols, bytes, A, lda, B, ldb, stream);
}
cublasStatus_t cublasSetVector(int n, int bytes, const void *x, int incx,
                               void *y, int incy) {
  return cublasSetMatrixAsync(1, n, bytes, x, incx, y, incy, nullptr);
}
cublasStatus_t cublasGetVector(int n, int bytes, const void *x, int incx,
                               void *y, int incy) {
  return cublasSetMatrixAsync(1, n, bytes, x, incx, y, incy, nullptr);
}
cublasStatus_t cublasSetVectorAsync(int n, int bytes, const void *x, int incx,
                                    void *y, int incy, cudaStream_t stream) {
  return cublasSetMatrixAsync(1, n, bytes, x, incx, y, incy, stream);
}
cublasStatus_t cublasGetVectorAsync(int n, int bytes, const void *x, int incx,
                                    void *y, int incy, cudaStream_t stream) {
  return cublasSetMatrixAsync(1, n, bytes, x, incx, y, incy, stream);
}
} // extern "C"

#define T double
#define PART T
#define BLAS(x) d##x##_
#define INDEX(x) id##x##_
#define NAME(x) cublasD##x
#define INDEX_NAME(x) cublasId##x
#include "Cublas.inc"
#undef T
#undef BLAS
#undef INDEX
#undef PART
#undef NAME
#undef INDEX_NAME
#define T float
#define PART T
#define BLAS(x) s##x##_
#define INDEX(x) is##x##_
#define NAME(x) cublasS##x
#define INDEX_NAME(x) cublasIs##x
#include "Cublas.inc"
#undef T
#undef BLAS
#undef INDEX
#undef PART
#undef NAME
#undef INDEX_NAME
#define R double
#define T cuDoubleComplex
#define BLAS(x) z##x##_
#define NORM_BLAS dznrm2_
#define SUM_BLAS dzasum_
#define PART R
#define INDEX_NAME(x) cublasIz##x
#define SUM_NAME cublasDzasum_v2
#define ROTATE_NAME cublasZdrot_v2
#define NAME(x) cublasZ##x
#define NORM_NAME cublasDznrm2_v2
#define SCALE_NAME cublasZdscal_v2
#include "Cublas.inc"
#undef R
#undef T
#undef BLAS
#undef NORM_BLAS
#undef SUM_BLAS
#undef PART
#undef INDEX_NAME
#undef SUM_NAME
#undef ROTATE_NAME
#undef NAME
#undef NORM_NAME
#undef SCALE_NAME
#define R float
#define T cuComplex
#define BLAS(x) c##x##_
#define NORM_BLAS scnrm2_
#define SUM_BLAS scasum_
#define PART R
#define INDEX_NAME(x) cublasIc##x
#define SUM_NAME cublasScasum_v2
#define ROTATE_NAME cublasCsrot_v2
#define NAME(x) cublasC##x
#define NORM_NAME cublasScnrm2_v2
#define SCALE_NAME cublasCsscal_v2
#include "Cublas.inc"

extern "C" {
cublasStatus_t cublasCgemm3mBatched(
    cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB, int m,
    int n, int k, const cuComplex *alpha, const cuComplex *const A[], int lda,
    const cuComplex *const B[], int ldb, const cuComplex *beta,
    cuComplex *const C[], int ldc, int count) {
  return cublasCgemmBatched(handle, opA, opB, m, n, k, alpha, A, lda, B, ldb,
                            beta, C, ldc, count);
}
cublasStatus_t cublasCgemm3mStridedBatched(
    cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB, int m,
    int n, int k, const cuComplex *alpha, const cuComplex *A, int lda,
    long long int strideA, const cuComplex *B, int ldb, long long int strideB,
    const cuComplex *beta, cuComplex *C, int ldc, long long int strideC,
    int count) {
  return cublasCgemmStridedBatched(handle, opA, opB, m, n, k, alpha, A, lda,
                                   strideA, B, ldb, strideB, beta, C, ldc,
                                   strideC, count);
}
}

namespace {
/// Numbers of 16 bits are multiplied as floats, and rounded in the end.
cublasStatus_t narrowGemm(cublasHandle_t handle, cublasOperation_t opA,
                          cublasOperation_t opB, int m, int n, int k,
                          const void *alpha, const void *A, int lda,
                          long long int strideA, const void *B, int ldb,
                          long long int strideB, const void *beta, void *C,
                          int ldc, long long int strideC, int count, int Narrow,
                          bool IntoFloats, cublasComputeType_t compute) {
  CHECK(m >= 0 && n >= 0 && k >= 0 && alpha && beta && count >= 0 &&
        fits(lda, transposed(opA) ? k : m) &&
        fits(ldb, transposed(opB) ? n : k) && fits(ldc, m));
  bool InHalves = compute == CUBLAS_COMPUTE_16F ||
                  compute == static_cast<cublasComputeType_t>(65);
  float Alpha = rg_number_at(alpha, 0, InHalves ? RG_HALF : RG_FLOAT),
        Beta = rg_number_at(beta, 0, InHalves ? RG_HALF : RG_FLOAT);
  int rowsA = transposed(opA) ? k : m, colsA = transposed(opA) ? m : k;
  int rowsB = transposed(opB) ? n : k, colsB = transposed(opB) ? k : n;
  int Result = IntoFloats ? RG_FLOAT : Narrow;
  auto Convert = [](int From, const void *X, int64_t at, int ldx, int To,
                    void *Y, int64_t to, int ldy, int Rows, int Columns) {
    int64_t FromSize = From == RG_FLOAT ? 4 : 2,
            ToSize = To == RG_FLOAT ? 4 : 2;
    rg_convert E = {From,
                    To,
                    0,
                    Rows,
                    Columns,
                    ldx,
                    ldy,
                    static_cast<const char *>(X) + at * FromSize,
                    static_cast<char *>(Y) + to * ToSize};
    for (int j = 0; j < Columns; ++j)
      for (int i = 0; i < Rows; ++i)
        rg_convert_element(&E, i, j);
  };
  int lx = std::max(1, rowsA), ly = std::max(1, rowsB), lz = std::max(1, m);
  auto Room = [](int64_t Numbers) {
    return static_cast<float *>(malloc((Numbers + 1) * sizeof(float)));
  };
  float *X = Room((int64_t)rowsA * colsA), *Y = Room((int64_t)rowsB * colsB),
        *Z = Room((int64_t)m * n);
  cublasStatus_t Error =
      X && Y && Z ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
  for (int I = 0; I < count && !Error; ++I) {
    Convert(Narrow, A, I * strideA, lda, RG_FLOAT, X, 0, lx, rowsA, colsA);
    Convert(Narrow, B, I * strideB, ldb, RG_FLOAT, Y, 0, ly, rowsB, colsB);
    Convert(Result, C, I * strideC, ldc, RG_FLOAT, Z, 0, lz, m, n);
    auto Mode = handle->Numbers;
    Error = cublasSgemm_v2(handle, opA, opB, m, n, k, &Alpha, X, lx, Y, ly,
                           &Beta, Z, lz);
    handle->Numbers = Mode;
    Convert(RG_FLOAT, Z, 0, lz, Result, C, I * strideC, ldc, m, n);
  }
  free(X), free(Y), free(Z);
  return Error;
}
} // namespace

extern "C" {
cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t opA,
                            cublasOperation_t opB, int m, int n, int k,
                            const void *alpha, const void *A,
                            cudaDataType typeA, int lda, const void *B,
                            cudaDataType typeB, int ldb, const void *beta,
                            void *C, cudaDataType typeC, int ldc,
                            cublasComputeType_t compute,
                            cublasGemmAlgo_t algorithm) {
  return cublasGemmStridedBatchedEx(handle, opA, opB, m, n, k, alpha, A, typeA,
                                    lda, 0, B, typeB, ldb, 0, beta, C, typeC,
                                    ldc, 0, 1, compute, algorithm);
}
cublasStatus_t cublasHgemm(cublasHandle_t handle, cublasOperation_t opA,
                           cublasOperation_t opB, int m, int n, int k,
                           const struct __half *alpha, const struct __half *A,
                           int lda, const struct __half *B, int ldb,
                           const struct __half *beta, struct __half *C,
                           int ldc) {
  return cublasGemmEx(handle, opA, opB, m, n, k, alpha, A, CUDA_R_16F, lda, B,
                      CUDA_R_16F, ldb, beta, C, CUDA_R_16F, ldc,
                      CUBLAS_COMPUTE_16F, CUBLAS_GEMM_DEFAULT);
}
cublasStatus_t cublasHgemmStridedBatched(
    cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB, int m,
    int n, int k, const struct __half *alpha, const struct __half *A, int lda,
    long long int strideA, const struct __half *B, int ldb,
    long long int strideB, const struct __half *beta, struct __half *C, int ldc,
    long long int strideC, int count) {
  return cublasGemmStridedBatchedEx(
      handle, opA, opB, m, n, k, alpha, A, CUDA_R_16F, lda, strideA, B,
      CUDA_R_16F, ldb, strideB, beta, C, CUDA_R_16F, ldc, strideC, count,
      CUBLAS_COMPUTE_16F, CUBLAS_GEMM_DEFAULT);
}
cublasStatus_t cublasSgemmEx(cublasHandle_t handle, cublasOperation_t opA,
                             cublasOperation_t opB, int m, int n, int k,
                             const float *alpha, const void *A,
                             cudaDataType typeA, int lda, const void *B,
                             cudaDataType typeB, int ldb, const float *beta,
                             void *C, cudaDataType typeC, int ldc) {
  return cublasGemmEx(handle, opA, opB, m, n, k, alpha, A, typeA, lda, B, typeB,
                      ldb, beta, C, typeC, ldc, CUBLAS_COMPUTE_32F,
                      CUBLAS_GEMM_DEFAULT);
}
cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB, int m,
    int n, int k, const void *alpha, const void *A, cudaDataType typeA, int lda,
    long long int strideA, const void *B, cudaDataType typeB, int ldb,
    long long int strideB, const void *beta, void *C, cudaDataType typeC,
    int ldc, long long int strideC, int count, cublasComputeType_t compute,
    cublasGemmAlgo_t) {
  LIST(cublasGemmStridedBatchedEx, opA, opB, m, n, k, ANY_NUMBER(alpha), A,
       typeA, lda, strideA, B, typeB, ldb, strideB, ANY_NUMBER(beta), C, typeC,
       ldc, strideC, count, compute, CUBLAS_GEMM_DEFAULT);
  if (typeA == typeB && (typeA == CUDA_R_16F || typeA == CUDA_R_16BF) &&
      (typeC == typeA || typeC == CUDA_R_32F))
    return narrowGemm(handle, opA, opB, m, n, k, alpha, A, lda, strideA, B, ldb,
                      strideB, beta, C, ldc, strideC, count,
                      typeA == CUDA_R_16F ? RG_HALF : RG_BFLOAT,
                      typeC == CUDA_R_32F, compute);
  if (typeA == CUDA_R_64F && typeB == CUDA_R_64F && typeC == CUDA_R_64F)
    return cublasDgemmStridedBatched(
        handle, opA, opB, m, n, k, static_cast<const double *>(alpha),
        static_cast<const double *>(A), lda, strideA,
        static_cast<const double *>(B), ldb, strideB,
        static_cast<const double *>(beta), static_cast<double *>(C), ldc,
        strideC, count);
  if (typeA == CUDA_R_32F && typeB == CUDA_R_32F && typeC == CUDA_R_32F)
    return cublasSgemmStridedBatched(
        handle, opA, opB, m, n, k, static_cast<const float *>(alpha),
        static_cast<const float *>(A), lda, strideA,
        static_cast<const float *>(B), ldb, strideB,
        static_cast<const float *>(beta), static_cast<float *>(C), ldc, strideC,
        count);
  if (typeA == CUDA_C_64F && typeB == CUDA_C_64F && typeC == CUDA_C_64F)
    return cublasZgemmStridedBatched(
        handle, opA, opB, m, n, k, static_cast<const cuDoubleComplex *>(alpha),
        static_cast<const cuDoubleComplex *>(A), lda, strideA,
        static_cast<const cuDoubleComplex *>(B), ldb, strideB,
        static_cast<const cuDoubleComplex *>(beta),
        static_cast<cuDoubleComplex *>(C), ldc, strideC, count);
  if (typeA == CUDA_C_32F && typeB == CUDA_C_32F && typeC == CUDA_C_32F)
    return cublasCgemmStridedBatched(
        handle, opA, opB, m, n, k, static_cast<const cuComplex *>(alpha),
        static_cast<const cuComplex *>(A), lda, strideA,
        static_cast<const cuComplex *>(B), ldb, strideB,
        static_cast<const cuComplex *>(beta), static_cast<cuComplex *>(C), ldc,
        strideC, count);
  return valid(handle) ? CUBLAS_STATUS_NOT_SUPPORTED
                       : CUBLAS_STATUS_NOT_INITIALIZED;
}
cublasStatus_t cublasGemmBatchedEx(
    cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB, int m,
    int n, int k, const void *alpha, const void *const A[], cudaDataType typeA,
    int lda, const void *const B[], cudaDataType typeB, int ldb,
    const void *beta, void *const C[], cudaDataType typeC, int ldc, int count,
    cublasComputeType_t compute, cublasGemmAlgo_t algorithm) {
  LIST(cublasGemmBatchedEx, opA, opB, m, n, k, ANY_NUMBER(alpha), A, typeA, lda,
       B, typeB, ldb, ANY_NUMBER(beta), C, typeC, ldc, count, compute,
       algorithm);
  CHECK(count >= 0);
  for (int i = 0; i < count; ++i)
    if (cublasStatus_t Error = cublasGemmEx(
            handle, opA, opB, m, n, k, alpha, A[i], typeA, lda, B[i], typeB,
            ldb, beta, C[i], typeC, ldc, compute, algorithm))
      return Error;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasHgemmBatched(
    cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB, int m,
    int n, int k, const struct __half *alpha, const struct __half *const A[],
    int lda, const struct __half *const B[], int ldb, const struct __half *beta,
    struct __half *const C[], int ldc, int count) {
  return cublasGemmBatchedEx(
      handle, opA, opB, m, n, k, alpha, (const void *const *)A, CUDA_R_16F, lda,
      (const void *const *)B, CUDA_R_16F, ldb, beta, (void *const *)C,
      CUDA_R_16F, ldc, count, CUBLAS_COMPUTE_16F, CUBLAS_GEMM_DEFAULT);
}
} // extern "C"
