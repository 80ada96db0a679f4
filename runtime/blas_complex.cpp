/*===- blas_complex.cpp - complex BLAS, and rotations, as loops -----------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* Bodies with the meaning of the library's routines, which are differentiated
|* like the user's code (Expansion records of the catalogue). A complex number
|* is a pair of numbers here: clang calls __muldc3 for products of its complex
|* types. Matrices are given by their steps along rows and columns, so one body
|* serves both orders and all transpositions.
\*===------------------------------------------------------------------------===*/
#include <math.h>
#include <stddef.h>

namespace {
enum {
  RowMajor = 101,
  NoTrans = 111,
  Trans = 112,
  ConjTrans = 113,
  ConjNoTrans = 114
};

template <class T> struct Number {
  T re, im;
};
template <class T> inline Number<T> operator+(Number<T> a, Number<T> b) {
  return {a.re + b.re, a.im + b.im};
}
template <class T> inline Number<T> operator*(Number<T> a, Number<T> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <class T> inline Number<T> conjugate(Number<T> a, bool If) {
  return {a.re, If ? -a.im : a.im};
}
template <class T> inline bool isZero(Number<T> a) {
  return a.re == 0 && a.im == 0;
}

/// A vector of n elements: BLAS counts from the end where the step is negative.
template <class T> struct Vector {
  T *First;
  ptrdiff_t Step;
  inline Vector(int n, T *x, int inc)
      : First(inc < 0 ? x + (ptrdiff_t)(1 - n) * inc : x), Step(inc) {}
  inline T &operator[](int i) const { return First[i * Step]; }
};

template <class T> struct Matrix {
  T *Data;
  ptrdiff_t Down, Right; ///< from row to row, from column to column
  bool Conjugated;
  /// Op is 'N', 'T', 'C' or 'R' (conjugated only).
  inline Matrix(bool Rows, char Op, T *A, int lda)
      : Data(A), Down(Rows != (Op == 'T' || Op == 'C') ? lda : 1),
        Right(Rows != (Op == 'T' || Op == 'C') ? 1 : lda),
        Conjugated(Op == 'C' || Op == 'R') {}
  /// The same, to be read only.
  template <class U>
  inline Matrix(const Matrix<U> &A)
      : Data(A.Data), Down(A.Down), Right(A.Right), Conjugated(A.Conjugated) {}
  inline T &at(int i, int j) const { return Data[i * Down + j * Right]; }
};

inline char operation(int t) {
  return t == NoTrans ? 'N' : t == Trans ? 'T' : t == ConjTrans ? 'C' : 'R';
}
inline char operation(const char *t) { return *t >= 'a' ? *t - 'a' + 'A' : *t; }

template <class T>
inline void axpy(int n, Number<T> a, const Number<T> *x, int incx, Number<T> *y,
                 int incy) {
  Vector<const Number<T>> X(n, x, incx);
  Vector<Number<T>> Y(n, y, incy);
  for (int i = 0; i < n; ++i)
    Y[i] = a * X[i] + Y[i];
}
template <class T>
inline void scal(int n, Number<T> a, Number<T> *x, int incx) {
  for (int i = 0; i < n && incx > 0; ++i)
    x[(ptrdiff_t)i * incx] = a * x[(ptrdiff_t)i * incx];
}
template <class T> inline void scal(int n, T a, Number<T> *x, int incx) {
  for (int i = 0; i < n && incx > 0; ++i) {
    Number<T> &X = x[(ptrdiff_t)i * incx];
    X = {a * X.re, a * X.im};
  }
}
template <class T>
inline void copy(int n, const Number<T> *x, int incx, Number<T> *y, int incy) {
  Vector<const Number<T>> X(n, x, incx);
  Vector<Number<T>> Y(n, y, incy);
  for (int i = 0; i < n; ++i)
    Y[i] = X[i];
}
template <class T>
inline void swap(int n, Number<T> *x, int incx, Number<T> *y, int incy) {
  Vector<Number<T>> X(n, x, incx), Y(n, y, incy);
  for (int i = 0; i < n; ++i) {
    Number<T> Old = X[i];
    X[i] = Y[i];
    Y[i] = Old;
  }
}
template <class T>
inline Number<T> dot(bool Conjugated, int n, const Number<T> *x, int incx,
                     const Number<T> *y, int incy) {
  Vector<const Number<T>> X(n, x, incx), Y(n, y, incy);
  Number<T> Sum = {0, 0};
  for (int i = 0; i < n; ++i)
    Sum = Sum + conjugate(X[i], Conjugated) * Y[i];
  return Sum;
}
/// Neither overflows nor underflows on its way, and is constant at the origin.
template <class T> inline T nrm2(int n, const Number<T> *x, int incx) {
  T Norm = 0;
  for (int i = 0; i < n && incx > 0; ++i) {
    const Number<T> &X = x[(ptrdiff_t)i * incx];
    Norm = (T)hypot(hypot(Norm, X.re), X.im);
  }
  return Norm;
}
template <class T> inline T asum(int n, const Number<T> *x, int incx) {
  T Sum = 0;
  for (int i = 0; i < n && incx > 0; ++i) {
    const Number<T> &X = x[(ptrdiff_t)i * incx];
    Sum += (T)fabs(X.re) + (T)fabs(X.im);
  }
  return Sum;
}
/// What is multiplied by zero is not read: it may be no number.
template <class T> inline Number<T> scaled(Number<T> b, Number<T> &y) {
  return isZero(b) ? Number<T>{0, 0} : b * y;
}
template <class T>
inline void gemv(int m, int n, Number<T> a, Matrix<const Number<T>> A,
                 const Number<T> *x, int incx, Number<T> b, Number<T> *y,
                 int incy) {
  Vector<const Number<T>> X(n, x, incx);
  Vector<Number<T>> Y(m, y, incy);
  for (int i = 0; i < m; ++i) {
    Number<T> Sum = {0, 0};
    for (int j = 0; j < n; ++j)
      Sum = Sum + conjugate(A.at(i, j), A.Conjugated) * X[j];
    Y[i] = scaled(b, Y[i]) + a * Sum;
  }
}
template <class T>
inline void ger(bool Conjugated, int m, int n, Number<T> a, const Number<T> *x,
                int incx, const Number<T> *y, int incy, Matrix<Number<T>> A) {
  Vector<const Number<T>> X(m, x, incx), Y(n, y, incy);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i)
      A.at(i, j) = A.at(i, j) + a * X[i] * conjugate(Y[j], Conjugated);
}
template <class T>
inline void gemm(int m, int n, int k, Number<T> a, Matrix<const Number<T>> A,
                 Matrix<const Number<T>> B, Number<T> b, Matrix<Number<T>> C) {
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) {
      Number<T> Sum = {0, 0};
      for (int l = 0; l < k; ++l)
        Sum = Sum + conjugate(A.at(i, l), A.Conjugated) *
                        conjugate(B.at(l, j), B.Conjugated);
      C.at(i, j) = scaled(b, C.at(i, j)) + a * Sum;
    }
}

/// A rotation that takes (a, b) to (r, 0), and the number from which both of
/// its parts can be had again.
template <class T> inline void rotg(T *a, T *b, T *c, T *s) {
  T A = *a, B = *b;
  bool First = fabs(A) > fabs(B);
  T R = (T)copysign(hypot(A, B), First ? A : B), C = 1, S = 0, Z = 0;
  if (R != 0) {
    C = A / R;
    S = B / R;
    Z = First ? S : C != 0 ? 1 / C : 1;
  }
  *a = R;
  *b = Z;
  *c = C;
  *s = S;
}
/// Param: which entries of the matrix are as they stand there, and these in
/// order of columns.
template <class T>
inline void rotm(int n, T *x, int incx, T *y, int incy, const T *Param) {
  T Flag = Param[0];
  if (Flag == -2)
    return;
  T H11 = Flag == 0 ? 1 : Param[1], H21 = Flag == 1 ? -1 : Param[2],
    H12 = Flag == 1 ? 1 : Param[3], H22 = Flag == 0 ? 1 : Param[4];
  Vector<T> X(n, x, incx), Y(n, y, incy);
  for (int i = 0; i < n; ++i) {
    T Old = X[i];
    X[i] = H11 * Old + H12 * Y[i];
    Y[i] = H21 * Old + H22 * Y[i];
  }
}

template <class T> inline Number<T> operator-(Number<T> a, Number<T> b) {
  return {a.re - b.re, a.im - b.im};
}
/// By the larger part, so that nothing overflows on the way.
template <class T> inline Number<T> reciprocal(Number<T> a) {
  if (fabs(a.re) >= fabs(a.im)) {
    T q = a.im / a.re, d = a.re + a.im * q;
    return {1 / d, -q / d};
  }
  T q = a.re / a.im, d = a.re * q + a.im;
  return {q / d, -1 / d};
}
/// What LAPACK takes for the size of a pivot.
template <class T> inline T sizeOf(Number<T> a) {
  return (T)fabs(a.re) + (T)fabs(a.im);
}
template <class T>
inline void swapRows(int n, Matrix<Number<T>> A, int i, int k) {
  for (int j = 0; j < n && i != k; ++j) {
    Number<T> Old = A.at(i, j);
    A.at(i, j) = A.at(k, j);
    A.at(k, j) = Old;
  }
}
/// Rows are exchanged; L has ones on its diagonal. Returns the first column
/// without a pivot, counted from 1, or 0.
template <class T>
inline int getrf(int m, int n, Matrix<Number<T>> A, int *Pivots) {
  int Singular = 0;
  for (int j = 0; j < m && j < n; ++j) {
    int Row = j;
    for (int i = j + 1; i < m; ++i)
      if (sizeOf(A.at(i, j)) > sizeOf(A.at(Row, j)))
        Row = i;
    Pivots[j] = Row + 1;
    if (isZero(A.at(Row, j))) {
      Singular = Singular ? Singular : j + 1;
      continue; // nothing to eliminate below it
    }
    swapRows(n, A, j, Row);
    Number<T> Inverse = reciprocal(A.at(j, j));
    for (int i = j + 1; i < m; ++i)
      A.at(i, j) = A.at(i, j) * Inverse;
    for (int k = j + 1; k < n; ++k)
      for (int i = j + 1; i < m; ++i)
        A.at(i, k) = A.at(i, k) - A.at(i, j) * A.at(j, k);
  }
  return Singular;
}
/// Solves A X = B (Op is 'N'), A^T X = B ('T') or A^H X = B ('C').
template <class T>
inline void getrs(char Op, int n, int r, Matrix<const Number<T>> A,
                  const int *Pivots, Matrix<Number<T>> B) {
  bool Conjugated = Op == 'C';
  if (Op == 'N')
    for (int i = 0; i < n; ++i)
      swapRows(r, B, i, Pivots[i] - 1);
  for (int k = 0; k < r; ++k) {
    if (Op == 'N') {
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < i; ++j)
          B.at(i, k) = B.at(i, k) - A.at(i, j) * B.at(j, k);
      for (int i = n - 1; i >= 0; --i) {
        for (int j = i + 1; j < n; ++j)
          B.at(i, k) = B.at(i, k) - A.at(i, j) * B.at(j, k);
        B.at(i, k) = B.at(i, k) * reciprocal(A.at(i, i));
      }
      continue;
    }
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < i; ++j)
        B.at(i, k) =
            B.at(i, k) - conjugate(A.at(j, i), Conjugated) * B.at(j, k);
      B.at(i, k) = B.at(i, k) * reciprocal(conjugate(A.at(i, i), Conjugated));
    }
    for (int i = n - 1; i >= 0; --i)
      for (int j = i + 1; j < n; ++j)
        B.at(i, k) =
            B.at(i, k) - conjugate(A.at(j, i), Conjugated) * B.at(j, k);
  }
  if (Op != 'N')
    for (int i = n - 1; i >= 0; --i)
      swapRows(r, B, i, Pivots[i] - 1);
}
template <class T>
inline int gesv(int n, int r, Matrix<Number<T>> A, int *Pivots,
                Matrix<Number<T>> B) {
  int Singular = getrf(n, n, A, Pivots);
  if (!Singular)
    getrs('N', n, r, Matrix<const Number<T>>(A), Pivots, B);
  return Singular;
}
/// Of floats, added up as doubles.
inline double dsdot(int n, const float *x, int incx, const float *y, int incy) {
  Vector<const float> X(n, x, incx), Y(n, y, incy);
  double Sum = 0;
  for (int i = 0; i < n; ++i)
    Sum += (double)X[i] * Y[i];
  return Sum;
}
} // namespace

extern "C" {
double rg_expand_dsdot_(const int *n, const float *x, const int *incx,
                        const float *y, const int *incy) {
  return dsdot(*n, x, *incx, y, *incy);
}
double rg_expand_cblas_dsdot(int n, const float *x, int incx, const float *y,
                             int incy) {
  return dsdot(n, x, incx, y, incy);
}
float rg_expand_sdsdot_(const int *n, const float *b, const float *x,
                        const int *incx, const float *y, const int *incy) {
  return (float)(*b + dsdot(*n, x, *incx, y, *incy));
}
float rg_expand_cblas_sdsdot(int n, float b, const float *x, int incx,
                             const float *y, int incy) {
  return (float)(b + dsdot(n, x, incx, y, incy));
}
}

#define RG_COMPLEX_BLAS(T, z, d)                                               \
  extern "C" {                                                                 \
  using z##number = Number<T>;                                                 \
  void rg_expand_##z##axpy_(const int *n, const z##number *a,                  \
                            const z##number *x, const int *incx, z##number *y, \
                            const int *incy) {                                 \
    axpy(*n, *a, x, *incx, y, *incy);                                          \
  }                                                                            \
  void rg_expand_cblas_##z##axpy(int n, const z##number *a,                    \
                                 const z##number *x, int incx, z##number *y,   \
                                 int incy) {                                   \
    axpy(n, *a, x, incx, y, incy);                                             \
  }                                                                            \
  void rg_expand_##z##scal_(const int *n, const z##number *a, z##number *x,    \
                            const int *incx) {                                 \
    scal(*n, *a, x, *incx);                                                    \
  }                                                                            \
  void rg_expand_cblas_##z##scal(int n, const z##number *a, z##number *x,      \
                                 int incx) {                                   \
    scal(n, *a, x, incx);                                                      \
  }                                                                            \
  void rg_expand_##z##d##scal_(const int *n, const T *a, z##number *x,         \
                               const int *incx) {                              \
    scal(*n, *a, x, *incx);                                                    \
  }                                                                            \
  void rg_expand_cblas_##z##d##scal(int n, T a, z##number *x, int incx) {      \
    scal(n, a, x, incx);                                                       \
  }                                                                            \
  void rg_expand_##z##copy_(const int *n, const z##number *x, const int *incx, \
                            z##number *y, const int *incy) {                   \
    copy(*n, x, *incx, y, *incy);                                              \
  }                                                                            \
  void rg_expand_cblas_##z##copy(int n, const z##number *x, int incx,          \
                                 z##number *y, int incy) {                     \
    copy(n, x, incx, y, incy);                                                 \
  }                                                                            \
  void rg_expand_##z##swap_(const int *n, z##number *x, const int *incx,       \
                            z##number *y, const int *incy) {                   \
    swap(*n, x, *incx, y, *incy);                                              \
  }                                                                            \
  void rg_expand_cblas_##z##swap(int n, z##number *x, int incx, z##number *y,  \
                                 int incy) {                                   \
    swap(n, x, incx, y, incy);                                                 \
  }                                                                            \
  _Complex T rg_expand_##z##dotu_(const int *n, const z##number *x,            \
                                  const int *incx, const z##number *y,         \
                                  const int *incy) {                           \
    z##number r = dot(false, *n, x, *incx, y, *incy);                          \
    return __builtin_complex(r.re, r.im);                                      \
  }                                                                            \
  _Complex T rg_expand_##z##dotc_(const int *n, const z##number *x,            \
                                  const int *incx, const z##number *y,         \
                                  const int *incy) {                           \
    z##number r = dot(true, *n, x, *incx, y, *incy);                           \
    return __builtin_complex(r.re, r.im);                                      \
  }                                                                            \
  void rg_expand_cblas_##z##dotu_sub(int n, const z##number *x, int incx,      \
                                     const z##number *y, int incy,             \
                                     z##number *r) {                           \
    *r = dot(false, n, x, incx, y, incy);                                      \
  }                                                                            \
  void rg_expand_cblas_##z##dotc_sub(int n, const z##number *x, int incx,      \
                                     const z##number *y, int incy,             \
                                     z##number *r) {                           \
    *r = dot(true, n, x, incx, y, incy);                                       \
  }                                                                            \
  T rg_expand_##d##z##nrm2_(const int *n, const z##number *x,                  \
                            const int *incx) {                                 \
    return nrm2(*n, x, *incx);                                                 \
  }                                                                            \
  T rg_expand_cblas_##d##z##nrm2(int n, const z##number *x, int incx) {        \
    return nrm2(n, x, incx);                                                   \
  }                                                                            \
  T rg_expand_##d##z##asum_(const int *n, const z##number *x,                  \
                            const int *incx) {                                 \
    return asum(*n, x, *incx);                                                 \
  }                                                                            \
  T rg_expand_cblas_##d##z##asum(int n, const z##number *x, int incx) {        \
    return asum(n, x, incx);                                                   \
  }                                                                            \
  void rg_expand_##z##gemv_(const char *t, const int *m, const int *n,         \
                            const z##number *a, const z##number *A,            \
                            const int *lda, const z##number *x,                \
                            const int *incx, const z##number *b, z##number *y, \
                            const int *incy) {                                 \
    char Op = operation(t);                                                    \
    bool Turned = Op == 'T' || Op == 'C';                                      \
    gemv(Turned ? *n : *m, Turned ? *m : *n, *a,                               \
         Matrix<const z##number>(false, Op, A, *lda), x, *incx, *b, y, *incy); \
  }                                                                            \
  void rg_expand_cblas_##z##gemv(int o, int t, int m, int n,                   \
                                 const z##number *a, const z##number *A,       \
                                 int lda, const z##number *x, int incx,        \
                                 const z##number *b, z##number *y, int incy) { \
    char Op = operation(t);                                                    \
    bool Turned = Op == 'T' || Op == 'C';                                      \
    gemv(Turned ? n : m, Turned ? m : n, *a,                                   \
         Matrix<const z##number>(o == RowMajor, Op, A, lda), x, incx, *b, y,   \
         incy);                                                                \
  }                                                                            \
  RG_COMPLEX_GER(z, geru, false)                                               \
  RG_COMPLEX_GER(z, gerc, true)                                                \
  void rg_expand_##z##gemm_(const char *ta, const char *tb, const int *m,      \
                            const int *n, const int *k, const z##number *a,    \
                            const z##number *A, const int *lda,                \
                            const z##number *B, const int *ldb,                \
                            const z##number *b, z##number *C,                  \
                            const int *ldc) {                                  \
    gemm(*m, *n, *k, *a,                                                       \
         Matrix<const z##number>(false, operation(ta), A, *lda),               \
         Matrix<const z##number>(false, operation(tb), B, *ldb), *b,           \
         Matrix<z##number>(false, 'N', C, *ldc));                              \
  }                                                                            \
  void rg_expand_cblas_##z##gemm(int o, int ta, int tb, int m, int n, int k,   \
                                 const z##number *a, const z##number *A,       \
                                 int lda, const z##number *B, int ldb,         \
                                 const z##number *b, z##number *C, int ldc) {  \
    bool Rows = o == RowMajor;                                                 \
    gemm(m, n, k, *a, Matrix<const z##number>(Rows, operation(ta), A, lda),    \
         Matrix<const z##number>(Rows, operation(tb), B, ldb), *b,             \
         Matrix<z##number>(Rows, 'N', C, ldc));                                \
  }                                                                            \
  void rg_expand_##d##rotg_(T *a, T *b, T *c, T *s) { rotg(a, b, c, s); }      \
  void rg_expand_cblas_##d##rotg(T *a, T *b, T *c, T *s) { rotg(a, b, c, s); } \
  void rg_expand_##d##rotm_(const int *n, T *x, const int *incx, T *y,         \
                            const int *incy, const T *p) {                     \
    rotm(*n, x, *incx, y, *incy, p);                                           \
  }                                                                            \
  void rg_expand_cblas_##d##rotm(int n, T *x, int incx, T *y, int incy,        \
                                 const T *p) {                                 \
    rotm(n, x, incx, y, incy, p);                                              \
  }                                                                            \
  }

#define RG_COMPLEX_GER(z, name, Conjugated)                                    \
  void rg_expand_##z##name##_(const int *m, const int *n, const z##number *a,  \
                              const z##number *x, const int *incx,             \
                              const z##number *y, const int *incy,             \
                              z##number *A, const int *lda) {                  \
    ger(Conjugated, *m, *n, *a, x, *incx, y, *incy,                            \
        Matrix<z##number>(false, 'N', A, *lda));                               \
  }                                                                            \
  void rg_expand_cblas_##z##name(                                              \
      int o, int m, int n, const z##number *a, const z##number *x, int incx,   \
      const z##number *y, int incy, z##number *A, int lda) {                   \
    ger(Conjugated, m, n, *a, x, incx, y, incy,                                \
        Matrix<z##number>(o == RowMajor, 'N', A, lda));                        \
  }

#define RG_COMPLEX_LAPACK(T, z)                                                \
  extern "C" {                                                                 \
  void rg_expand_##z##getrf_(const int *m, const int *n, z##number *A,         \
                             const int *lda, int *pivots, int *info) {         \
    *info = getrf(*m, *n, Matrix<z##number>(false, 'N', A, *lda), pivots);     \
  }                                                                            \
  int rg_expand_LAPACKE_##z##getrf(int o, int m, int n, z##number *A, int lda, \
                                   int *pivots) {                              \
    return getrf(m, n, Matrix<z##number>(o == RowMajor, 'N', A, lda), pivots); \
  }                                                                            \
  void rg_expand_##z##getrs_(const char *t, const int *n, const int *r,        \
                             const z##number *A, const int *lda,               \
                             const int *pivots, z##number *B, const int *ldb,  \
                             int *info) {                                      \
    getrs(operation(t), *n, *r, Matrix<const z##number>(false, 'N', A, *lda),  \
          pivots, Matrix<z##number>(false, 'N', B, *ldb));                     \
    *info = 0;                                                                 \
  }                                                                            \
  int rg_expand_LAPACKE_##z##getrs(int o, char t, int n, int r,                \
                                   const z##number *A, int lda,                \
                                   const int *pivots, z##number *B, int ldb) { \
    getrs(operation(&t), n, r,                                                 \
          Matrix<const z##number>(o == RowMajor, 'N', A, lda), pivots,         \
          Matrix<z##number>(o == RowMajor, 'N', B, ldb));                      \
    return 0;                                                                  \
  }                                                                            \
  void rg_expand_##z##gesv_(const int *n, const int *r, z##number *A,          \
                            const int *lda, int *pivots, z##number *B,         \
                            const int *ldb, int *info) {                       \
    *info = gesv(*n, *r, Matrix<z##number>(false, 'N', A, *lda), pivots,       \
                 Matrix<z##number>(false, 'N', B, *ldb));                      \
  }                                                                            \
  int rg_expand_LAPACKE_##z##gesv(int o, int n, int r, z##number *A, int lda,  \
                                  int *pivots, z##number *B, int ldb) {        \
    return gesv(n, r, Matrix<z##number>(o == RowMajor, 'N', A, lda), pivots,   \
                Matrix<z##number>(o == RowMajor, 'N', B, ldb));                \
  }                                                                            \
  }

#include "blas_hermitian.h"

RG_COMPLEX_BLAS(double, z, d)
RG_COMPLEX_BLAS(float, c, s)
RG_COMPLEX_LAPACK(double, z)
RG_COMPLEX_LAPACK(float, c)
RG_HERMITIAN(double, z)
RG_HERMITIAN(float, c)
