//===- TransformerGradient.cpp - by reverse mode -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../demo/programs/AutoDiff.h"
#include "Transformer.h"
#include <algorithm>

void programs::transformerGradient(TransformerInput<float> &I) {
  std::fill(I.DParameters.begin(), I.DParameters.end(), 0.0f);
  std::fill(I.DActivations.begin(), I.DActivations.end(), 0.0f);
  __enzyme_autodiff<void>((void *)transformerLoss<float>, enzyme_dup, &I.Model,
                          &I.Adjoint, enzyme_const, I.Symbols.data(),
                          enzyme_const, I.Targets.data());
}
