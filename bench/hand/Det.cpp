//===- Det.cpp - determinant by minors, by hand -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One descent is enough: pass down the product of the signed entries on the
// way, hand up the value of the minor; an entry's derivative is the sum of
// (product above) * (minor below).
//
//===----------------------------------------------------------------------===//

#include "Hand.h"
#include <algorithm>
#include <vector>

static double descend(int L, int Row, const double *A, int *Next, double Above,
                      double *DA) {
  if (Row == L - 1) {
    const int At = Row * L + Next[L];
    DA[At] += Above;
    return A[At];
  }
  double Sum = 0, Sign = 1;
  for (int Before = L, Column = Next[L]; Column != L;
       Before = Column, Column = Next[Column], Sign = -Sign) {
    const double Entry = Sign * A[Row * L + Column];
    Next[Before] = Next[Column];
    const double Minor = descend(L, Row + 1, A, Next, Above * Entry, DA);
    Next[Before] = Column;
    DA[Row * L + Column] += Above * Sign * Minor;
    Sum += Entry * Minor;
  }
  return Sum;
}

void hand::detGradient(int L, const double *A, double *DA) {
  std::vector<int> Next(L + 1);
  for (int I = 0; I < L; ++I)
    Next[I] = I + 1;
  Next[L] = 0;
  std::fill_n(DA, L * L, 0.0);
  descend(L, 0, A, Next.data(), 1, DA);
}
