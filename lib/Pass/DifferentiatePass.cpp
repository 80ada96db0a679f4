//===- DifferentiatePass.cpp - every derivative call of a module ----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pass/DifferentiatePass.h"
#include "Pass/Differentiator.h"
#include "Pass/LowerEntryCalls.h"
#include "Pass/PrepareEntryCalls.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

PreservedAnalyses DifferentiatePass::run(Module &M, ModuleAnalysisManager &MAM) {
  // Hands off what was not asked: without derivative calls nothing happens.
  if (!hasEntryCalls(M))
    return PreservedAnalyses::all();

  DiagnosticEngine Diags(M);
  Catalogue Cat;
  EntryCalls Entries = prepareEntryCalls(
      M, MAM, Diags, [&](const Function &F) { return Cat.lookupFunction(F) != nullptr; });
  {
    Differentiator Derive(M, MAM, Cat, Diags, Opts);
    // Innermost first, so that an outer derivative sees the inner one's code.
    for (auto [N, Entry] : enumerate(Entries.Calls)) {
      // Equal requests share a derivative, and what is known of its arguments.
      SmallVector<const EntryCall *, 4> Alike{&Entry};
      for (const EntryCall &Later : drop_begin(Entries.Calls, N + 1))
        if (Later.Request == Entry.Request)
          Alike.push_back(&Later);
      if (Function *D = Derive.differentiate(Alike))
        lowerEntryCall(Entry, *D);
      else
        removeRefusedCall(*Entry.Call);
    }
    Derive.finish();
    Derive.runtime().resolveDeclarations();
  }
  for (CallBase *Call : Entries.Refused)
    removeRefusedCall(*Call);
  removeUnusedEntryDeclarations(M);
  Diags.finish();
  return PreservedAnalyses::none();
}
