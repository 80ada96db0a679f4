//===- HoldMethods.h - parallel methods are calls ---------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parallel loops that are methods of libraries get a substitute
// (Guard/Methods.h) while the functions of their ranges and bodies still
// have their names, and stay calls until derivatives exist.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_GUARD_HOLDMETHODS_H
#define RETROGRAD_GUARD_HOLDMETHODS_H

#include "Support/LinkStage.h"
#include "llvm/IR/PassManager.h"

namespace retrograd {

class HoldMethodsPass : public llvm::PassInfoMixin<HoldMethodsPass> {
public:
  explicit HoldMethodsPass(PipelineStage S = nullptr) : Stage(std::move(S)) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  PipelineStage Stage;
};

} // namespace retrograd

#endif
