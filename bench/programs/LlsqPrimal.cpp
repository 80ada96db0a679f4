//===- LlsqPrimal.cpp - least squares, instantiated for double -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Llsq.h"

double programs::llsq(int M, int N, const double *X) {
  return llsqObjective(M, N, X);
}
