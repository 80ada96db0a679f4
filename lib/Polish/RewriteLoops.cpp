//===- RewriteLoops.cpp - loops of a function, one at a time --------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Polish/RewriteLoops.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

using namespace llvm;
using namespace retrograd;

/// Rewrites the next loop. False if there is none.
static bool rewriteNext(Function &F, FunctionAnalysisManager &FAM,
                        function_ref<bool(const Loop &)> Wanted,
                        function_ref<LoopHeaders(Loop &)> Rewrite,
                        SmallPtrSetImpl<const BasicBlock *> &Seen) {
  for (Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder()) {
    if (!Wanted(*L) || !Seen.insert(L->getHeader()).second)
      continue;
    const LoopHeaders Made = Rewrite(*L);
    if (Made.empty())
      continue;
    Seen.insert_range(Made);
    FAM.invalidate(F, PreservedAnalyses::none());
    return true;
  }
  return false;
}

bool retrograd::rewriteLoops(Function &F, FunctionAnalysisManager &FAM,
                             function_ref<bool(const Loop &)> Wanted,
                             function_ref<LoopHeaders(Loop &)> Rewrite) {
  if (none_of(FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder(),
              [&](const Loop *L) { return Wanted(*L); }))
    return false;
  LoopSimplifyPass().run(F, FAM);
  FAM.invalidate(F, PreservedAnalyses::none());
  SmallPtrSet<const BasicBlock *, 16> Seen;
  bool Changed = false;
  while (rewriteNext(F, FAM, Wanted, Rewrite, Seen))
    Changed = true;
  return Changed;
}
