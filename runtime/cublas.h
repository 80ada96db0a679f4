/*===- cublas.h - derivatives of cuBLAS -----------------------------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* What blas_formulas.inc asks for, over device memory: matrices and vectors lie
|* on the device, numbers by value on the host, and adjoints are calls of
|* cuBLAS, beside elementwise work on the device (rg_device_map). See
|* docs/HostDevice.md.
|*
|* The queue of a rule has the handle and the stream: the program's own in the
|* primal sweep and in forward mode; in the reverse sweep one of ours, on the
|* default stream, since the program may have destroyed its own. Flags are
|* cuBLAS's enumerations.
\*===------------------------------------------------------------------------===*/
#ifndef RETROGRAD_RUNTIME_CUBLAS_H
#define RETROGRAD_RUNTIME_CUBLAS_H
#include "dense.h"
#include "devicearrays.h"
#include "strided.h"
#include <utility>

extern "C" {
int cudaStreamSynchronize(void *);
int cudaMemcpy2DAsync(void *, size_t, const void *, size_t, size_t, size_t, int,
                      void *);
int cublasCreate_v2(void **);
int cublasDestroy_v2(void *);
int cublasGetStream_v2(void *, void **);
int cublasGetPointerMode_v2(void *, int *);
int cublasSetPointerMode_v2(void *, int);
int cublasGetMathMode(void *, int *);
int cublasSetMathMode(void *, int);
void *rg_cublas_own(int Math);
int rg_cublas_status(int Status);
int cublasGemmEx(void *, int, int, int, int, int, const void *, const void *,
                 int, int, const void *, int, int, const void *, void *, int,
                 int, int, int);
int cublasGemmStridedBatchedEx(void *, int, int, int, int, int, const void *,
                               const void *, int, int, long long, const void *,
                               int, int, long long, const void *, void *, int,
                               int, long long, int, int, int);

#define RG_CUBLAS_SYMBOLS(T, P)                                                \
  int cublas##P##dot_v2(void *, int, const T *, int, const T *, int, T *);     \
  int cublas##P##nrm2_v2(void *, int, const T *, int, T *);                    \
  int cublas##P##asum_v2(void *, int, const T *, int, T *);                    \
  int cublas##P##axpy_v2(void *, int, const T *, const T *, int, T *, int);    \
  int cublas##P##scal_v2(void *, int, const T *, T *, int);                    \
  int cublas##P##copy_v2(void *, int, const T *, int, T *, int);               \
  int cublas##P##swap_v2(void *, int, T *, int, T *, int);                     \
  int cublas##P##gemv_v2(void *, int, int, int, const T *, const T *, int,     \
                         const T *, int, const T *, T *, int);                 \
  int cublas##P##ger_v2(void *, int, int, const T *, const T *, int,           \
                        const T *, int, T *, int);                             \
  int cublas##P##symv_v2(void *, int, int, const T *, const T *, int,          \
                         const T *, int, const T *, T *, int);                 \
  int cublas##P##syr_v2(void *, int, int, const T *, const T *, int, T *,      \
                        int);                                                  \
  int cublas##P##syr2_v2(void *, int, int, const T *, const T *, int,          \
                         const T *, int, T *, int);                            \
  int cublas##P##trmv_v2(void *, int, int, int, int, const T *, int, T *,      \
                         int);                                                 \
  int cublas##P##trsv_v2(void *, int, int, int, int, const T *, int, T *,      \
                         int);                                                 \
  int cublas##P##gemm_v2(void *, int, int, int, int, int, const T *,           \
                         const T *, int, const T *, int, const T *, T *, int); \
  int cublas##P##gemmStridedBatched(                                           \
      void *, int, int, int, int, int, const T *, const T *, int, long long,   \
      const T *, int, long long, const T *, T *, int, long long, int);         \
  int cublas##P##symm_v2(void *, int, int, int, int, const T *, const T *,     \
                         int, const T *, int, const T *, T *, int);            \
  int cublas##P##syrk_v2(void *, int, int, int, int, const T *, const T *,     \
                         int, const T *, T *, int);                            \
  int cublas##P##syr2k_v2(void *, int, int, int, int, const T *, const T *,    \
                          int, const T *, int, const T *, T *, int);           \
  int cublas##P##trmm_v2(void *, int, int, int, int, int, int, const T *,      \
                         const T *, int, const T *, int, T *, int);            \
  int cublas##P##trsm_v2(void *, int, int, int, int, int, int, const T *,      \
                         const T *, int, T *, int);                            \
  int cublas##P##geam(void *, int, int, int, int, const T *, const T *, int,   \
                      const T *, const T *, int, T *, int);                    \
  int cublas##P##dgmm(void *, int, int, int, const T *, int, const T *, int,   \
                      T *, int);
RG_CUBLAS_SYMBOLS(float, S)
RG_CUBLAS_SYMBOLS(double, D)
#undef RG_CUBLAS_SYMBOLS

// Complex numbers: R their parts, P and N the prefixes of names.
#define RG_CUBLAS_COMPLEX(R, P, N)                                             \
  int cublas##P##herk_v2(void *, int, int, int, int, const R *,                \
                         const rg::ComplexOf<R> *, int, const R *,             \
                         rg::ComplexOf<R> *, int);                             \
  int cublas##P##her2k_v2(void *, int, int, int, int,                          \
                          const rg::ComplexOf<R> *, const rg::ComplexOf<R> *,  \
                          int, const rg::ComplexOf<R> *, int, const R *,       \
                          rg::ComplexOf<R> *, int);                            \
  int cublas##P##symv_v2(void *, int, int, const rg::ComplexOf<R> *,           \
                         const rg::ComplexOf<R> *, int,                        \
                         const rg::ComplexOf<R> *, int,                        \
                         const rg::ComplexOf<R> *, rg::ComplexOf<R> *, int);   \
  int cublas##P##hemv_v2(void *, int, int, const rg::ComplexOf<R> *,           \
                         const rg::ComplexOf<R> *, int,                        \
                         const rg::ComplexOf<R> *, int,                        \
                         const rg::ComplexOf<R> *, rg::ComplexOf<R> *, int);   \
  int cublas##P##syr_v2(void *, int, int, const rg::ComplexOf<R> *,            \
                        const rg::ComplexOf<R> *, int, rg::ComplexOf<R> *,     \
                        int);                                                  \
  int cublas##P##her_v2(void *, int, int, const R *, const rg::ComplexOf<R> *, \
                        int, rg::ComplexOf<R> *, int);                         \
  int cublas##P##syr2_v2(                                                      \
      void *, int, int, const rg::ComplexOf<R> *, const rg::ComplexOf<R> *,    \
      int, const rg::ComplexOf<R> *, int, rg::ComplexOf<R> *, int);            \
  int cublas##P##her2_v2(                                                      \
      void *, int, int, const rg::ComplexOf<R> *, const rg::ComplexOf<R> *,    \
      int, const rg::ComplexOf<R> *, int, rg::ComplexOf<R> *, int);            \
  int cublas##P##dotu_v2(void *, int, const rg::ComplexOf<R> *, int,           \
                         const rg::ComplexOf<R> *, int, rg::ComplexOf<R> *);   \
  int cublas##P##dotc_v2(void *, int, const rg::ComplexOf<R> *, int,           \
                         const rg::ComplexOf<R> *, int, rg::ComplexOf<R> *);   \
  int cublas##N##nrm2_v2(void *, int, const rg::ComplexOf<R> *, int, R *);     \
  int cublas##P##axpy_v2(void *, int, const rg::ComplexOf<R> *,                \
                         const rg::ComplexOf<R> *, int, rg::ComplexOf<R> *,    \
                         int);                                                 \
  int cublas##P##scal_v2(void *, int, const rg::ComplexOf<R> *,                \
                         rg::ComplexOf<R> *, int);                             \
  int cublas##P##copy_v2(void *, int, const rg::ComplexOf<R> *, int,           \
                         rg::ComplexOf<R> *, int);                             \
  int cublas##P##swap_v2(void *, int, rg::ComplexOf<R> *, int,                 \
                         rg::ComplexOf<R> *, int);                             \
  int cublas##P##gemv_v2(void *, int, int, int, const rg::ComplexOf<R> *,      \
                         const rg::ComplexOf<R> *, int,                        \
                         const rg::ComplexOf<R> *, int,                        \
                         const rg::ComplexOf<R> *, rg::ComplexOf<R> *, int);   \
  int cublas##P##geru_v2(                                                      \
      void *, int, int, const rg::ComplexOf<R> *, const rg::ComplexOf<R> *,    \
      int, const rg::ComplexOf<R> *, int, rg::ComplexOf<R> *, int);            \
  int cublas##P##gerc_v2(                                                      \
      void *, int, int, const rg::ComplexOf<R> *, const rg::ComplexOf<R> *,    \
      int, const rg::ComplexOf<R> *, int, rg::ComplexOf<R> *, int);            \
  int cublas##P##gemm_v2(void *, int, int, int, int, int,                      \
                         const rg::ComplexOf<R> *, const rg::ComplexOf<R> *,   \
                         int, const rg::ComplexOf<R> *, int,                   \
                         const rg::ComplexOf<R> *, rg::ComplexOf<R> *, int);   \
  int cublas##P##trmm_v2(void *, int, int, int, int, int, int,                 \
                         const rg::ComplexOf<R> *, const rg::ComplexOf<R> *,   \
                         int, const rg::ComplexOf<R> *, int,                   \
                         rg::ComplexOf<R> *, int);                             \
  int cublas##P##trsm_v2(void *, int, int, int, int, int, int,                 \
                         const rg::ComplexOf<R> *, const rg::ComplexOf<R> *,   \
                         int, rg::ComplexOf<R> *, int);                        \
  int cublas##P##trmv_v2(void *, int, int, int, int, const rg::ComplexOf<R> *, \
                         int, rg::ComplexOf<R> *, int);                        \
  int cublas##P##trsv_v2(void *, int, int, int, int, const rg::ComplexOf<R> *, \
                         int, rg::ComplexOf<R> *, int);                        \
  int cublas##P##symm_v2(void *, int, int, int, int, const rg::ComplexOf<R> *, \
                         const rg::ComplexOf<R> *, int,                        \
                         const rg::ComplexOf<R> *, int,                        \
                         const rg::ComplexOf<R> *, rg::ComplexOf<R> *, int);   \
  int cublas##P##hemm_v2(void *, int, int, int, int, const rg::ComplexOf<R> *, \
                         const rg::ComplexOf<R> *, int,                        \
                         const rg::ComplexOf<R> *, int,                        \
                         const rg::ComplexOf<R> *, rg::ComplexOf<R> *, int);   \
  int cublas##P##syrk_v2(void *, int, int, int, int, const rg::ComplexOf<R> *, \
                         const rg::ComplexOf<R> *, int,                        \
                         const rg::ComplexOf<R> *, rg::ComplexOf<R> *, int);   \
  int cublas##P##syr2k_v2(void *, int, int, int, int,                          \
                          const rg::ComplexOf<R> *, const rg::ComplexOf<R> *,  \
                          int, const rg::ComplexOf<R> *, int,                  \
                          const rg::ComplexOf<R> *, rg::ComplexOf<R> *, int);  \
  int cublas##P##geam(void *, int, int, int, int, const rg::ComplexOf<R> *,    \
                      const rg::ComplexOf<R> *, int, const rg::ComplexOf<R> *, \
                      const rg::ComplexOf<R> *, int, rg::ComplexOf<R> *, int); \
  int cublas##P##dgmm(void *, int, int, int, const rg::ComplexOf<R> *, int,    \
                      const rg::ComplexOf<R> *, int, rg::ComplexOf<R> *, int); \
  int cublas##P##gemmStridedBatched(                                           \
      void *, int, int, int, int, int, const rg::ComplexOf<R> *,               \
      const rg::ComplexOf<R> *, int, long long, const rg::ComplexOf<R> *, int, \
      long long, const rg::ComplexOf<R> *, rg::ComplexOf<R> *, int, long long, \
      int);
RG_CUBLAS_COMPLEX(float, C, Sc)
RG_CUBLAS_COMPLEX(double, Z, Dz)
#undef RG_CUBLAS_COMPLEX
}

namespace rg {
template <class T> struct PartsOf {
  using Type = T;
};
template <class R> struct PartsOf<ComplexOf<R>> {
  using Type = R;
};
} // namespace rg
// Of real numbers and complex ones: T the numbers, R their parts.
extern "C" {
#define RG_CUBLAS_OTHERS(T, R, P, I)                                           \
  int cublas##P##gbmv_v2(void *, int, int, int, int, int, const T *,           \
                         const T *, int, const T *, int, const T *, T *, int); \
  int cublas##P##tbmv_v2(void *, int, int, int, int, int, const T *, int, T *, \
                         int);                                                 \
  int cublas##P##tbsv_v2(void *, int, int, int, int, int, const T *, int, T *, \
                         int);                                                 \
  int cublas##P##tpttr(void *, int, int, const T *, T *, int);                 \
  int cublas##P##trttp(void *, int, int, const T *, int, T *);                 \
  int cublas##P##syrkx(void *, int, int, int, int, const T *, const T *, int,  \
                       const T *, int, const T *, T *, int);                   \
  int cublasI##I##amax_v2(void *, int, const T *, int, int *);                 \
  int cublasI##I##amin_v2(void *, int, const T *, int, int *);
RG_CUBLAS_OTHERS(float, float, S, s)
RG_CUBLAS_OTHERS(double, double, D, d)
RG_CUBLAS_OTHERS(rg::ComplexOf<float>, float, C, c)
RG_CUBLAS_OTHERS(rg::ComplexOf<double>, double, Z, z)
#undef RG_CUBLAS_OTHERS
#define RG_CUBLAS_OTHERS_COMPLEX(T, R, P, N)                                   \
  int cublas##P##rot_v2(void *, int, T *, int, T *, int, const R *,            \
                        const T *);                                            \
  int cublas##P##herkx(void *, int, int, int, int, const T *, const T *, int,  \
                       const T *, int, const R *, T *, int);                   \
  int cublas##N##asum_v2(void *, int, const T *, int, R *);
RG_CUBLAS_OTHERS_COMPLEX(rg::ComplexOf<float>, float, C, Sc)
RG_CUBLAS_OTHERS_COMPLEX(rg::ComplexOf<double>, double, Z, Dz)
#undef RG_CUBLAS_OTHERS_COMPLEX
int cublasSrotm_v2(void *, int, float *, int, float *, int, const float *);
int cublasDrotm_v2(void *, int, double *, int, double *, int, const double *);
}

namespace rg::device {

enum { OpN = 0, OpT = 1, OpC = 2, Lower = 0, Upper = 1, Left = 0, Right = 1 };
enum { Unit = 1, Host = 0 };
inline bool none(int t) { return t == OpN; }
inline bool left(int s) { return s == Left; }
inline bool unit(int d) { return d == Unit; }
inline int flipped(int t) { return none(t) ? OpT : OpN; }
inline int triangle(int u) { return u == Lower ? RG_LOWER : RG_UPPER; }

/// The handle is operand 0. Triangular products have an operand for the result.
enum { First = 1, ProductInPlace = 0 };

/// Where calls go.
struct Queue {
  void *h;
  void *stream = nullptr;
  Queue(void *h = nullptr) : h(h) {}
};

#define RG_CUBLAS_OVERLOADS(T, P)                                              \
  inline int symv(Queue q, int u, int n, T a, const T *A, int lda, const T *x, \
                  int incx, T b, T *y, int incy) {                             \
    return cublas##P##symv_v2(q.h, u, n, &a, A, lda, x, incx, &b, y, incy);    \
  }                                                                            \
  inline int syr(Queue q, int u, int n, T a, const T *x, int incx, T *A,       \
                 int lda) {                                                    \
    return cublas##P##syr_v2(q.h, u, n, &a, x, incx, A, lda);                  \
  }                                                                            \
  inline int syr2(Queue q, int u, int n, T a, const T *x, int incx,            \
                  const T *y, int incy, T *A, int lda) {                       \
    return cublas##P##syr2_v2(q.h, u, n, &a, x, incx, y, incy, A, lda);        \
  }                                                                            \
  inline int trmv(Queue q, int u, int t, int d, int n, const T *A, int lda,    \
                  T *x, int incx) {                                            \
    return cublas##P##trmv_v2(q.h, u, t, d, n, A, lda, x, incx);               \
  }                                                                            \
  inline int trsv(Queue q, int u, int t, int d, int n, const T *A, int lda,    \
                  T *x, int incx) {                                            \
    return cublas##P##trsv_v2(q.h, u, t, d, n, A, lda, x, incx);               \
  }                                                                            \
  inline int symm(Queue q, int s, int u, int m, int n, T a, const T *A,        \
                  int lda, const T *B, int ldb, T b, T *C, int ldc) {          \
    return cublas##P##symm_v2(q.h, s, u, m, n, &a, A, lda, B, ldb, &b, C,      \
                              ldc);                                            \
  }                                                                            \
  inline int syrk(Queue q, int u, int t, int n, int k, T a, const T *A,        \
                  int lda, T b, T *C, int ldc) {                               \
    return cublas##P##syrk_v2(q.h, u, t, n, k, &a, A, lda, &b, C, ldc);        \
  }                                                                            \
  inline int syr2k(Queue q, int u, int t, int n, int k, T a, const T *A,       \
                   int lda, const T *B, int ldb, T b, T *C, int ldc) {         \
    return cublas##P##syr2k_v2(q.h, u, t, n, k, &a, A, lda, B, ldb, &b, C,     \
                               ldc);                                           \
  }                                                                            \
  inline int geam(Queue q, int ta, int tb, int m, int n, T a, const T *A,      \
                  int lda, T b, const T *B, int ldb, T *C, int ldc) {          \
    return cublas##P##geam(q.h, ta, tb, m, n, &a, A, lda, &b, B, ldb, C, ldc); \
  }                                                                            \
  inline int dgmm(Queue q, int s, int m, int n, const T *A, int lda,           \
                  const T *x, int incx, T *C, int ldc) {                       \
    return cublas##P##dgmm(q.h, s, m, n, A, lda, x, incx, C, ldc);             \
  }                                                                            \
  inline int trmm(Queue q, int s, int u, int t, int d, int m, int n, T a,      \
                  const T *A, int lda, const T *B, int ldb, T *C, int ldc) {   \
    return cublas##P##trmm_v2(q.h, s, u, t, d, m, n, &a, A, lda, B, ldb, C,    \
                              ldc);                                            \
  }                                                                            \
  inline int trsm(Queue q, int s, int u, int t, int d, int m, int n, T a,      \
                  const T *A, int lda, T *B, int ldb) {                        \
    return cublas##P##trsm_v2(q.h, s, u, t, d, m, n, &a, A, lda, B, ldb);      \
  }                                                                            \
  inline int axpy(Queue q, int n, T a, const T *x, int incx, T *y, int incy) { \
    return cublas##P##axpy_v2(q.h, n, &a, x, incx, y, incy);                   \
  }                                                                            \
  inline int scal(Queue q, int n, T a, T *x, int incx) {                       \
    return cublas##P##scal_v2(q.h, n, &a, x, incx);                            \
  }                                                                            \
  inline int copy(Queue q, int n, const T *x, int incx, T *y, int incy) {      \
    return cublas##P##copy_v2(q.h, n, x, incx, y, incy);                       \
  }                                                                            \
  inline int swap(Queue q, int n, T *x, int incx, T *y, int incy) {            \
    return cublas##P##swap_v2(q.h, n, x, incx, y, incy);                       \
  }                                                                            \
  inline int gemv(Queue q, int t, int m, int n, T a, const T *A, int lda,      \
                  const T *x, int incx, T b, T *y, int incy) {                 \
    return cublas##P##gemv_v2(q.h, t, m, n, &a, A, lda, x, incx, &b, y, incy); \
  }                                                                            \
  inline int gemm(Queue q, int ta, int tb, int m, int n, int k, T a,           \
                  const T *A, int lda, const T *B, int ldb, T b, T *C,         \
                  int ldc) {                                                   \
    return cublas##P##gemm_v2(q.h, ta, tb, m, n, k, &a, A, lda, B, ldb, &b, C, \
                              ldc);                                            \
  }                                                                            \
  inline int gemms(Queue q, int ta, int tb, int m, int n, int k, T a,          \
                   const T *A, int lda, long long sa, const T *B, int ldb,     \
                   long long sb, T b, T *C, int ldc, long long sc, int N) {    \
    return cublas##P##gemmStridedBatched(q.h, ta, tb, m, n, k, &a, A, lda, sa, \
                                         B, ldb, sb, &b, C, ldc, sc, N);       \
  }
#define RG_CUBLAS_REAL_OVERLOADS(T, P)                                         \
  inline int dotTo(Queue q, int n, const T *x, int incx, const T *y, int incy, \
                   T *r) {                                                     \
    return cublas##P##dot_v2(q.h, n, x, incx, y, incy, r);                     \
  }                                                                            \
  inline int nrm2To(Queue q, int n, const T *x, int incx, T *r) {              \
    return cublas##P##nrm2_v2(q.h, n, x, incx, r);                             \
  }                                                                            \
  inline int asumTo(Queue q, int n, const T *x, int incx, T *r) {              \
    return cublas##P##asum_v2(q.h, n, x, incx, r);                             \
  }                                                                            \
  inline int ger(Queue q, int m, int n, T a, const T *x, int incx, const T *y, \
                 int incy, T *A, int lda) {                                    \
    return cublas##P##ger_v2(q.h, m, n, &a, x, incx, y, incy, A, lda);         \
  }                                                                            \
  inline int gerc(Queue q, int m, int n, T a, const T *x, int incx,            \
                  const T *y, int incy, T *A, int lda) {                       \
    return ger(q, m, n, a, x, incx, y, incy, A, lda);                          \
  }
#define RG_CUBLAS_COMPLEX_OVERLOADS(T, R, P, N)                                \
  inline int herk(Queue q, int u, int t, int n, int k, R a, const T *A,        \
                  int lda, R b, T *C, int ldc) {                               \
    return cublas##P##herk_v2(q.h, u, t, n, k, &a, A, lda, &b, C, ldc);        \
  }                                                                            \
  inline int her2k(Queue q, int u, int t, int n, int k, T a, const T *A,       \
                   int lda, const T *B, int ldb, R b, T *C, int ldc) {         \
    return cublas##P##her2k_v2(q.h, u, t, n, k, &a, A, lda, B, ldb, &b, C,     \
                               ldc);                                           \
  }                                                                            \
  inline int hemv(Queue q, int u, int n, T a, const T *A, int lda, const T *x, \
                  int incx, T b, T *y, int incy) {                             \
    return cublas##P##hemv_v2(q.h, u, n, &a, A, lda, x, incx, &b, y, incy);    \
  }                                                                            \
  inline int her(Queue q, int u, int n, R a, const T *x, int incx, T *A,       \
                 int lda) {                                                    \
    return cublas##P##her_v2(q.h, u, n, &a, x, incx, A, lda);                  \
  }                                                                            \
  inline int her2(Queue q, int u, int n, T a, const T *x, int incx,            \
                  const T *y, int incy, T *A, int lda) {                       \
    return cublas##P##her2_v2(q.h, u, n, &a, x, incx, y, incy, A, lda);        \
  }                                                                            \
  inline int hemm(Queue q, int s, int u, int m, int n, T a, const T *A,        \
                  int lda, const T *B, int ldb, T b, T *C, int ldc) {          \
    return cublas##P##hemm_v2(q.h, s, u, m, n, &a, A, lda, B, ldb, &b, C,      \
                              ldc);                                            \
  }                                                                            \
  inline int dotuTo(Queue q, int n, const T *x, int incx, const T *y,          \
                    int incy, T *r) {                                          \
    return cublas##P##dotu_v2(q.h, n, x, incx, y, incy, r);                    \
  }                                                                            \
  inline int dotTo(Queue q, int n, const T *x, int incx, const T *y, int incy, \
                   T *r) {                                                     \
    return cublas##P##dotc_v2(q.h, n, x, incx, y, incy, r);                    \
  }                                                                            \
  inline int nrm2To(Queue q, int n, const T *x, int incx, R *r) {              \
    return cublas##N##nrm2_v2(q.h, n, x, incx, r);                             \
  }                                                                            \
  inline int ger(Queue q, int m, int n, T a, const T *x, int incx, const T *y, \
                 int incy, T *A, int lda) {                                    \
    return cublas##P##geru_v2(q.h, m, n, &a, x, incx, y, incy, A, lda);        \
  }                                                                            \
  inline int gerc(Queue q, int m, int n, T a, const T *x, int incx,            \
                  const T *y, int incy, T *A, int lda) {                       \
    return cublas##P##gerc_v2(q.h, m, n, &a, x, incx, y, incy, A, lda);        \
  }
#define RG_CUBLAS_OTHERS(T, P)                                                 \
  inline int gbmv(Queue q, int t, int m, int n, int l, int u, T a, const T *A, \
                  int lda, const T *x, int incx, T b, T *y, int incy) {        \
    return cublas##P##gbmv_v2(q.h, t, m, n, l, u, &a, A, lda, x, incx, &b, y,  \
                              incy);                                           \
  }                                                                            \
  inline int tbmv(Queue q, int u, int t, int d, int n, int k, const T *A,      \
                  int lda, T *x, int incx) {                                   \
    return cublas##P##tbmv_v2(q.h, u, t, d, n, k, A, lda, x, incx);            \
  }                                                                            \
  inline int tbsv(Queue q, int u, int t, int d, int n, int k, const T *A,      \
                  int lda, T *x, int incx) {                                   \
    return cublas##P##tbsv_v2(q.h, u, t, d, n, k, A, lda, x, incx);            \
  }                                                                            \
  inline int tpttr(Queue q, int u, int n, const T *AP, T *A, int lda) {        \
    return cublas##P##tpttr(q.h, u, n, AP, A, lda);                            \
  }                                                                            \
  inline int trttp(Queue q, int u, int n, const T *A, int lda, T *AP) {        \
    return cublas##P##trttp(q.h, u, n, A, lda, AP);                            \
  }
RG_CUBLAS_OTHERS(float, S)
RG_CUBLAS_OTHERS(double, D)
RG_CUBLAS_OTHERS(ComplexOf<float>, C)
RG_CUBLAS_OTHERS(ComplexOf<double>, Z)
#undef RG_CUBLAS_OTHERS
#define RG_CUBLAS_OTHERS_REAL(T, P)                                            \
  inline int rotate(Queue q, int n, T *x, int incx, T *y, int incy, T c, T s,  \
                    T e, T f) {                                                \
    T All[] = {-1, c, e, s, f};                                                \
    return cublas##P##rotm_v2(q.h, n, x, incx, y, incy, All);                  \
  }                                                                            \
  inline int rankx(Queue q, bool, int u, int t, int n, int k, T a, const T *A, \
                   int lda, const T *B, int ldb, T b, T *C, int ldc) {         \
    return cublas##P##syrkx(q.h, u, t, n, k, &a, A, lda, B, ldb, &b, C, ldc);  \
  }
RG_CUBLAS_OTHERS_REAL(float, S)
RG_CUBLAS_OTHERS_REAL(double, D)
#undef RG_CUBLAS_OTHERS_REAL
#define RG_CUBLAS_OTHERS_COMPLEX(T, R, P, N)                                   \
  inline int rotate(Queue q, int n, T *x, int incx, T *y, int incy, T c, T s,  \
                    T, T) {                                                    \
    return cublas##P##rot_v2(q.h, n, x, incx, y, incy, &c.re, &s);             \
  }                                                                            \
  inline int rankx(Queue q, bool Hermitian, int u, int t, int n, int k, T a,   \
                   const T *A, int lda, const T *B, int ldb, T b, T *C,        \
                   int ldc) {                                                  \
    return Hermitian ? cublas##P##herkx(q.h, u, t, n, k, &a, A, lda, B, ldb,   \
                                        &b.re, C, ldc)                         \
                     : cublas##P##syrkx(q.h, u, t, n, k, &a, A, lda, B, ldb,   \
                                        &b, C, ldc);                           \
  }                                                                            \
  inline int asumTo(Queue q, int n, const T *x, int incx, R *r) {              \
    return cublas##N##asum_v2(q.h, n, x, incx, r);                             \
  }
RG_CUBLAS_OTHERS_COMPLEX(ComplexOf<float>, float, C, Sc)
RG_CUBLAS_OTHERS_COMPLEX(ComplexOf<double>, double, Z, Dz)
#undef RG_CUBLAS_OTHERS_COMPLEX
RG_CUBLAS_OVERLOADS(float, S)
RG_CUBLAS_OVERLOADS(double, D)
RG_CUBLAS_OVERLOADS(ComplexOf<float>, C)
RG_CUBLAS_OVERLOADS(ComplexOf<double>, Z)
RG_CUBLAS_REAL_OVERLOADS(float, S)
RG_CUBLAS_REAL_OVERLOADS(double, D)
RG_CUBLAS_COMPLEX_OVERLOADS(ComplexOf<float>, float, C, Sc)
RG_CUBLAS_COMPLEX_OVERLOADS(ComplexOf<double>, double, Z, Dz)
#undef RG_CUBLAS_REAL_OVERLOADS
#undef RG_CUBLAS_COMPLEX_OVERLOADS
#undef RG_CUBLAS_OVERLOADS

//===-- Elementwise work
//----------------------------------------------------===//

/// B = b B + a f(A, C) on the triangle.
template <class T>
inline void map(Queue q, int What, int Triangle, bool Strict, int64_t m,
                int64_t n, T a, Strided<const T> A, Strided<const T> C, T b,
                Strided<T> B) {
  if (m <= 0 || n <= 0)
    return;
  rg_map M = {sizeof(T) == sizeof(double),
              What,
              Triangle,
              Strict,
              m,
              n,
              a,
              b,
              A.P,
              C.P,
              B.P,
              A.s0,
              A.s1,
              B.s0,
              B.s1,
              C.s0,
              C.s1};
  rg_device_map(&M, q.stream);
}
template <class T>
inline void addTo(Queue q, int64_t m, int64_t n, T a, Strided<const T> A,
                  Strided<T> B, int Triangle = RG_ALL, bool Strict = false) {
  map(q, RG_MAP_COPY, Triangle, Strict, m, n, a, A, nothing<T>(), T(1), B);
}
template <class T>
inline void assignTo(Queue q, int64_t m, int64_t n, T a, Strided<const T> A,
                     Strided<T> B, int Triangle = RG_ALL, bool Strict = false) {
  map(q, RG_MAP_COPY, Triangle, Strict, m, n, a, A, nothing<T>(), T(0), B);
}
/// B += a A C, element by element.
template <class T>
inline void addProduct(Queue q, int64_t m, int64_t n, T a, Strided<const T> A,
                       Strided<const T> C, Strided<T> B, int Triangle = RG_ALL,
                       bool Strict = false) {
  map(q, RG_MAP_PRODUCT, Triangle, Strict, m, n, a, A, C, T(1), B);
}
/// A *= a; zero for a = 0, whatever was there.
template <class T>
inline void scaleBy(Queue q, int64_t m, int64_t n, T a, Strided<T> A,
                    int Triangle = RG_ALL) {
  if (a != 1)
    map(q, RG_MAP_COPY, Triangle, false, m, n, a == 0 ? T(0) : a, constant(A),
        nothing<T>(), T(0), A);
  if (a == 0) // 0 times infinity
    map(q, RG_MAP_ONE, Triangle, false, m, n, T(0), nothing<T>(), nothing<T>(),
        T(0), A);
}
/// Device memory of one rule call.
template <class T> class Scratch {
  rg_room Room;
  Queue q;

public:
  Scratch(Queue q, int64_t Count)
      : Room(rg_gpu_room((Count > 0 ? Count : 1) * sizeof(T), "cuBLAS")), q(q) {
  }
  Scratch(const Scratch &) = delete;
  ~Scratch() {
    if (q.stream) // what is given back is other streams', too
      cudaStreamSynchronize(q.stream);
    rg_gpu_room_back(Room);
  }
  operator T *() { return reinterpret_cast<T *>(Room.at); }
};

// Of complex numbers: by real and imaginary parts.
template <class R>
inline Strided<const R> part(Strided<const ComplexOf<R>> A, int Which) {
  return {reinterpret_cast<const R *>(A.P) + Which, 2 * A.s0, 2 * A.s1};
}
template <class R> inline Strided<R> part(Strided<ComplexOf<R>> A, int Which) {
  return {reinterpret_cast<R *>(A.P) + Which, 2 * A.s0, 2 * A.s1};
}
/// B = b B + a A, for b = 0 or 1; B is not A, unless a is real.
template <class R>
inline void combine(Queue q, int64_t m, int64_t n, ComplexOf<R> a,
                    Strided<const ComplexOf<R>> A, R b, Strided<ComplexOf<R>> B,
                    int Triangle, bool Strict) {
  auto Map = [&](int From, R f, R Keep, int To) {
    map(q, RG_MAP_COPY, Triangle, Strict, m, n, f, part(A, From), nothing<R>(),
        Keep, part(B, To));
  };
  for (int To : {0, 1}) {
    Map(To, a.re, b, To);
    if (a.im != 0)
      Map(1 - To, To ? a.im : -a.im, R(1), To);
  }
}
/// B += A C, or conj(A) C, element by element.
template <class R>
inline void addProductOf(Queue q, int64_t m, int64_t n, bool Conjugate,
                         Strided<const ComplexOf<R>> A,
                         Strided<const ComplexOf<R>> C,
                         Strided<ComplexOf<R>> B) {
  R i = Conjugate ? -1 : 1;
  addProduct(q, m, n, R(1), part(A, 0), part(C, 0), part(B, 0));
  addProduct(q, m, n, -i, part(A, 1), part(C, 1), part(B, 0));
  addProduct(q, m, n, R(1), part(A, 0), part(C, 1), part(B, 1));
  addProduct(q, m, n, i, part(A, 1), part(C, 0), part(B, 1));
}
inline void addProductOf(Queue q, int64_t m, int64_t n, bool,
                         Strided<const float> A, Strided<const float> C,
                         Strided<float> B) {
  addProduct(q, m, n, 1.0f, A, C, B);
}
inline void addProductOf(Queue q, int64_t m, int64_t n, bool,
                         Strided<const double> A, Strided<const double> C,
                         Strided<double> B) {
  addProduct(q, m, n, 1.0, A, C, B);
}
/// n ones.
template <class T> inline void ones(Queue q, int n, T *x) {
  map(q, RG_MAP_ONE, RG_ALL, false, n, 1, T(1), nothing<T>(), nothing<T>(),
      T(0), Strided<T>{x, 1, 0});
}
template <class R> inline void ones(Queue q, int n, ComplexOf<R> *x) {
  Strided<ComplexOf<R>> X{x, 1, 0};
  for (int Which : {0, 1})
    map(q, RG_MAP_ONE, RG_ALL, false, n, 1, R(1 - Which), nothing<R>(),
        nothing<R>(), R(0), part(X, Which));
}
template <class R>
inline void addTo(Queue q, int64_t m, int64_t n, ComplexOf<R> a,
                  Strided<const ComplexOf<R>> A, Strided<ComplexOf<R>> B,
                  int Triangle = RG_ALL, bool Strict = false) {
  combine(q, m, n, a, A, R(1), B, Triangle, Strict);
}
template <class R>
inline void assignTo(Queue q, int64_t m, int64_t n, ComplexOf<R> a,
                     Strided<const ComplexOf<R>> A, Strided<ComplexOf<R>> B,
                     int Triangle = RG_ALL, bool Strict = false) {
  combine(q, m, n, a, A, R(0), B, Triangle, Strict);
}
template <class R>
inline void scaleBy(Queue q, int64_t m, int64_t n, ComplexOf<R> a,
                    Strided<ComplexOf<R>> A, int Triangle = RG_ALL) {
  if (a.im == 0) {
    for (int Which : {0, 1})
      scaleBy(q, m, n, a.re, part(A, Which), Triangle);
    return;
  }
  Scratch<ComplexOf<R>> Old(q, m * n);
  Strided<ComplexOf<R>> Copy{Old, 1, m};
  assignTo(q, m, n, ComplexOf<R>(1), constant(A), Copy);
  assignTo(q, m, n, a, constant(Copy), A, Triangle);
}

template <class T>
inline T dot(Queue q, int n, const T *x, int incx, const T *y, int incy) {
  T R = 0;
  must(dotTo(q, n, x, incx, y, incy, &R), "dot");
  return R;
}
template <class T>
inline T inner(Queue q, int m, int n, Strided<const T> A, Strided<const T> B,
               int Triangle = RG_ALL) {
  int64_t Count = (int64_t)m * n;
  if (!Count)
    return 0;
  Scratch<T> X(q, Count), Y(q, Count);
  for (auto [From, Of] : {std::pair(A, (T *)X), std::pair(B, (T *)Y)}) {
    Strided<T> To{Of, 1, m};
    if (Triangle)
      clear(q, m, n, To);
    assignTo(q, m, n, T(1), From, To, Triangle);
  }
  T R = 0;
  for (int64_t At = 0, Step = 1 << 30; At < Count; At += Step) {
    int N = Count - At < Step ? Count - At : Step;
    R += dot<T>(q, N, X + At, 1, Y + At, 1);
  }
  return R;
}

//===-- What is kept
//--------------------------------------------------------===//

/// The tape of one call. Which operand has which number is the routine's
/// business.
struct Kept {
  uint64_t Active;
  int Device, Math, Status;
  rg_room Room[3];
};

/// An operand as it was.
template <class T> struct Was {
  const T *P;
  int ld;
  long long Stride;
};

class Keeper {
  Kept &K;
  Queue q;

  template <class T>
  void copyOf(int I, int m, int n, const T *A, int lda, int Count,
              long long Stride) {
    rg_gpu_wait("cuBLAS"); // for other streams
    K.Room[I] = rg_gpu_room((uint64_t)m * n * Count * sizeof(T) + 1, "cuBLAS");
    Queue Default(q.h);
    for (int N = 0; N != Count; ++N)
      if constexpr (sizeof(T) == 2) // moved, not computed with
        must(cudaMemcpy2DAsync((T *)K.Room[I].at + (int64_t)N * m * n,
                               m * sizeof(T), A + N * Stride, lda * sizeof(T),
                               m * sizeof(T), n, 3 /* on the device */,
                               nullptr),
             "cudaMemcpy2D");
      else
        assignTo(Default, m, n, T(1), matrix(A + N * Stride, lda),
                 matrix((T *)K.Room[I].at + (int64_t)N * m * n, m));
    rg_gpu_wait("cuBLAS");
  }

public:
  Keeper(Kept &K, Queue q) : K(K), q(q) {}
  /// An operand that the call does not overwrite.
  template <class T>
  void in(int I, int m, int n, const T *A, int lda, int Count = 1,
          long long Stride = 0) {
    if (m > 0 && n > 0 && !rg_gpu_reads(A))
      copyOf(I, m, n, A, lda, Count, Stride);
  }
  /// One that it overwrites.
  template <class T>
  void old(int I, int m, int n, const T *A, int lda, int Count = 1,
           long long Stride = 0) {
    if (m > 0 && n > 0)
      copyOf(I, m, n, A, lda, Count, Stride);
  }
  // Vectors are matrices of one row, whose elements lie `step` apart.
  template <class T> void in(int I, int n, const T *x, int inc) {
    in(I, 1, n, x, inc < 0 ? -inc : inc);
  }
  template <class T> void old(int I, int n, const T *x, int inc) {
    old(I, 1, n, x, inc < 0 ? -inc : inc);
  }
};
template <class T>
inline Was<T> was(const Kept &K, int I, int m, int n, const T *A, int lda,
                  long long Stride = 0) {
  if (K.Room[I].at)
    return {(const T *)K.Room[I].at, m, (long long)m * n};
  return {A, lda, Stride};
}
/// A kept vector has the step 1, or -1 where it was counted backwards.
template <class T>
inline Was<T> wasVector(const Kept &K, int I, const T *x, int inc) {
  if (K.Room[I].at)
    return {(const T *)K.Room[I].at, inc < 0 ? -1 : inc ? 1 : 0, 0};
  return {x, inc, 0};
}

} // namespace rg::device

#endif
