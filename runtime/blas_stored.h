/*===- blas_stored.h - BLAS on banded and packed matrices -----------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* These routines touch each stored element once. Their derivatives do, too, so
|* they are differentiated as the loops that they are. A storage says which rows
|* of a column it holds, and where.
\*===------------------------------------------------------------------------===*/
#ifndef RETROGRAD_RUNTIME_BLAS_STORED_H
#define RETROGRAD_RUNTIME_BLAS_STORED_H
#include "dense.h"

namespace rg {

/// l diagonals below and u above the main one, of m x n.
struct Band {
  int m, l, u, ld;
  int begin(int j) const { return j > u ? j - u : 0; }
  int end(int j) const { return j + l + 1 < m ? j + l + 1 : m; }
  ptrdiff_t place(int i, int j) const { return u + i - j + (ptrdiff_t)j * ld; }
};
/// The triangle of a band matrix with k diagonals beside the main one.
inline Band triangleBand(char t, int n, int k, int ld) {
  return {n, upper(t) ? 0 : k, upper(t) ? k : 0, ld};
}
/// A triangle, columns one behind the other.
struct Packed {
  int n;
  bool Upper;
  int begin(int j) const { return Upper ? 0 : j; }
  int end(int j) const { return Upper ? j + 1 : n; }
  ptrdiff_t place(int i, int j) const {
    return Upper ? i + (ptrdiff_t)j * (j + 1) / 2
                 : i + (ptrdiff_t)j * (2 * n - j - 1) / 2;
  }
};

/// y *= b. What is no number is overwritten if b is zero, as BLAS has it.
template <class T> inline void scaleOrSet(int n, T b, T *y, int incy) {
  for (int i = 0; i < n; ++i) {
    T Old = y[(ptrdiff_t)i * incy];
    y[(ptrdiff_t)i * incy] = b == 0 && !(Old - Old == 0) ? 0 : b * Old;
  }
}

template <class T, class S>
inline void multiply(bool Transposed, int m, int n, const S &s, T a, const T *A,
                     const T *x, int incx, T b, T *y, int incy) {
  int sizeX = Transposed ? m : n, sizeY = Transposed ? n : m;
  x = first(x, sizeX, incx);
  y = first(y, sizeY, incy);
  scaleOrSet(sizeY, b, y, incy);
  for (int j = 0; j < n; ++j)
    for (int i = s.begin(j); i < s.end(j); ++i)
      if (Transposed)
        y[(ptrdiff_t)j * incy] += a * A[s.place(i, j)] * x[(ptrdiff_t)i * incx];
      else
        y[(ptrdiff_t)i * incy] += a * A[s.place(i, j)] * x[(ptrdiff_t)j * incx];
}

template <class T, class S>
inline void multiplySymmetric(int n, const S &s, T a, const T *A, const T *x,
                              int incx, T b, T *y, int incy) {
  x = first(x, n, incx);
  y = first(y, n, incy);
  scaleOrSet(n, b, y, incy);
  for (int j = 0; j < n; ++j)
    for (int i = s.begin(j); i < s.end(j); ++i) {
      T Element = a * A[s.place(i, j)];
      y[(ptrdiff_t)i * incy] += Element * x[(ptrdiff_t)j * incx];
      if (i != j)
        y[(ptrdiff_t)j * incy] += Element * x[(ptrdiff_t)i * incx];
    }
}

template <class T, class S>
inline void multiplyTriangular(bool Transposed, bool Unit, int n, const S &s,
                               const T *A, T *x, int incx) {
  x = first(x, n, incx);
  Scratch<T> Old(n);
  T *V = Old;
  for (int i = 0; i < n; ++i) {
    V[i] = x[(ptrdiff_t)i * incx];
    x[(ptrdiff_t)i * incx] = Unit ? V[i] : 0;
  }
  for (int j = 0; j < n; ++j)
    for (int i = s.begin(j); i < s.end(j); ++i) {
      if (Unit && i == j)
        continue;
      if (Transposed)
        x[(ptrdiff_t)j * incx] += A[s.place(i, j)] * V[i];
      else
        x[(ptrdiff_t)i * incx] += A[s.place(i, j)] * V[j];
    }
}

template <class T, class S>
inline void solveTriangular(bool Upper, bool Transposed, bool Unit, int n,
                            const S &s, const T *A, T *x, int incx) {
  x = first(x, n, incx);
  for (int c = 0; c < n; ++c) {
    int j = Upper != Transposed ? n - 1 - c : c;
    if (!Transposed && !Unit)
      x[(ptrdiff_t)j * incx] /= A[s.place(j, j)];
    for (int i = s.begin(j); i < s.end(j); ++i) {
      if (i == j)
        continue;
      if (Transposed)
        x[(ptrdiff_t)j * incx] -= A[s.place(i, j)] * x[(ptrdiff_t)i * incx];
      else
        x[(ptrdiff_t)i * incx] -= A[s.place(i, j)] * x[(ptrdiff_t)j * incx];
    }
    if (Transposed && !Unit)
      x[(ptrdiff_t)j * incx] /= A[s.place(j, j)];
  }
}

/// A += a (x y^T + y x^T), the triangle that s holds.
template <class T, class S>
inline void update(int n, const S &s, T a, const T *x, int incx, const T *y,
                   int incy, T *A) {
  x = first(x, n, incx);
  y = first(y, n, incy);
  for (int j = 0; j < n; ++j)
    for (int i = s.begin(j); i < s.end(j); ++i)
      A[s.place(i, j)] += a * (x[(ptrdiff_t)i * incx] * y[(ptrdiff_t)j * incy] +
                               y[(ptrdiff_t)i * incy] * x[(ptrdiff_t)j * incx]);
}

} // namespace rg

#endif
