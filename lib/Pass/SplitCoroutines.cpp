//===- SplitCoroutines.cpp - coroutines at -O0 ----------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pass/SplitCoroutines.h"
#include "Request/EntryPoints.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Coroutines/CoroCleanup.h"
#include "llvm/Transforms/Coroutines/CoroEarly.h"
#include "llvm/Transforms/Coroutines/CoroSplit.h"

using namespace llvm;
using namespace retrograd;

PreservedAnalyses SplitCoroutinesPass::run(Module &M,
                                           ModuleAnalysisManager &MAM) {
  auto Whole = [](const Function &F) { return F.isPresplitCoroutine(); };
  if (!hasEntryCalls(M) || none_of(M, Whole))
    return PreservedAnalyses::all();
  ModulePassManager MPM;
  MPM.addPass(CoroEarlyPass());
  CGSCCPassManager CGPM;
  CGPM.addPass(CoroSplitPass());
  MPM.addPass(createModuleToPostOrderCGSCCPassAdaptor(std::move(CGPM)));
  MPM.addPass(CoroCleanupPass());
  return MPM.run(M, MAM);
}
