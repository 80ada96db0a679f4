//===- LoopNests.h - loop nests in better orders ----------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The folder's door: everything else of Retrograd includes this file alone. The
// folder needs isl. In a build without it (WithoutIsl.cpp) the functions are
// there and do nothing, and whoever asked for them is told so.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_LOOPS_LOOPNESTS_H
#define RETROGRAD_LOOPS_LOOPNESTS_H

#include "llvm/IR/PassManager.h"

namespace retrograd {

/// This build can order loop nests.
bool haveLoopNests();

/// The loop nests of F in the order that suits their accesses best, where that
/// gives the same. True if F was changed. Print: nests as sets, to stderr.
bool improveNests(llvm::Function &F, llvm::FunctionAnalysisManager &FAM,
                  bool Print);

/// -passes=print<rg-nests>: the nests of F as sets, and the order that was
/// found; F stays as it is.
void printNests(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/// -rg-loops, -passes=rg-loops.
class LoopNestsPass : public llvm::PassInfoMixin<LoopNestsPass> {
public:
  enum Work : uint8_t { Improve, ImproveAndPrint, Print };
  explicit LoopNestsPass(Work W) : W(W) {}
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &FAM);

private:
  Work W;
};

/// Tells once per module that this build has no isl.
class NeedLoopNestsPass : public llvm::PassInfoMixin<NeedLoopNestsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace retrograd

#endif
