//===- KeepRules.h - functions with rules of the user ---------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A rule for a function that was inlined is a rule for nothing, and so is one
// for a function that is known to return its argument.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_GUARD_KEEPRULES_H
#define RETROGRAD_GUARD_KEEPRULES_H

#include "llvm/IR/PassManager.h"

namespace retrograd {

/// At the start of the pipeline: keeps functions of which the user said
/// something apart from their callers. Until releaseRules they count as
/// functions that another definition may replace. What says it is kept, too.
class KeepRulesPass : public llvm::PassInfoMixin<KeepRulesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M,
                              llvm::ModuleAnalysisManager &MAM);
  static bool isRequired() { return true; }
};

/// Gives the functions of KeepRulesPass back their linkage; if a link follows
/// (not Last), those only whose names other units must not see. Were there any?
bool releaseRules(llvm::Module &M, bool Last);
/// They may be inlined again, now that derivatives are made. Were there any?
bool releaseApart(llvm::Module &M);

/// Removes what was kept for the sake of derivatives, now that they are made.
void removeKept(llvm::Module &M);

} // namespace retrograd

#endif
