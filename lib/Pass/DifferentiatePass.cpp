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
    for (EntryCall &Entry : Entries.Calls) {
      if (Function *D = Derive.differentiate(Entry.Request, Entry.trail()))
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
