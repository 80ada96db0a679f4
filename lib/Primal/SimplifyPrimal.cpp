//===- SimplifyPrimal.cpp - LLVM passes over clones -----------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Primal/SimplifyPrimal.h"
#include "Guard/KeepEqualities.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

using namespace llvm;
using namespace retrograd;

PrimalSimplifier::PrimalSimplifier() {
  Quick.addPass(SROAPass(SROAOptions::ModifyCFG));
  Quick.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  Quick.addPass(SimplifyCFGPass());
  Quick.addPass(InstCombinePass());
  Quick.addPass(SimplifyCFGPass());
  // A builder without target or callbacks: only the standard passes. Target
  // facts still come from the host, through the analyses.
  PassBuilder PB;
  Full = PB.buildFunctionSimplificationPipeline(OptimizationLevel::O2,
                                                ThinOrFullLTOPhase::None);
}

void PrimalSimplifier::simplifyQuickly(Function &F,
                                       FunctionAnalysisManager &FAM) {
  foldEqualities(F);
  FAM.invalidate(F, PreservedAnalyses::none());
  FAM.invalidate(F, Quick.run(F, FAM));
}

void PrimalSimplifier::simplifyFully(Function &F,
                                     FunctionAnalysisManager &FAM) {
  foldEqualities(F);
  FAM.invalidate(F, PreservedAnalyses::none());
  FAM.invalidate(F, Full.run(F, FAM));
}
