//===- NeedLoopNests.cpp - -rg-loops in a build that cannot ---------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Diagnostics/DiagnosticEngine.h"
#include "Loops/LoopNests.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

PreservedAnalyses NeedLoopNestsPass::run(Module &M, ModuleAnalysisManager &) {
  if (!haveLoopNests()) {
    DiagnosticEngine Diags(M);
    Diags.report(DiagId::NoLoopNests, nullptr, RequestTrail());
    Diags.finish();
  }
  return PreservedAnalyses::all();
}
