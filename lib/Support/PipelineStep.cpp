//===- PipelineStep.cpp - one named step of a pipeline --------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support/PipelineStep.h"
#include "Support/Options.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace retrograd;

StringRef StepRunner::nameOf(const Function &F) { return F.getName(); }

bool StepRunner::isLeftOut(PipelineStep &S) const {
  if (S.Kind == PipelineStep::Needed)
    return false;
  return is_contained(Opts.DisabledSteps, S.Name) ||
         !DebugCounter::shouldExecute(S.Counter);
}

void StepRunner::after(PipelineStep &S, const Function &F, bool Changed) const {
  if (!Changed)
    return;
  ++S.Changed;
  if (is_contained(Opts.PrintAfter, S.Name) ||
      is_contained(Opts.PrintAfter, "all")) {
    raw_ostream &Printed =
        errs(); // layering: the printers that the user asked for
    Printed << "; after " << S.Name << '\n';
    F.print(Printed);
  }
  if (!Opts.VerifyEach)
    return;
  std::string Text;
  raw_string_ostream OS(Text);
  if (verifyFunction(F, &OS))
    F.getContext().emitError("retrograd: " + F.getName() + " is broken after " +
                             S.Name + ": " + Text);
}

PipelineStep *retrograd::stepNamed(ArrayRef<PipelineStep *> Steps,
                                   StringRef Name) {
  auto It = find_if(Steps, [&](PipelineStep *S) { return S->Name == Name; });
  return It == Steps.end() ? nullptr : *It;
}

void retrograd::printStats(ArrayRef<PipelineStep *> Steps, raw_ostream &OS) {
  for (PipelineStep *S : Steps)
    if (S->Changed.getValue()) {
      OS << format("%8u ", unsigned(S->Changed.getValue())) << S->Name << ": "
         << S->Why << '\n';
      S->Changed = 0;
    }
}
