//===- LlsqGradient.cpp - by reverse mode -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../demo/programs/AutoDiff.h"
#include "Llsq.h"
#include <algorithm>

void programs::llsqGradient(int M, int N, const double *X, double *Gradient) {
  std::fill_n(Gradient, M, 0.0);
  __enzyme_autodiff<void>((void *)llsqObjective<double>, enzyme_const, M,
                          enzyme_const, N, enzyme_dup, X, Gradient);
}
