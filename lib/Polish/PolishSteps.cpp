//===- PolishSteps.cpp - the rows of Polish.def ---------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Polish/PolishSteps.h"

using namespace llvm;
using namespace retrograd;

#define POLISH_STEP(ID, NAME, DEMAND, WHY)                                     \
  RG_DEFINE_STEP(step::ID, NAME, DEMAND, WHY)
#include "Polish/Polish.def"

ArrayRef<PipelineStep *> retrograd::polishSteps() {
  static PipelineStep *const Steps[] = {
#define POLISH_STEP(ID, NAME, DEMAND, WHY) &step::ID,
#include "Polish/Polish.def"
  };
  return Steps;
}
