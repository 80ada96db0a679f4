/*===- blas_hermitian.h - Hermitian and triangular complex matrices -------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* Included once by blas_complex.cpp, which has numbers, vectors and matrices.
|* Only the stored triangle is read and written, and of a Hermitian diagonal
|* only real parts, as LAPACK does.
\*===------------------------------------------------------------------------===*/
#ifndef RG_BLAS_HERMITIAN_H
#define RG_BLAS_HERMITIAN_H

namespace {
enum { UpperTriangle = 121, UnitDiagonal = 132, LeftSide = 141 };
inline bool isUpper(int u) { return u == UpperTriangle; }
inline bool isUpper(const char *u) { return *u == 'U' || *u == 'u'; }
inline bool isUnit(int d) { return d == UnitDiagonal; }
inline bool isUnit(const char *d) { return *d == 'U' || *d == 'u'; }
inline bool isLeft(int s) { return s == LeftSide; }
inline bool isLeft(const char *s) { return *s == 'L' || *s == 'l'; }

template <class T> inline Matrix<T> transposed(Matrix<T> A) {
  ptrdiff_t Down = A.Down;
  A.Down = A.Right;
  A.Right = Down;
  return A;
}

/// All of a Hermitian matrix of which one triangle is stored.
template <class T>
inline Number<T> hermitian(const Matrix<const Number<T>> &A, bool Upper, int i,
                           int j) {
  if (i == j)
    return {A.at(i, i).re, 0};
  return (i < j) == Upper ? A.at(i, j) : conjugate(A.at(j, i), true);
}

template <class T>
inline void hemv(bool Upper, int n, Number<T> a, Matrix<const Number<T>> A,
                 const Number<T> *x, int incx, Number<T> b, Number<T> *y,
                 int incy) {
  Vector<const Number<T>> X(n, x, incx);
  Vector<Number<T>> Y(n, y, incy);
  for (int i = 0; i < n; ++i) {
    Number<T> Sum = {0, 0};
    for (int j = 0; j < n; ++j)
      Sum = Sum + hermitian(A, Upper, i, j) * X[j];
    Y[i] = scaled(b, Y[i]) + a * Sum;
  }
}
/// C (m x n) = a H B + b C, or a B H + b C.
template <class T>
inline void hemm(bool Left, bool Upper, int m, int n, Number<T> a,
                 Matrix<const Number<T>> H, Matrix<const Number<T>> B,
                 Number<T> b, Matrix<Number<T>> C) {
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) {
      Number<T> Sum = {0, 0};
      for (int k = 0; k < (Left ? m : n); ++k)
        Sum = Sum + (Left ? hermitian(H, Upper, i, k) * B.at(k, j)
                          : B.at(i, k) * hermitian(H, Upper, k, j));
      C.at(i, j) = scaled(b, C.at(i, j)) + a * Sum;
    }
}
template <class T>
inline void her(bool Upper, int n, T a, const Number<T> *x, int incx,
                Matrix<Number<T>> A) {
  Vector<const Number<T>> X(n, x, incx);
  for (int j = 0; j < n; ++j)
    for (int i = Upper ? 0 : j; i < (Upper ? j + 1 : n); ++i) {
      Number<T> Term = X[i] * conjugate(X[j], true), &To = A.at(i, j);
      To = i == j ? Number<T>{To.re + a * Term.re, 0}
                  : To + Number<T>{a * Term.re, a * Term.im};
    }
}
/// C (n x n) = a A A^H + b C, where A (n x k) may be the conjugate transpose of
/// what is stored.
template <class T>
inline void herk(bool Upper, int n, int k, T a, Matrix<const Number<T>> A, T b,
                 Matrix<Number<T>> C) {
  for (int j = 0; j < n; ++j)
    for (int i = Upper ? 0 : j; i < (Upper ? j + 1 : n); ++i) {
      Number<T> Sum = {0, 0}, &To = C.at(i, j);
      for (int l = 0; l < k; ++l)
        Sum = Sum + conjugate(A.at(i, l), A.Conjugated) *
                        conjugate(A.at(j, l), !A.Conjugated);
      Number<T> Old = b == 0 ? Number<T>{0, 0}
                             : Number<T>{b * To.re, i == j ? T(0) : b * To.im};
      To = {Old.re + a * Sum.re, i == j ? T(0) : Old.im + a * Sum.im};
    }
}

/// A triangular operand as it is used: Upper is what it is after a
/// transposition.
template <class T> struct Triangle {
  Matrix<const Number<T>> A;
  bool Upper, Unit;
  inline Triangle(bool Rows, bool Upper, char Op, bool Unit, const Number<T> *A,
                  int lda)
      : A(Rows, Op, A, lda), Upper(Upper != (Op == 'T' || Op == 'C')),
        Unit(Unit) {}
  inline Number<T> at(int i, int j) const {
    return conjugate(A.at(i, j), A.Conjugated);
  }
};
template <class T> inline Triangle<T> transposed(Triangle<T> A) {
  A.A = transposed(A.A);
  A.Upper = !A.Upper;
  return A;
}
/// B (n x r) = A^-1 B
template <class T>
inline void solve(const Triangle<T> &A, int n, int r, Matrix<Number<T>> B) {
  for (int c = 0; c < r; ++c)
    for (int s = 0; s < n; ++s) {
      int i = A.Upper ? n - 1 - s : s;
      Number<T> X = B.at(i, c);
      for (int k = A.Upper ? i + 1 : 0; k < (A.Upper ? n : i); ++k)
        X = X - A.at(i, k) * B.at(k, c);
      B.at(i, c) = A.Unit ? X : X * reciprocal(A.at(i, i));
    }
}
/// B (n x r) = A B
template <class T>
inline void multiply(const Triangle<T> &A, int n, int r, Matrix<Number<T>> B) {
  for (int c = 0; c < r; ++c)
    for (int s = 0; s < n; ++s) {
      int i = A.Upper ? s : n - 1 - s;
      Number<T> X = A.Unit ? B.at(i, c) : A.at(i, i) * B.at(i, c);
      for (int k = A.Upper ? i + 1 : 0; k < (A.Upper ? n : i); ++k)
        X = X + A.at(i, k) * B.at(k, c);
      B.at(i, c) = X;
    }
}
template <class T>
inline void triangular(bool Solve, bool Left, const Triangle<T> &A, int m,
                       int n, Number<T> a, Matrix<Number<T>> B) {
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i)
      B.at(i, j) = scaled(a, B.at(i, j));
  const Triangle<T> Of = Left ? A : transposed(A);
  const Matrix<Number<T>> To = Left ? B : transposed(B);
  if (Solve)
    solve(Of, Left ? m : n, Left ? n : m, To);
  else
    multiply(Of, Left ? m : n, Left ? n : m, To);
}
template <class T>
inline void triangular(bool Solve, const Triangle<T> &A, int n, Number<T> *x,
                       int incx) {
  Vector<Number<T>> X(n, x, incx);
  Matrix<Number<T>> B(false, 'N', X.First, 1);
  B.Down = X.Step;
  if (Solve)
    solve(A, n, 1, B);
  else
    multiply(A, n, 1, B);
}

/// A = L L^H, or U^H U: that is L L^H of the transposed matrix. Returns the
/// first minor that is not positive, counted from 1, or 0.
template <class T>
inline int potrf(bool Upper, int n, Matrix<Number<T>> Stored) {
  Matrix<Number<T>> A = Upper ? transposed(Stored) : Stored;
  for (int j = 0; j < n; ++j) {
    T Pivot = A.at(j, j).re;
    for (int k = 0; k < j; ++k)
      Pivot -= A.at(j, k).re * A.at(j, k).re + A.at(j, k).im * A.at(j, k).im;
    if (!(Pivot > 0))
      return j + 1;
    T Root = (T)sqrt(Pivot), Inverse = 1 / Root;
    A.at(j, j) = {Root, 0};
    for (int i = j + 1; i < n; ++i) {
      Number<T> X = A.at(i, j);
      for (int k = 0; k < j; ++k)
        X = X - A.at(i, k) * conjugate(A.at(j, k), true);
      A.at(i, j) = {X.re * Inverse, X.im * Inverse};
    }
  }
  return 0;
}
template <class T>
inline void potrs(bool Rows, bool Upper, int n, int r, const Number<T> *A,
                  int lda, Matrix<Number<T>> B) {
  solve(Triangle<T>(Rows, Upper, Upper ? 'C' : 'N', false, A, lda), n, r, B);
  solve(Triangle<T>(Rows, Upper, Upper ? 'N' : 'C', false, A, lda), n, r, B);
}
} // namespace

#define RG_HERMITIAN(T, z)                                                     \
  extern "C" {                                                                 \
  void rg_expand_##z##hemv_(const char *u, const int *n, const z##number *a,   \
                            const z##number *A, const int *lda,                \
                            const z##number *x, const int *incx,               \
                            const z##number *b, z##number *y,                  \
                            const int *incy) {                                 \
    hemv(isUpper(u), *n, *a, Matrix<const z##number>(false, 'N', A, *lda), x,  \
         *incx, *b, y, *incy);                                                 \
  }                                                                            \
  void rg_expand_cblas_##z##hemv(int o, int u, int n, const z##number *a,      \
                                 const z##number *A, int lda,                  \
                                 const z##number *x, int incx,                 \
                                 const z##number *b, z##number *y, int incy) { \
    hemv(isUpper(u), n, *a,                                                    \
         Matrix<const z##number>(o == RowMajor, 'N', A, lda), x, incx, *b, y,  \
         incy);                                                                \
  }                                                                            \
  void rg_expand_##z##hemm_(const char *s, const char *u, const int *m,        \
                            const int *n, const z##number *a,                  \
                            const z##number *A, const int *lda,                \
                            const z##number *B, const int *ldb,                \
                            const z##number *b, z##number *C,                  \
                            const int *ldc) {                                  \
    hemm(isLeft(s), isUpper(u), *m, *n, *a,                                    \
         Matrix<const z##number>(false, 'N', A, *lda),                         \
         Matrix<const z##number>(false, 'N', B, *ldb), *b,                     \
         Matrix<z##number>(false, 'N', C, *ldc));                              \
  }                                                                            \
  void rg_expand_cblas_##z##hemm(int o, int s, int u, int m, int n,            \
                                 const z##number *a, const z##number *A,       \
                                 int lda, const z##number *B, int ldb,         \
                                 const z##number *b, z##number *C, int ldc) {  \
    bool Rows = o == RowMajor;                                                 \
    hemm(isLeft(s), isUpper(u), m, n, *a,                                      \
         Matrix<const z##number>(Rows, 'N', A, lda),                           \
         Matrix<const z##number>(Rows, 'N', B, ldb), *b,                       \
         Matrix<z##number>(Rows, 'N', C, ldc));                                \
  }                                                                            \
  void rg_expand_##z##her_(const char *u, const int *n, const T *a,            \
                           const z##number *x, const int *incx, z##number *A,  \
                           const int *lda) {                                   \
    her(isUpper(u), *n, *a, x, *incx, Matrix<z##number>(false, 'N', A, *lda)); \
  }                                                                            \
  void rg_expand_cblas_##z##her(int o, int u, int n, T a, const z##number *x,  \
                                int incx, z##number *A, int lda) {             \
    her(isUpper(u), n, a, x, incx,                                             \
        Matrix<z##number>(o == RowMajor, 'N', A, lda));                        \
  }                                                                            \
  void rg_expand_##z##herk_(const char *u, const char *t, const int *n,        \
                            const int *k, const T *a, const z##number *A,      \
                            const int *lda, const T *b, z##number *C,          \
                            const int *ldc) {                                  \
    herk(isUpper(u), *n, *k, *a,                                               \
         Matrix<const z##number>(false, operation(t), A, *lda), *b,            \
         Matrix<z##number>(false, 'N', C, *ldc));                              \
  }                                                                            \
  void rg_expand_cblas_##z##herk(int o, int u, int t, int n, int k, T a,       \
                                 const z##number *A, int lda, T b,             \
                                 z##number *C, int ldc) {                      \
    bool Rows = o == RowMajor;                                                 \
    herk(isUpper(u), n, k, a,                                                  \
         Matrix<const z##number>(Rows, operation(t), A, lda), b,               \
         Matrix<z##number>(Rows, 'N', C, ldc));                                \
  }                                                                            \
  RG_TRIANGULAR_COMPLEX(T, z, trsv, trsm, true)                                \
  RG_TRIANGULAR_COMPLEX(T, z, trmv, trmm, false)                               \
  void rg_expand_##z##potrf_(const char *u, const int *n, z##number *A,        \
                             const int *lda, int *info) {                      \
    *info = potrf(isUpper(u), *n, Matrix<z##number>(false, 'N', A, *lda));     \
  }                                                                            \
  int rg_expand_LAPACKE_##z##potrf(int o, char u, int n, z##number *A,         \
                                   int lda) {                                  \
    return potrf(isUpper(&u), n,                                               \
                 Matrix<z##number>(o == RowMajor, 'N', A, lda));               \
  }                                                                            \
  void rg_expand_##z##potrs_(const char *u, const int *n, const int *r,        \
                             const z##number *A, const int *lda, z##number *B, \
                             const int *ldb, int *info) {                      \
    potrs(false, isUpper(u), *n, *r, A, *lda,                                  \
          Matrix<z##number>(false, 'N', B, *ldb));                             \
    *info = 0;                                                                 \
  }                                                                            \
  int rg_expand_LAPACKE_##z##potrs(int o, char u, int n, int r,                \
                                   const z##number *A, int lda, z##number *B,  \
                                   int ldb) {                                  \
    potrs(o == RowMajor, isUpper(&u), n, r, A, lda,                            \
          Matrix<z##number>(o == RowMajor, 'N', B, ldb));                      \
    return 0;                                                                  \
  }                                                                            \
  void rg_expand_##z##posv_(const char *u, const int *n, const int *r,         \
                            z##number *A, const int *lda, z##number *B,        \
                            const int *ldb, int *info) {                       \
    *info = potrf(isUpper(u), *n, Matrix<z##number>(false, 'N', A, *lda));     \
    if (!*info)                                                                \
      potrs(false, isUpper(u), *n, *r, (const z##number *)A, *lda,             \
            Matrix<z##number>(false, 'N', B, *ldb));                           \
  }                                                                            \
  int rg_expand_LAPACKE_##z##posv(int o, char u, int n, int r, z##number *A,   \
                                  int lda, z##number *B, int ldb) {            \
    int info =                                                                 \
        potrf(isUpper(&u), n, Matrix<z##number>(o == RowMajor, 'N', A, lda));  \
    if (!info)                                                                 \
      potrs(o == RowMajor, isUpper(&u), n, r, (const z##number *)A, lda,       \
            Matrix<z##number>(o == RowMajor, 'N', B, ldb));                    \
    return info;                                                               \
  }                                                                            \
  }

#define RG_TRIANGULAR_COMPLEX(T, z, vector, matrix, Solve)                     \
  void rg_expand_##z##vector##_(                                               \
      const char *u, const char *t, const char *d, const int *n,               \
      const z##number *A, const int *lda, z##number *x, const int *incx) {     \
    triangular(                                                                \
        Solve,                                                                 \
        Triangle<T>{false, isUpper(u), operation(t), isUnit(d), A, *lda}, *n,  \
        x, *incx);                                                             \
  }                                                                            \
  void rg_expand_cblas_##z##vector(int o, int u, int t, int d, int n,          \
                                   const z##number *A, int lda, z##number *x,  \
                                   int incx) {                                 \
    triangular(Solve,                                                          \
               Triangle<T>{o == RowMajor, isUpper(u), operation(t), isUnit(d), \
                           A, lda},                                            \
               n, x, incx);                                                    \
  }                                                                            \
  void rg_expand_##z##matrix##_(                                               \
      const char *s, const char *u, const char *t, const char *d,              \
      const int *m, const int *n, const z##number *a, const z##number *A,      \
      const int *lda, z##number *B, const int *ldb) {                          \
    triangular(                                                                \
        Solve, isLeft(s),                                                      \
        Triangle<T>{false, isUpper(u), operation(t), isUnit(d), A, *lda}, *m,  \
        *n, *a, Matrix<z##number>(false, 'N', B, *ldb));                       \
  }                                                                            \
  void rg_expand_cblas_##z##matrix(                                            \
      int o, int s, int u, int t, int d, int m, int n, const z##number *a,     \
      const z##number *A, int lda, z##number *B, int ldb) {                    \
    bool Rows = o == RowMajor;                                                 \
    triangular(Solve, isLeft(s),                                               \
               Triangle<T>{Rows, isUpper(u), operation(t), isUnit(d), A, lda}, \
               m, n, *a, Matrix<z##number>(Rows, 'N', B, ldb));                \
  }

#endif
