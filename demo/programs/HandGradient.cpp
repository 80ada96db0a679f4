//===- HandGradient.cpp - Jacobian of the residuals, column by column -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AutoDiff.h"
#include "Hand.h"
#include <algorithm>

void programs::handJacobian(const HandInput &H, const double *P,
                            double *Jacobian) {
  const int Columns = H.numColumns(), Rows = H.numRows(),
            Own = Columns - HandPose;
  std::vector<double> Direction(H.Parameters.size()), Residuals(Rows),
      Tangent(Rows);
  for (int Column = 0; Column < Columns; ++Column) {
    std::fill(Direction.begin(), Direction.end(), 0.0);
    if (Column < Own)
      for (int C = 0; C < H.count(); ++C)
        Direction[HandPose + 2 * C + Column] = 1.0;
    else
      Direction[Column - Own] = 1.0;
    __enzyme_fwddiff<void>(
        (void *)handObjective<double>, enzyme_const, &H.Model, enzyme_const,
        H.Complicated, enzyme_const, H.count(), enzyme_const,
        H.Correspondence.data(), enzyme_const, H.Measured.data(), enzyme_dup, P,
        Direction.data(), enzyme_dup, P + HandPose, Direction.data() + HandPose,
        enzyme_dupnoneed, Residuals.data(), Tangent.data());
    for (int Row = 0; Row < Rows; ++Row)
      Jacobian[size_t(Row) * Columns + Column] = Tangent[Row];
  }
}
