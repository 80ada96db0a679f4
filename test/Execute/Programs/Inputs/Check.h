//===- Check.h - a program's gradient, checked twice -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The programs of demo/ and bench/ at small sizes, each in one translation unit so
// that it is compiled at every level and under every plan as any other test. The
// derivative is compared with the hand-written one of bench/hand and, on a sample,
// with central differences, which owe nothing to either.
//
//===----------------------------------------------------------------------===//

#ifndef TEST_PROGRAMS_CHECK_H
#define TEST_PROGRAMS_CHECK_H

#include "rgtest.h"
#include <cmath>
#include <vector>

using Vector = std::vector<double>;

/// Entry by entry, relative to the entry but at least to 1e-5 of the largest.
inline void checkEntries(const Vector &Got, const Vector &Want) {
  double Largest = 0, Error = 0;
  for (double W : Want)
    Largest = std::fmax(Largest, std::fabs(W));
  RG_TRUE(Got.size() == Want.size() && Largest > 0);
  for (size_t I = 0; I < Want.size(); ++I) {
    RG_TRUE(rgFinite(Got[I]));
    Error = std::fmax(Error, std::fabs(Got[I] - Want[I]) /
                                 std::fmax(std::fabs(Want[I]), 1e-5 * Largest));
  }
  RG_WITHIN(Error, 0, 1e-8);
}

/// D is the gradient of F at X: about a dozen of its entries.
template <typename Function>
void checkDifferences(Function F, Vector X, const Vector &D) {
  double Largest = 0;
  for (double V : D)
    Largest = std::fmax(Largest, std::fabs(V));
  const size_t Stride = X.size() / 12 + 1;
  for (size_t I = 0; I < X.size(); I += Stride)
    RG_WITHIN((D[I] - RG_DIFF(F(X.data()), X[I])) / Largest, 0, 1e-6);
}

#endif
