/*===- cublas.h - derivatives of cuBLAS -----------------------------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* The mathematics of blas.h over device memory: matrices and vectors lie on the
|* device, numbers by value on the host, and adjoints are calls of cuBLAS,
|* beside elementwise work on the device (rg_device_map). See
|* docs/HostDevice.md.
|*
|* A struct per routine, as in blas.h. What differs:
|*
|*   q                   the handle and the stream: the program's own in
|*                       the primal sweep and in forward mode; in the
|*                       reverse sweep one of ours, on the default
|*                       stream, since the program may have destroyed its
|*                       own
|*   keep(k)             before primal(), and
|*   keepAfter(k)        behind it: which operands reverse()
|*                       reads. Memory that is only read is
|*                       not copied: the book of device
|*                       memory has it back in place
|*                       (rg_gpu_reads)
|*
|* Flags are cuBLAS's enumerations.
\*===------------------------------------------------------------------------===*/
#ifndef RETROGRAD_RUNTIME_CUBLAS_H
#define RETROGRAD_RUNTIME_CUBLAS_H
#include "dense.h"
#include "devicearrays.h"
#include <utility>

extern "C" {
int cudaStreamSynchronize(void *);
int cublasCreate_v2(void **);
int cublasDestroy_v2(void *);
int cublasGetStream_v2(void *, void **);
int cublasGetPointerMode_v2(void *, int *);
int cublasSetPointerMode_v2(void *, int);
int cublasGetMathMode(void *, int *);
int cublasSetMathMode(void *, int);
void *rg_cublas_own(int Math);
int rg_cublas_status(int Status);

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
}

namespace rg::device {

enum { OpN = 0, OpT = 1, Lower = 0, Upper = 1, Left = 0, Unit = 1, Host = 0 };
inline bool none(int t) { return t == OpN; }
inline int flipped(int t) { return none(t) ? OpT : OpN; }
inline int triangle(int u) { return u == Lower ? RG_LOWER : RG_UPPER; }

/// Where calls go.
struct Queue {
  void *h;
  void *stream = nullptr;
  Queue(void *h) : h(h) {}
};

#define RG_CUBLAS_OVERLOADS(T, P)                                              \
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
  inline int ger(Queue q, int m, int n, T a, const T *x, int incx, const T *y, \
                 int incy, T *A, int lda) {                                    \
    return cublas##P##ger_v2(q.h, m, n, &a, x, incx, y, incy, A, lda);         \
  }                                                                            \
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
  inline int trmm(Queue q, int s, int u, int t, int d, int m, int n, T a,      \
                  const T *A, int lda, const T *B, int ldb, T *C, int ldc) {   \
    return cublas##P##trmm_v2(q.h, s, u, t, d, m, n, &a, A, lda, B, ldb, C,    \
                              ldc);                                            \
  }                                                                            \
  inline int trsm(Queue q, int s, int u, int t, int d, int m, int n, T a,      \
                  const T *A, int lda, T *B, int ldb) {                        \
    return cublas##P##trsm_v2(q.h, s, u, t, d, m, n, &a, A, lda, B, ldb);      \
  }                                                                            \
  inline int geam(Queue q, int ta, int tb, int m, int n, T a, const T *A,      \
                  int lda, T b, const T *B, int ldb, T *C, int ldc) {          \
    return cublas##P##geam(q.h, ta, tb, m, n, &a, A, lda, &b, B, ldb, C, ldc); \
  }                                                                            \
  inline int dgmm(Queue q, int s, int m, int n, const T *A, int lda,           \
                  const T *x, int incx, T *C, int ldc) {                       \
    return cublas##P##dgmm(q.h, s, m, n, A, lda, x, incx, C, ldc);             \
  }
RG_CUBLAS_OVERLOADS(float, S)
RG_CUBLAS_OVERLOADS(double, D)
#undef RG_CUBLAS_OVERLOADS

//===-- Elementwise work
//----------------------------------------------------===//

/// An array with its strides.
template <class T> struct Strided {
  T *P;
  int64_t s0, s1;
  Strided transposed() const { return {P, s1, s0}; }
};
template <class T> inline Strided<T> matrix(T *A, int ld) { return {A, 1, ld}; }
/// Elements of a vector by row, or by column.
template <class T> inline Strided<T> byRow(T *x, int n, int inc) {
  return {first(x, n, inc), inc, 0};
}
template <class T> inline Strided<T> byColumn(T *x, int n, int inc) {
  return {first(x, n, inc), 0, inc};
}
template <class T> inline Strided<T> diagonal(T *A, int ld) {
  return {A, ld + 1, 0};
}

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
template <class T> inline Strided<const T> constant(Strided<T> A) {
  return {A.P, A.s0, A.s1};
}
template <class T> inline Strided<const T> nothing() { return {nullptr, 0, 0}; }
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
template <class T>
inline void clear(Queue q, int64_t m, int64_t n, Strided<T> A) {
  scaleBy(q, m, n, T(0), A);
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

/// S (n x n, full) = triangle of A and its mirror image, diagonal times d.
template <class T>
inline void symmetrise(Queue q, int u, int n, T d, const T *A, int lda, T *S) {
  Strided<T> To = matrix(S, n);
  assignTo(q, n, n, T(1), matrix(A, lda), To, triangle(u), true);
  assignTo(q, n, n, T(1), matrix(A, lda), To.transposed(), triangle(u), true);
  assignTo(q, n, 1, d, diagonal(A, lda), diagonal(S, n));
}
/// The stored triangle of A += a (G + G^T), the diagonal G alone.
template <class T>
inline void addSymmetric(Queue q, int u, int n, T a, Strided<const T> G, T *A,
                         int lda) {
  addTo(q, n, n, a, G, matrix(A, lda), triangle(u));
  addTo(q, n, n, a, G.transposed(), matrix(A, lda), triangle(u), true);
}
/// M = triangle u of A + its transpose, then y += a M x.
template <class T>
inline void addTwice(Queue q, int u, int n, T a, const T *A, int lda,
                     const T *x, int incx, T *y, int incy) {
  must(symv(q, u, n, a, A, lda, x, incx, T(1), y, incy), "symv");
  addProduct(q, n, 1, a, diagonal(A, lda), byRow(x, n, incx),
             byRow(y, n, incy));
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
