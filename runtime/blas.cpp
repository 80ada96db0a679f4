/*===- blas.cpp - BLAS and LAPACK as operations ---------------------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* Names, operations and rules for each type of number. See
|* docs/DenseLinearAlgebra.md.
\*===------------------------------------------------------------------------===*/
#include "blas_stored.h"
#include "sweeps.h"

using namespace rg;

// CBLAS's enumerations.
namespace {
enum { RowMajor = 101, NoTrans = 111, Upper = 121, Unit = 132, Left = 141 };
inline bool rowMajor(int o) { return o == RowMajor; }
inline bool transposed(int t) { return t != NoTrans; }
inline int transposition(int t) { return t == NoTrans ? 'N' : 'T'; }
inline int transposition(int o, int t) {
  return (t == NoTrans) != rowMajor(o) ? 'N' : 'T';
}
inline int triangle(int o, int u) {
  return (u == Upper) != rowMajor(o) ? 'U' : 'L';
}
inline int diagonal(int d) { return d == Unit ? 'U' : 'N'; }
inline int side(int o, int s) { return (s == Left) != rowMajor(o) ? 'L' : 'R'; }

// What only moves elements, or is a sum, is differentiated as the loop that it
// is.
template <class T>
inline void moveElements(int n, const T *x, int incx, T *y, int incy) {
  x = first(x, n, incx);
  y = first(y, n, incy);
  for (int i = 0; i < n; ++i)
    y[(ptrdiff_t)i * incy] = x[(ptrdiff_t)i * incx];
}
template <class T>
inline void swapElements(int n, T *x, int incx, T *y, int incy) {
  x = first(x, n, incx);
  y = first(y, n, incy);
  for (int i = 0; i < n; ++i) {
    T Old = x[(ptrdiff_t)i * incx];
    x[(ptrdiff_t)i * incx] = y[(ptrdiff_t)i * incy];
    y[(ptrdiff_t)i * incy] = Old;
  }
}
template <class T>
inline void rotate(int n, T *x, int incx, T *y, int incy, T c, T s) {
  x = first(x, n, incx);
  y = first(y, n, incy);
  for (int i = 0; i < n; ++i) {
    T Old = x[(ptrdiff_t)i * incx], &Y = y[(ptrdiff_t)i * incy];
    x[(ptrdiff_t)i * incx] = c * Old + s * Y;
    Y = c * Y - s * Old;
  }
}
template <class T> inline T sumOfMagnitudes(int n, const T *x, int incx) {
  T Sum = 0;
  if (incx > 0)
    for (int i = 0; i < n; ++i)
      Sum += __builtin_fabs(x[(ptrdiff_t)i * incx]);
  return Sum;
}

/// A matrix in the order that operations want: itself, or a copy.
template <class T> struct ColumnMajor {
  T *Data, *Origin;
  int m, n, ld, OriginLd;
  bool Copied;
  inline ColumnMajor(int o, int m, int n, T *A, int lda)
      : Data(A), Origin(A), m(m), n(n), ld(lda), OriginLd(lda),
        Copied(rowMajor(o)) {
    if (!Copied)
      return;
    ld = m > 1 ? m : 1;
    Data = static_cast<T *>(malloc(sizeof(T) * ld * (n > 1 ? n : 1)));
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < m; ++i)
        Data[i + (ptrdiff_t)j * ld] = A[(ptrdiff_t)i * lda + j];
  }
  inline void writeBack() {
    if (Copied)
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i)
          Origin[(ptrdiff_t)i * OriginLd + j] = Data[i + (ptrdiff_t)j * ld];
  }
  inline ~ColumnMajor() {
    if (Copied)
      free(Data);
  }
};
} // namespace

#define T double
#define OP(x) rg_blas_d##x
#define FORTRAN(x) rg_expand_d##x##_
#define CBLAS(x) rg_expand_cblas_d##x
#define LAPACKE(x) rg_expand_LAPACKE_d##x
#include "blas_names.inc"
#include "blas_stored_names.inc"
#include "dense_rules.inc"
#include "lapack_names.inc"
#undef T
#undef OP
#undef FORTRAN
#undef CBLAS
#undef LAPACKE

#define T float
#define OP(x) rg_blas_s##x
#define FORTRAN(x) rg_expand_s##x##_
#define CBLAS(x) rg_expand_cblas_s##x
#define LAPACKE(x) rg_expand_LAPACKE_s##x
#include "blas_names.inc"
#include "blas_stored_names.inc"
#include "dense_rules.inc"
#include "lapack_names.inc"
#undef T
#undef OP
#undef FORTRAN
#undef CBLAS
#undef LAPACKE
