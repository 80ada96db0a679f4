//===- SplitCoroutines.h - coroutines at -O0 --------------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A coroutine becomes ordinary functions (its start, and what goes on behind a
// suspension, with the frame as their argument) when LLVM splits it. Above -O0
// it does so in front of OptimizerEarly, where derivatives are made; at -O0
// behind it. In modules with derivative calls this pass splits them there.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PASS_SPLITCOROUTINES_H
#define RETROGRAD_PASS_SPLITCOROUTINES_H

#include "llvm/IR/PassManager.h"

namespace retrograd {

class SplitCoroutinesPass : public llvm::PassInfoMixin<SplitCoroutinesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace retrograd

#endif
