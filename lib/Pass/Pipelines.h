//===- Pipelines.h - our passes in LLVM's pipelines -------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PASS_PIPELINES_H
#define RETROGRAD_PASS_PIPELINES_H

#include "Loops/LoopNests.h"
#include "Offload/OffloadOptions.h"
#include "Support/Options.h"
#include <functional>

namespace llvm {
class PassBuilder;
}

namespace retrograd {

/// Puts our passes at their places in the default pipelines that PB builds. The
/// options are asked for when a pipeline is built.
void extendPipelines(llvm::PassBuilder &PB,
                     const std::function<Options()> &Given);

OffloadOptions offloadOptions(const Options &O);
/// Threads: where they are asked for.
LoopNestOptions loopNestOptions(const Options &O, bool Derivative = false);

} // namespace retrograd

#endif
