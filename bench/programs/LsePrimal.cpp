//===- LsePrimal.cpp - log-sum-exp, instantiated for double -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lse.h"

double programs::lse(int N, const double *X) { return lseObjective(N, X); }
