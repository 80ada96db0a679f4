//===- PolishSteps.h - the rows of Polish.def -------------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_POLISH_POLISHSTEPS_H
#define RETROGRAD_POLISH_POLISHSTEPS_H

#include "Support/PipelineStep.h"
#include "Support/StepFunctions.h"

namespace retrograd {

namespace step {
#define POLISH_STEP(ID, NAME, DEMAND, WHY) extern PipelineStep ID;
#include "Polish/Polish.def"
} // namespace step

// The functions of rows.
#define FUNCTION RG_DECLARE_STEP_FUNCTION
#define CODE RG_NO_STEP_FUNCTION
#define FINISHED_STEP(ID, NAME, DEMAND, RUN, WHY) RUN
#define HOST_STEP(ID, NAME, DEMAND, RUN, WHY) RUN
#include "Polish/Polish.def"
#undef FUNCTION
#undef CODE

/// In the order in which they run.
llvm::ArrayRef<PipelineStep *> polishSteps();

} // namespace retrograd

#endif
