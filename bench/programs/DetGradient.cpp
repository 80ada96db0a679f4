//===- DetGradient.cpp - by reverse mode -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../demo/programs/AutoDiff.h"
#include "Det.h"
#include <algorithm>

void programs::detGradient(int L, const double *A, double *Gradient) {
  std::fill_n(Gradient, L * L, 0.0);
  __enzyme_autodiff<void>((void *)detObjective<double>, enzyme_const, L,
                          enzyme_dup, A, Gradient);
}
