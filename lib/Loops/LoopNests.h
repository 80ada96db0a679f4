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

struct LoopNestOptions {
  bool Print = false;    ///< nests as sets, and their orders, to stderr
  bool Change = true;    ///< otherwise nests are only looked at
  unsigned AnyOrder = 0; ///< not the best order, but any, by this seed
  bool Threads = false;  ///< outer loops by several threads of OpenMP
  /// What is left as it is gets columns side by side
  /// (Polish/VectorColumns.cpp), with sums in registers: as good as strips,
  /// whose sums are in memory.
  bool Columns = false;
};

/// The loop nests of F in the order that suits their accesses best, where that
/// gives the same. True if F was changed.
bool improveNests(llvm::Function &F, llvm::FunctionAnalysisManager &FAM,
                  const LoopNestOptions &O);

/// -rg-loops, -passes=rg-loops, -passes=print<rg-nests>.
class LoopNestsPass : public llvm::PassInfoMixin<LoopNestsPass> {
public:
  explicit LoopNestsPass(const LoopNestOptions &O) : O(O) {}
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &FAM);

private:
  LoopNestOptions O;
};

/// Tells once per module that this build has no isl.
class NeedLoopNestsPass : public llvm::PassInfoMixin<NeedLoopNestsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace retrograd

#endif
