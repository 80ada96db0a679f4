//===- HandPrimal.cpp - the residuals, instantiated for double -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Hand.h"

void programs::hand(const HandInput &H, const double *P, double *Residuals) {
  handObjective(H.Model, H.Complicated, H.count(), H.Correspondence.data(),
                H.Measured.data(), P, P + HandPose, Residuals);
}
