//===- PrimalSteps.cpp - the rows of Primal.def ---------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Primal/PrimalSteps.h"

using namespace llvm;
using namespace retrograd;

#define STEP(ID, NAME, DEMAND, WHY) RG_DEFINE_STEP(step::ID, NAME, DEMAND, WHY)
#define CLONED_STEP(ID, NAME, DEMAND, RUN, WHY) STEP(ID, NAME, DEMAND, WHY)
#define SETTLED_STEP(ID, NAME, DEMAND, RUN, WHY) STEP(ID, NAME, DEMAND, WHY)
#define LATE_STEP(ID, NAME, DEMAND, RUN, WHY) STEP(ID, NAME, DEMAND, WHY)
#define NORMAL_STEP(ID, NAME, DEMAND, RUN, WHY) STEP(ID, NAME, DEMAND, WHY)
#include "Primal/Primal.def"
#undef STEP

ArrayRef<PipelineStep *> retrograd::primalSteps() {
  static PipelineStep *const Steps[] = {
#define STEP(ID, NAME, DEMAND, WHY) &step::ID,
#define CLONED_STEP(ID, NAME, DEMAND, RUN, WHY) STEP(ID, NAME, DEMAND, WHY)
#define SETTLED_STEP(ID, NAME, DEMAND, RUN, WHY) STEP(ID, NAME, DEMAND, WHY)
#define LATE_STEP(ID, NAME, DEMAND, RUN, WHY) STEP(ID, NAME, DEMAND, WHY)
#define NORMAL_STEP(ID, NAME, DEMAND, RUN, WHY) STEP(ID, NAME, DEMAND, WHY)
#include "Primal/Primal.def"
#undef STEP
  };
  return Steps;
}
