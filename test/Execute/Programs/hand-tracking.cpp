//===- hand-tracking.cpp - a Jacobian by forward mode -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// RG-FLAGS: -std=c++20 -I%root

#include "bench/hand/HandTracking.cpp"
#include "demo/programs/HandGradient.cpp"
#include "demo/programs/HandPrimal.cpp"
#include "Inputs/Check.h"

int main() {
  for (bool Complicated : {false, true}) {
    const programs::HandInput H = programs::makeHand(30, 8, Complicated);
    const double *P = H.Parameters.data();
    const int Rows = H.numRows(), Columns = H.numColumns();
    Vector Got(size_t(Rows) * Columns, 1), Want(Got);
    programs::handJacobian(H, P, Got.data());
    hand::handJacobian(H, P, Want.data());
    checkEntries(Got, Want);
    // One row of the Jacobian is the gradient of one residual.
    const int Row = 4;
    Vector Theta(H.Parameters.begin(), H.Parameters.begin() + 26), Gradient(26);
    for (int I = 0; I < 26; ++I)
      Gradient[I] = Got[size_t(Row) * Columns + Columns - 26 + I];
    checkDifferences(
        [&](const double *T) {
          Vector X(H.Parameters), Residuals(Rows);
          for (int I = 0; I < 26; ++I)
            X[I] = T[I];
          programs::hand(H, X.data(), Residuals.data());
          return Residuals[Row];
        },
        Theta, Gradient);
  }
  return rgReport();
}
