//===- Choices.cpp - loops that choose one of their iterations ------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan/Choices.h"
#include "Plan/CallPlan.h"
#include "Rules/Rules.h"

using namespace llvm;
using namespace retrograd;

/// Everything with a derivative that goes into or comes out of such a loop goes
/// through the choice, but for memory that it reads.
Choices::Choices(const PlanSubject &Subject, const CallPlan &Calls) {
  if (Subject.Opts.Plan == PlanKind::Naive || !Subject.Opts.ChosenIterations ||
      !Subject.Opts.SkipIdleLoops || Subject.Machine.manyThreads())
    return;
  auto Choose = [&](const Loop &L) -> std::optional<Choice> {
    const BasicBlock *Latch = L.getLoopLatch(), *Exit = L.getExitBlock();
    if (!Latch || !Exit || !L.getLoopPreheader() ||
        L.getExitingBlock() != Latch || !Subject.Shape.isLive(Latch) ||
        Subject.Shape.loops().getLoopFor(Latch) != &L)
      return std::nullopt;
    const PHINode *Before = nullptr;
    for (const PHINode &Phi : L.getHeader()->phis())
      if (Subject.Activity.isActive(&Phi)) {
        if (Before)
          return std::nullopt;
        Before = &Phi;
      }
    const auto *S =
        Before && Before->getType()->isFloatingPointTy()
            ? dyn_cast<SelectInst>(Before->getIncomingValueForBlock(Latch))
            : nullptr;
    if (!S || Subject.Shape.loops().getLoopFor(S->getParent()) != &L)
      return std::nullopt;
    const auto *C = dyn_cast<Instruction>(S->getCondition());
    if (!C || !C->hasOneUse() || !L.contains(C) ||
        (S->getTrueValue() == Before) == (S->getFalseValue() == Before))
      return std::nullopt;
    auto Others = [&](const User *U) {
      const auto *I = cast<Instruction>(U);
      return I == S || (!hasReverse(*I, Subject.Activity) &&
                        !(isa<PHINode>(I) && Subject.Activity.isActive(I)));
    };
    auto Leaves = [&](const User *U) {
      const auto *Phi = dyn_cast<PHINode>(U);
      return Phi && Phi->getParent() == Exit;
    };
    if (!all_of(Before->users(), Others) ||
        !all_of(S->users(), [&](const User *U) {
          return U == Before || Leaves(U) || Others(U);
        }))
      return std::nullopt;
    for (const PHINode &Phi : Exit->phis())
      if (Subject.Activity.isActive(&Phi) &&
          Phi.getIncomingValueForBlock(Latch) != S)
        return std::nullopt;
    for (const BasicBlock *B : L.blocks())
      for (const Instruction &I : *B)
        if (hasReverse(I, Subject.Activity)) {
          const auto *Call = dyn_cast<CallBase>(&I);
          if (isa<StoreInst>(I) ||
              (Call && Calls.action(*Call) != CallAction::Formula))
            return std::nullopt;
        }
    return Choice{&L, S, S->getFalseValue() == Before};
  };
  for (const Loop *L : Subject.Shape.loops().getLoopsInPreorder())
    if (auto C = Choose(*L))
      Found.push_back(*C);
}
