//===- PlanSubject.h - what a plan is made for ------------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The prepared primal, the request, and all that the analyses know. The parts
// of a plan read it; none of them changes it.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PLAN_PLANSUBJECT_H
#define RETROGRAD_PLAN_PLANSUBJECT_H

#include "Analysis/ActivityAnalysis.h"
#include "Analysis/LoopShape.h"
#include "Analysis/OverwriteAnalysis.h"
#include "Request/DerivativeRequest.h"
#include "Support/Options.h"
#include "Target/Target.h"
#include "llvm/IR/Dominators.h"

namespace retrograd {

struct PlanSubject {
  llvm::Function &F;
  DerivativeRequest Request;
  const ActivityAnalysis &Activity;
  const OverwriteAnalysis &Overwrite;
  const LoopShape &Shape;
  llvm::DominatorTree &DT;
  /// The primal sweep is a function of its own, and its frame outlives it.
  bool Split;
  const Options &Opts;
  Target Machine;

  const ProgramFacts &facts() const { return Activity.facts(); }
};

} // namespace retrograd

#endif
