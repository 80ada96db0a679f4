//===- PrimalSteps.h - the rows of Primal.def -------------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PRIMAL_PRIMALSTEPS_H
#define RETROGRAD_PRIMAL_PRIMALSTEPS_H

#include "Support/PipelineStep.h"
#include "Support/StepFunctions.h"

namespace retrograd {

namespace step {
#define STEP(ID, NAME, DEMAND, WHY) extern PipelineStep ID;
#define CLONED_STEP(ID, NAME, DEMAND, RUN, WHY) STEP(ID, NAME, DEMAND, WHY)
#define SETTLED_STEP(ID, NAME, DEMAND, RUN, WHY) STEP(ID, NAME, DEMAND, WHY)
#define LATE_STEP(ID, NAME, DEMAND, RUN, WHY) STEP(ID, NAME, DEMAND, WHY)
#define NORMAL_STEP(ID, NAME, DEMAND, RUN, WHY) STEP(ID, NAME, DEMAND, WHY)
#include "Primal/Primal.def"
#undef STEP
} // namespace step

// The functions of rows.
#define FUNCTION RG_DECLARE_STEP_FUNCTION
#define CODE RG_NO_STEP_FUNCTION
#define CLONED_STEP(ID, NAME, DEMAND, RUN, WHY) RUN
#define SETTLED_STEP(ID, NAME, DEMAND, RUN, WHY) RUN
#define LATE_STEP(ID, NAME, DEMAND, RUN, WHY) RUN
#define NORMAL_STEP(ID, NAME, DEMAND, RUN, WHY) RUN
#include "Primal/Primal.def"
#undef FUNCTION
#undef CODE

/// In the order in which they run.
llvm::ArrayRef<PipelineStep *> primalSteps();

} // namespace retrograd

#endif
