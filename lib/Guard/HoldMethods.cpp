//===- HoldMethods.cpp - parallel methods are calls -----------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Guard/HoldMethods.h"
#include "Diagnostics/DiagnosticEngine.h"
#include "Guard/HeldForLink.h"
#include "Guard/Methods.h"
#include "Request/EntryCalls.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

PreservedAnalyses HoldMethodsPass::run(Module &M, ModuleAnalysisManager &) {
  if (!hasEntryCalls(M) && !isBeforeLink(Stage))
    return PreservedAnalyses::all();
  DiagnosticEngine Diags(M);
  SmallVector<Function *, 4> Methods = substituteMethods(M, Diags);
  Diags.finish();
  for (Function *F : Methods)
    hold(*F);
  return Methods.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}
