/*===- dense.h - BLAS and LAPACK as the derivative rules call them --------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* One overloaded name per routine for float and double, arguments by value,
|* column-major. All of them end in the Fortran symbols of the library that the
|* user links. The lengths of character arguments, which gfortran appends, are
|* passed as well.
|*
|* Conventions: matrices are (pointer, leading dimension), vectors (pointer,
|* step) with BLAS's meaning of negative steps.
\*===------------------------------------------------------------------------===*/
#ifndef RETROGRAD_RUNTIME_DENSE_H
#define RETROGRAD_RUNTIME_DENSE_H
#include "retrograd_rule.h"
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define RG_DENSE_SYMBOLS(T, P)                                                 \
  T P##dot_(const int *, const T *, const int *, const T *, const int *);      \
  void P##axpy_(const int *, const T *, const T *, const int *, T *,           \
                const int *);                                                  \
  void P##scal_(const int *, const T *, T *, const int *);                     \
  void P##copy_(const int *, const T *, const int *, T *, const int *);        \
  T P##nrm2_(const int *, const T *, const int *);                             \
  void P##gemv_(const char *, const int *, const int *, const T *, const T *,  \
                const int *, const T *, const int *, const T *, T *,           \
                const int *, size_t);                                          \
  void P##ger_(const int *, const int *, const T *, const T *, const int *,    \
               const T *, const int *, T *, const int *);                      \
  void P##symv_(const char *, const int *, const T *, const T *, const int *,  \
                const T *, const int *, const T *, T *, const int *, size_t);  \
  void P##syr_(const char *, const int *, const T *, const T *, const int *,   \
               T *, const int *, size_t);                                      \
  void P##syr2_(const char *, const int *, const T *, const T *, const int *,  \
                const T *, const int *, T *, const int *, size_t);             \
  void P##trmv_(const char *, const char *, const char *, const int *,         \
                const T *, const int *, T *, const int *, size_t, size_t,      \
                size_t);                                                       \
  void P##trsv_(const char *, const char *, const char *, const int *,         \
                const T *, const int *, T *, const int *, size_t, size_t,      \
                size_t);                                                       \
  void P##gemm_(const char *, const char *, const int *, const int *,          \
                const int *, const T *, const T *, const int *, const T *,     \
                const int *, const T *, T *, const int *, size_t, size_t);     \
  void P##symm_(const char *, const char *, const int *, const int *,          \
                const T *, const T *, const int *, const T *, const int *,     \
                const T *, T *, const int *, size_t, size_t);                  \
  void P##syrk_(const char *, const char *, const int *, const int *,          \
                const T *, const T *, const int *, const T *, T *,             \
                const int *, size_t, size_t);                                  \
  void P##syr2k_(const char *, const char *, const int *, const int *,         \
                 const T *, const T *, const int *, const T *, const int *,    \
                 const T *, T *, const int *, size_t, size_t);                 \
  void P##trmm_(const char *, const char *, const char *, const char *,        \
                const int *, const int *, const T *, const T *, const int *,   \
                T *, const int *, size_t, size_t, size_t, size_t);             \
  void P##trsm_(const char *, const char *, const char *, const char *,        \
                const int *, const int *, const T *, const T *, const int *,   \
                T *, const int *, size_t, size_t, size_t, size_t);             \
  void P##getrf_(const int *, const int *, T *, const int *, int *, int *);    \
  void P##getrs_(const char *, const int *, const int *, const T *,            \
                 const int *, const int *, T *, const int *, int *, size_t);   \
  void P##laswp_(const int *, T *, const int *, const int *, const int *,      \
                 const int *, const int *);                                    \
  void P##getri_(const int *, T *, const int *, const int *, T *, const int *, \
                 int *);                                                       \
  void P##potrf_(const char *, const int *, T *, const int *, int *, size_t);  \
  void P##geqrf_(const int *, const int *, T *, const int *, T *, T *,         \
                 const int *, int *);                                          \
  void P##ormqr_(const char *, const char *, const int *, const int *,         \
                 const int *, const T *, const int *, const T *, T *,          \
                 const int *, T *, const int *, int *, size_t, size_t);        \
  void P##orgqr_(const int *, const int *, const int *, T *, const int *,      \
                 const T *, T *, const int *, int *);                          \
  void P##syev_(const char *, const char *, const int *, T *, const int *,     \
                T *, T *, const int *, int *, size_t, size_t);

extern "C" {
RG_DENSE_SYMBOLS(float, s)
RG_DENSE_SYMBOLS(double, d)
}
#undef RG_DENSE_SYMBOLS

namespace rg {

template <class T> struct Mutable {
  using Type = T;
};
template <class T> struct Mutable<const T> {
  using Type = T;
};

#define RG_DENSE_OVERLOADS(T, P)                                               \
  inline T dot(int n, const T *x, int incx, const T *y, int incy) {            \
    return P##dot_(&n, x, &incx, y, &incy);                                    \
  }                                                                            \
  inline void axpy(int n, T a, const T *x, int incx, T *y, int incy) {         \
    P##axpy_(&n, &a, x, &incx, y, &incy);                                      \
  }                                                                            \
  inline void scal(int n, T a, T *x, int incx) {                               \
    if (incx < 0) /* BLAS does nothing then, other routines count backwards */ \
      incx = -incx;                                                            \
    P##scal_(&n, &a, x, &incx);                                                \
  }                                                                            \
  inline void copy(int n, const T *x, int incx, T *y, int incy) {              \
    P##copy_(&n, x, &incx, y, &incy);                                          \
  }                                                                            \
  inline T nrm2(int n, const T *x, int incx) {                                 \
    return P##nrm2_(&n, x, &incx);                                             \
  }                                                                            \
  inline void gemv(char t, int m, int n, T a, const T *A, int lda, const T *x, \
                   int incx, T b, T *y, int incy) {                            \
    P##gemv_(&t, &m, &n, &a, A, &lda, x, &incx, &b, y, &incy, 1);              \
  }                                                                            \
  inline void ger(int m, int n, T a, const T *x, int incx, const T *y,         \
                  int incy, T *A, int lda) {                                   \
    P##ger_(&m, &n, &a, x, &incx, y, &incy, A, &lda);                          \
  }                                                                            \
  inline void symv(char u, int n, T a, const T *A, int lda, const T *x,        \
                   int incx, T b, T *y, int incy) {                            \
    P##symv_(&u, &n, &a, A, &lda, x, &incx, &b, y, &incy, 1);                  \
  }                                                                            \
  inline void syr(char u, int n, T a, const T *x, int incx, T *A, int lda) {   \
    P##syr_(&u, &n, &a, x, &incx, A, &lda, 1);                                 \
  }                                                                            \
  inline void syr2(char u, int n, T a, const T *x, int incx, const T *y,       \
                   int incy, T *A, int lda) {                                  \
    P##syr2_(&u, &n, &a, x, &incx, y, &incy, A, &lda, 1);                      \
  }                                                                            \
  inline void trmv(char u, char t, char d, int n, const T *A, int lda, T *x,   \
                   int incx) {                                                 \
    P##trmv_(&u, &t, &d, &n, A, &lda, x, &incx, 1, 1, 1);                      \
  }                                                                            \
  inline void trsv(char u, char t, char d, int n, const T *A, int lda, T *x,   \
                   int incx) {                                                 \
    P##trsv_(&u, &t, &d, &n, A, &lda, x, &incx, 1, 1, 1);                      \
  }                                                                            \
  inline void gemm(char ta, char tb, int m, int n, int k, T a, const T *A,     \
                   int lda, const T *B, int ldb, T b, T *C, int ldc) {         \
    P##gemm_(&ta, &tb, &m, &n, &k, &a, A, &lda, B, &ldb, &b, C, &ldc, 1, 1);   \
  }                                                                            \
  inline void symm(char s, char u, int m, int n, T a, const T *A, int lda,     \
                   const T *B, int ldb, T b, T *C, int ldc) {                  \
    P##symm_(&s, &u, &m, &n, &a, A, &lda, B, &ldb, &b, C, &ldc, 1, 1);         \
  }                                                                            \
  inline void syrk(char u, char t, int n, int k, T a, const T *A, int lda,     \
                   T b, T *C, int ldc) {                                       \
    P##syrk_(&u, &t, &n, &k, &a, A, &lda, &b, C, &ldc, 1, 1);                  \
  }                                                                            \
  inline void syr2k(char u, char t, int n, int k, T a, const T *A, int lda,    \
                    const T *B, int ldb, T b, T *C, int ldc) {                 \
    P##syr2k_(&u, &t, &n, &k, &a, A, &lda, B, &ldb, &b, C, &ldc, 1, 1);        \
  }                                                                            \
  inline void trmm(char s, char u, char t, char d, int m, int n, T a,          \
                   const T *A, int lda, T *B, int ldb) {                       \
    P##trmm_(&s, &u, &t, &d, &m, &n, &a, A, &lda, B, &ldb, 1, 1, 1, 1);        \
  }                                                                            \
  inline void trsm(char s, char u, char t, char d, int m, int n, T a,          \
                   const T *A, int lda, T *B, int ldb) {                       \
    P##trsm_(&s, &u, &t, &d, &m, &n, &a, A, &lda, B, &ldb, 1, 1, 1, 1);        \
  }                                                                            \
  inline int getrf(int m, int n, T *A, int lda, int *ipiv) {                   \
    int info;                                                                  \
    P##getrf_(&m, &n, A, &lda, ipiv, &info);                                   \
    return info;                                                               \
  }                                                                            \
  inline int getrs(char t, int n, int r, const T *A, int lda, const int *ipiv, \
                   T *B, int ldb) {                                            \
    int info;                                                                  \
    P##getrs_(&t, &n, &r, A, &lda, ipiv, B, &ldb, &info, 1);                   \
    return info;                                                               \
  }                                                                            \
  /* Rows i and ipiv[i] change places, for i = 0 .. k-1, or backwards. */      \
  inline void permute(int n, T *A, int lda, int k, const int *ipiv,            \
                      bool Back) {                                             \
    int One = 1, Step = Back ? -1 : 1;                                         \
    P##laswp_(&n, A, &lda, &One, &k, ipiv, &Step);                             \
  }                                                                            \
  inline int getri(int n, T *A, int lda, const int *ipiv, T *work,             \
                   int lwork) {                                                \
    int info;                                                                  \
    P##getri_(&n, A, &lda, ipiv, work, &lwork, &info);                         \
    return info;                                                               \
  }                                                                            \
  inline int potrf(char u, int n, T *A, int lda) {                             \
    int info;                                                                  \
    P##potrf_(&u, &n, A, &lda, &info, 1);                                      \
    return info;                                                               \
  }                                                                            \
  inline int geqrf(int m, int n, T *A, int lda, T *tau, T *work, int lwork) {  \
    int info;                                                                  \
    P##geqrf_(&m, &n, A, &lda, tau, work, &lwork, &info);                      \
    return info;                                                               \
  }                                                                            \
  inline int ormqr(char s, char t, int m, int n, int k, const T *A, int lda,   \
                   const T *tau, T *C, int ldc, T *work, int lwork) {          \
    int info;                                                                  \
    P##ormqr_(&s, &t, &m, &n, &k, A, &lda, tau, C, &ldc, work, &lwork, &info,  \
              1, 1);                                                           \
    return info;                                                               \
  }                                                                            \
  inline int orgqr(int m, int n, int k, T *A, int lda, const T *tau, T *work,  \
                   int lwork) {                                                \
    int info;                                                                  \
    P##orgqr_(&m, &n, &k, A, &lda, tau, work, &lwork, &info);                  \
    return info;                                                               \
  }                                                                            \
  inline int syev(char j, char u, int n, T *A, int lda, T *w, T *work,         \
                  int lwork) {                                                 \
    int info;                                                                  \
    P##syev_(&j, &u, &n, A, &lda, w, work, &lwork, &info, 1, 1);               \
    return info;                                                               \
  }

RG_DENSE_OVERLOADS(float, s)
RG_DENSE_OVERLOADS(double, d)
#undef RG_DENSE_OVERLOADS

/// A complex number, as all libraries have it in memory; as aligned as CUDA's.
template <class R> struct alignas(2 * sizeof(R)) ComplexOf {
  R re, im;
  ComplexOf(R re = 0, R im = 0) : re(re), im(im) {}
  ComplexOf operator-() const { return {-re, -im}; }
  ComplexOf &operator+=(ComplexOf z) {
    re += z.re;
    im += z.im;
    return *this;
  }
  bool operator==(const ComplexOf &) const = default;
};
template <class T> constexpr bool isComplex = false;
template <class R> constexpr bool isComplex<ComplexOf<R>> = true;
/// How many operands a number by value is.
template <class T> constexpr int Width = isComplex<T> ? 2 : 1;
inline float conj(float x) { return x; }
inline double conj(double x) { return x; }
inline float real(float x) { return x; }
inline double real(double x) { return x; }
template <class R> inline R real(ComplexOf<R> z) { return z.re; }
template <class R> inline ComplexOf<R> conj(ComplexOf<R> z) {
  return {z.re, -z.im};
}

/// A vector or matrix operand with its shadows: tangents, or adjoints, one per
/// lane.
template <class T> struct Dual {
  using Number = typename Mutable<T>::Type;
  T *P;
  Number *const *Shadows = nullptr;
  /// That of the lane at hand; null if the operand has none of its own.
  Number *D = nullptr;
  /// The plan says that there may be one: what augment() and reverse() agree
  /// on.
  bool Active = false;

  Dual(T *P, Number *const *Shadows = nullptr) : P(P), Shadows(Shadows) {}
  bool active() const { return D; }
  void activate(uint64_t Mask, int I) { Active = RG_ACTIVE(Mask, I); }
  void lane(uint64_t Lane) { D = Shadows ? Shadows[Lane] : nullptr; }
  void leave(uint64_t) {}
};

/// A number passed by value: its tangents (forward) or where its adjoints go
/// (reverse).
template <class T> struct Scalar {
  T P;
  T *Shadows = nullptr;
  T D = 0;
  bool Active = false;

  Scalar(T P, T *Shadows = nullptr) : P(P), Shadows(Shadows), Active(Shadows) {}
  void activate(uint64_t Mask, int I) { Active = RG_ACTIVE(Mask, I); }
  void lane(uint64_t Lane) { D = Shadows ? Shadows[Lane] : 0; }
  /// Shadows hold zero before the reverse sweep.
  void leave(uint64_t Lane) {
    if (Shadows)
      Shadows[Lane] = D;
  }
};

/// A complex one is two operands.
template <class R> struct Scalar<ComplexOf<R>> {
  ComplexOf<R> P, D;
  R *Re, *Im;
  bool Active;

  Scalar(R re, R im, R *Re = nullptr, R *Im = nullptr)
      : P(re, im), Re(Re), Im(Im), Active(Re || Im) {}
  void activate(uint64_t Mask, int I) {
    Active = RG_ACTIVE(Mask, I) || RG_ACTIVE(Mask, I + 1);
  }
  void lane(uint64_t Lane) { D = {Re ? Re[Lane] : R(0), Im ? Im[Lane] : R(0)}; }
  void leave(uint64_t Lane) {
    if (Re)
      Re[Lane] = D.re;
    if (Im)
      Im[Lane] = D.im;
  }
};

/// First element in memory order of a vector with a negative step.
template <class T> inline T *first(T *x, int n, int inc) {
  return inc < 0 ? x + (ptrdiff_t)(1 - n) * inc : x;
}
inline bool upper(char u) { return u == 'U' || u == 'u'; }
inline bool none(char t) { return t == 'N' || t == 'n'; }
inline bool left(char s) { return s == 'L' || s == 'l'; }
inline bool unit(char d) { return d == 'U' || d == 'u'; }
inline char flipped(char t) { return none(t) ? 'T' : 'N'; }

/// B(m x n) += a A(m x n).
template <class T>
inline void add(int m, int n, T a, const T *A, int lda, T *B, int ldb) {
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i)
      B[i + (ptrdiff_t)j * ldb] += a * A[i + (ptrdiff_t)j * lda];
}
/// B(m x n) = A.
template <class T>
inline void assign(int m, int n, const T *A, int lda, T *B, int ldb) {
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i)
      B[i + (ptrdiff_t)j * ldb] = A[i + (ptrdiff_t)j * lda];
}
/// A(m x n) *= a; exactly zero for a = 0, whatever was there (as BLAS has it
/// for beta).
template <class T> inline void scale(int m, int n, T a, T *A, int lda) {
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i)
      A[i + (ptrdiff_t)j * lda] = a == 0 ? 0 : a * A[i + (ptrdiff_t)j * lda];
}
template <class T>
inline T inner(int m, int n, const T *A, int lda, const T *B, int ldb) {
  T Sum = 0;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i)
      Sum += A[i + (ptrdiff_t)j * lda] * B[i + (ptrdiff_t)j * ldb];
  return Sum;
}

/// Rows [begin, end) of column j that belong to the triangle u of an n x n
/// matrix.
struct Rows {
  int Begin, End;
  Rows(char u, int n, int j, bool Strict = false)
      : Begin(upper(u) ? 0 : j + Strict), End(upper(u) ? j + !Strict : n) {}
};
/// Triangle of B += a triangle of A, without the diagonal if Strict.
template <class T>
inline void addTriangle(char u, bool Strict, int n, T a, const T *A, int lda,
                        T *B, int ldb) {
  for (int j = 0; j < n; ++j)
    for (int i = Rows(u, n, j, Strict).Begin; i < Rows(u, n, j, Strict).End;
         ++i)
      B[i + (ptrdiff_t)j * ldb] += a * A[i + (ptrdiff_t)j * lda];
}
template <class T>
inline void scaleTriangle(char u, int n, T a, T *A, int lda) {
  for (int j = 0; j < n; ++j)
    for (int i = Rows(u, n, j).Begin; i < Rows(u, n, j).End; ++i)
      A[i + (ptrdiff_t)j * lda] = a == 0 ? 0 : a * A[i + (ptrdiff_t)j * lda];
}
template <class T>
inline T innerTriangle(char u, int n, const T *A, int lda, const T *B,
                       int ldb) {
  T Sum = 0;
  for (int j = 0; j < n; ++j)
    for (int i = Rows(u, n, j).Begin; i < Rows(u, n, j).End; ++i)
      Sum += A[i + (ptrdiff_t)j * lda] * B[i + (ptrdiff_t)j * ldb];
  return Sum;
}
/// The stored triangle of dA += G + G^T, the diagonal G alone: the adjoint of a
/// symmetric matrix of which one triangle is stored.
template <class T>
inline void addSymmetric(char u, int n, T a, const T *G, int ldg, T *A,
                         int lda) {
  for (int j = 0; j < n; ++j) {
    for (int i = Rows(u, n, j, true).Begin; i < Rows(u, n, j, true).End; ++i)
      A[i + (ptrdiff_t)j * lda] +=
          a * (G[i + (ptrdiff_t)j * ldg] + G[j + (ptrdiff_t)i * ldg]);
    A[j + (ptrdiff_t)j * lda] += a * G[j + (ptrdiff_t)j * ldg];
  }
}
/// S (n x n, full) = triangle of A and its mirror image, diagonal times d: d =
/// 1 is the symmetric matrix itself, d = 2 the sum of the triangle and its
/// transpose.
template <class T>
inline void symmetrise(char u, int n, T d, const T *A, int lda, T *S) {
  for (int j = 0; j < n; ++j) {
    for (int i = Rows(u, n, j, true).Begin; i < Rows(u, n, j, true).End; ++i)
      S[i + (ptrdiff_t)j * n] = S[j + (ptrdiff_t)i * n] =
          A[i + (ptrdiff_t)j * lda];
    S[j + (ptrdiff_t)j * n] = d * A[j + (ptrdiff_t)j * lda];
  }
}

/// Scratch memory of one rule call, freed at its end.
template <class T> class Scratch {
  T *Data;

public:
  explicit Scratch(ptrdiff_t Count)
      : Data(static_cast<T *>(malloc((Count > 0 ? Count : 1) * sizeof(T)))) {}
  Scratch(const Scratch &) = delete;
  ~Scratch() { free(Data); }
  operator T *() { return Data; }
};

} // namespace rg

#endif
