//===- LseGradient.cpp - by reverse mode -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../demo/programs/AutoDiff.h"
#include "Lse.h"
#include <algorithm>

void programs::lseGradient(int N, const double *X, double *Gradient) {
  std::fill_n(Gradient, N, 0.0);
  __enzyme_autodiff<void>((void *)lseObjective<double>, enzyme_const, N,
                          enzyme_dup, X, Gradient);
}
