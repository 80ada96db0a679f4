//===- DetPrimal.cpp - determinant, instantiated for double -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Det.h"

double programs::det(int L, const double *A) { return detObjective(L, A); }
