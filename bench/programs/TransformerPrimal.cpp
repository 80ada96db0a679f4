//===- TransformerPrimal.cpp - a training step's loss, in float -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Transformer.h"

float programs::transformer(TransformerInput<float> &I) {
  return transformerLoss(&I.Model, I.Symbols.data(), I.Targets.data());
}
