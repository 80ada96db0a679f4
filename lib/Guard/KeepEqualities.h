//===- KeepEqualities.h - x stays x where it equals 2 -----------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In `if (x == 2) y = x * x;` LLVM writes y = 4. That is what y is worth, but
// the derivative of the branch that is taken is 2x and not 0. So before
// anything is simplified, comparisons of numbers for equality get an operand
// through llvm.arithmetic.fence: what is learnt is then learnt of the fence's
// result, which nobody else reads. That the other operand is a constant may be
// seen late, by inlining. (Zeros count: `x == 0 ? 3 * x : x` is x.) Two
// comparisons with one constant for more and for less are an equality, too,
// once LLVM has joined them. The fences go when derivatives are made: where a
// link follows, in the link.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_GUARD_KEEPEQUALITIES_H
#define RETROGRAD_GUARD_KEEPEQUALITIES_H

#include "Support/LinkStage.h"
#include "llvm/IR/PassManager.h"

namespace retrograd {

/// At the start of the pipeline, in modules with entry calls and in those that
/// a linker may put beside one.
class KeepEqualitiesPass : public llvm::PassInfoMixin<KeepEqualitiesPass> {
public:
  explicit KeepEqualitiesPass(PipelineStage S = nullptr)
      : Stage(std::move(S)) {}
  llvm::PreservedAnalyses run(llvm::Module &M,
                              llvm::ModuleAnalysisManager &MAM);
  static bool isRequired() { return true; }

private:
  PipelineStage Stage;
};

/// Did F get any fences?
bool keepEqualities(llvm::Function &F);

/// Constants come out of fences, so that what they decide is decided; what they
/// are compared with goes into one. Were there any?
bool foldEqualities(llvm::Function &F);

/// The same, wherever LLVM's own peepholes are.
class FoldEqualitiesPass : public llvm::PassInfoMixin<FoldEqualitiesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &FAM);
};

/// Takes all fences away; were there any?
bool releaseEqualities(llvm::Module &M);

} // namespace retrograd

#endif
