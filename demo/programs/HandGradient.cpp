//===- HandGradient.cpp - Jacobian of the residuals, in strips -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One call of the derivative poses the hand once and computes several columns.
//
//===----------------------------------------------------------------------===//

#include "AutoDiff.h"
#include "Hand.h"
#include <algorithm>

void programs::handJacobian(const HandInput &H, const double *P,
                            double *Jacobian) {
  constexpr int Lanes = 8;
  const int Columns = H.numColumns(), Rows = H.numRows(),
            Own = Columns - HandPose;
  const size_t Inputs = H.Parameters.size();
  const size_t InputBytes = Inputs * sizeof(double),
               RowBytes = size_t(Rows) * sizeof(double);
  std::vector<double> Directions(Lanes * Inputs), Residuals(Rows),
      Tangents(size_t(Lanes) * Rows);
  for (int First = 0; First < Columns; First += Lanes) {
    const int Count = std::min(Lanes, Columns - First);
    std::fill(Directions.begin(), Directions.end(), 0.0);
    for (int Lane = 0; Lane < Count; ++Lane) {
      double *Direction = &Directions[Lane * Inputs];
      const int Column = First + Lane;
      if (Column < Own)
        for (int C = 0; C < H.count(); ++C)
          Direction[HandPose + 2 * C + Column] = 1.0;
      else
        Direction[Column - Own] = 1.0;
    }
    __enzyme_fwddiff<void>(
        (void *)handObjective<double>, enzyme_width, Lanes, enzyme_const,
        &H.Model, enzyme_const, H.Complicated, enzyme_const, H.count(),
        enzyme_const, H.Correspondence.data(), enzyme_const, H.Measured.data(),
        enzyme_dupv, InputBytes, P, Directions.data(), enzyme_dupv, InputBytes,
        P + HandPose, Directions.data() + HandPose, enzyme_dupnoneedv, RowBytes,
        Residuals.data(), Tangents.data());
    for (int Lane = 0; Lane < Count; ++Lane)
      for (int Row = 0; Row < Rows; ++Row)
        Jacobian[size_t(Row) * Columns + First + Lane] =
            Tangents[size_t(Lane) * Rows + Row];
  }
}
