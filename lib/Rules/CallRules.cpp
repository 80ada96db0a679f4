//===- CallRules.cpp - calls differentiated by the callee's own body ------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   y = f(x1, ..., xn)      primal sweep:  {tape, y, shadow of y} = f.aug(...)
//                           reverse sweep: {a1, ...} = f.rev(tape, adj[y])
//                                          adj[xi] += ai   for xi by value
//
// One call for all lanes, with their seeds and their adjoints side by side.
// Memory behind pointer arguments is the callee's business: f.rev adds to the
// shadows that f.aug was given.
//
//===----------------------------------------------------------------------===//

#include "Rules/RulesInternal.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;
using namespace retrograd;

static const char *missing(const Instruction &, const ActivityAnalysis &) {
  return nullptr;
}

static void needs(const Instruction &I, const ActivityAnalysis &,
                  NeedSink Sink) {
  Sink({Need::Tape, &I});
}

static void emit(const Instruction &I, RuleContext &C) {
  const auto &Call = cast<CallBase>(I);
  const ActivityAnalysis &A = C.activity();
  IRBuilderBase &B = C.builder();
  SmallVector<Value *, 3> Args{C.arena(), C.tape(Call)};
  auto ForLanes = [&](function_ref<void()> Body) {
    for (unsigned Lane = 0; Lane != C.width(); ++Lane) {
      C.selectLane(Lane);
      Body();
    }
  };
  if (C.givesAgain(Call))
    for (Value *Arg : Call.args())
      if (DerivativeRequest::canBeGivenAgain(*Arg)) {
        Args.push_back(C.primal(Arg));
        if (A.hasShadow(Arg))
          ForLanes([&] { Args.push_back(C.shadow(Arg)); });
      }
  if (A.isActive(&Call))
    ForLanes([&] { Args.push_back(C.take(&Call)); });
  Value *Result = B.CreateCall(C.sweepOf(Call), Args);
  unsigned Next = 0;
  for (const Value *Arg : Call.args())
    if (!A.hasShadow(Arg) && A.isVaried(Arg))
      ForLanes(
          [&] { C.accumulate(Arg, B.CreateExtractValue(Result, Next++)); });
}

static bool hasAdjoint(const Instruction &I, const ActivityAnalysis &A) {
  return A.isActiveCall(cast<CallBase>(I));
}

const Operation operations::Calls = {
    .Missing = missing,
    .Needs = needs,
    .Adjoint = emit,
    .HasAdjoint = hasAdjoint,
    .AllLanes = true,
};
