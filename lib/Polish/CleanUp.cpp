//===- CleanUp.cpp - simplify what was emitted ----------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Polish/CleanUp.h"
#include "Polish/LateInitials.h"
#include "Polish/PolishSteps.h"
#include "Support/Options.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TimeProfiler.h"

using namespace llvm;
using namespace retrograd;

void retrograd::cleanUp(Function &Derivative, ModuleAnalysisManager &MAM,
                        const Options &Opts) {
  FunctionAnalysisManager &FAM =
      MAM.getResult<FunctionAnalysisManagerModuleProxy>(*Derivative.getParent())
          .getManager();
  FAM.invalidate(Derivative, PreservedAnalyses::none());
  if (!Opts.CleanUp)
    return;
  TimeTraceScope Scope("rg-cleanup", Derivative.getName());
  Derivative.removeFnAttr(Attribute::OptimizeNone);
  const StepRunner Steps(Opts);
  Steps.run(step::LateInitials, Derivative, [&] {
    return setInitialsLate(Derivative,
                           FAM.getResult<DominatorTreeAnalysis>(Derivative),
                           FAM.getResult<CycleAnalysis>(Derivative));
  });
  PassBuilder PB;
  FunctionPassManager Simplify = PB.buildFunctionSimplificationPipeline(
      OptimizationLevel::O2, ThinOrFullLTOPhase::None);
  Simplify.run(Derivative, FAM);
  FAM.invalidate(Derivative, PreservedAnalyses::none());
}
