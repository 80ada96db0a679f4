//===- PolishSteps.h - the rows of Polish.def -------------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_POLISH_POLISHSTEPS_H
#define RETROGRAD_POLISH_POLISHSTEPS_H

#include "Support/PipelineStep.h"

namespace retrograd {

namespace step {
#define POLISH_STEP(ID, NAME, DEMAND, WHY) extern PipelineStep ID;
#include "Polish/Polish.def"
} // namespace step

/// In the order in which they run.
llvm::ArrayRef<PipelineStep *> polishSteps();

} // namespace retrograd

#endif
