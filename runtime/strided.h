/*===- strided.h - arrays with strides ------------------------------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* Matrices, their transposes, diagonals and vectors as one thing, for
|* elementwise work on memory of the host (blas.h) and of a device (cublas.h).
\*===------------------------------------------------------------------------===*/
#ifndef RETROGRAD_RUNTIME_STRIDED_H
#define RETROGRAD_RUNTIME_STRIDED_H
#include "dense.h"

namespace rg {

/// An array with its strides.
template <class T> struct Strided {
  T *P;
  int64_t s0, s1;
  T &at(int64_t i, int64_t j) const { return P[i * s0 + j * s1]; }
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
template <class T> inline Strided<const T> constant(Strided<T> A) {
  return {A.P, A.s0, A.s1};
}
template <class T> inline Strided<const T> nothing() { return {nullptr, 0, 0}; }

} // namespace rg

#endif
