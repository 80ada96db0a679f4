//===- Det.h - determinant by expansion in minors -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// n! products by recursion. The columns still in use form a linked list in an
// integer array, from which a column is taken out before the recursive call and
// put back after it: an array that decides every address and is overwritten all
// the time, so that a reverse sweep has to restore it or keep what it said.
//
//===----------------------------------------------------------------------===//

#ifndef BENCH_DET_H
#define BENCH_DET_H

#include <vector>

namespace programs {

/// Determinant of the rows from Row on and the columns in the list: Next[L] is
/// the first one, Next[c] the one after c, L ends the list.
template <typename T> T detMinor(int L, int Row, const T *A, int *Next) {
  T Sum = 0;
  if (Row == L - 1) {
    Sum = A[Row * L + Next[L]];
    return Sum;
  }
  double Sign = 1;
  for (int Before = L, Column = Next[L]; Column != L;
       Before = Column, Column = Next[Column], Sign = -Sign) {
    Next[Before] = Next[Column];
    Sum += Sign * A[Row * L + Column] * detMinor(L, Row + 1, A, Next);
    Next[Before] = Column;
  }
  return Sum;
}

template <typename T> T detObjective(int L, const T *A) {
  std::vector<int> Next(L + 1);
  for (int I = 0; I < L; ++I)
    Next[I] = I + 1;
  Next[L] = 0;
  return detMinor(L, 0, A, Next.data());
}

double det(int L, const double *A);
void detGradient(int L, const double *A, double *Gradient);

} // namespace programs

#endif
