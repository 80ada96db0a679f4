//===- Choices.cpp - loops that choose one of their iterations ------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan/Choices.h"
#include "Catalogue/Catalogue.h"
#include "Plan/CallPlan.h"
#include "Rules/Rules.h"

using namespace llvm;
using namespace retrograd;

/// Everything with a derivative that goes into or comes out of such a loop goes
/// through the choice, but for memory that it reads.
Choices::Choices(const PlanSubject &Subject, const CallPlan &Calls) {
  if (Subject.Opts.Plan == PlanKind::Naive || !Subject.Opts.ChosenIterations ||
      !Subject.Opts.SkipIdleLoops)
    return;
  const Catalogue &Cat = Subject.facts().catalogue();
  // Iterations are left out: nobody may wait for another thread in one.
  auto MayWait = [&](const Loop &L) {
    return Subject.Machine.manyThreads() &&
           any_of(L.blocks(), [&](const BasicBlock *B) {
             return any_of(*B, [&](const Instruction &I) {
               const auto *C = dyn_cast<CallBase>(&I);
               const OperationRecord *R = C ? Cat.lookup(*C) : nullptr;
               return C && !(R && R->Pure) &&
                      (C->isConvergent() || !C->doesNotAccessMemory());
             });
           });
  };
  auto Choose = [&](const Loop &L) -> std::optional<Choice> {
    const BasicBlock *Latch = L.getLoopLatch(), *Exit = L.getExitBlock();
    if (!Latch || !Exit || !L.getLoopPreheader() ||
        L.getExitingBlock() != Latch || !Subject.Shape.isLive(Latch) ||
        Subject.Shape.loops().getLoopFor(Latch) != &L || MayWait(L))
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
            ? dyn_cast<Instruction>(Before->getIncomingValueForBlock(Latch))
            : nullptr;
    if (!S || Subject.Shape.loops().getLoopFor(S->getParent()) != &L)
      return std::nullopt;
    Choice Made{&L, S};
    if (const auto *Select = dyn_cast<SelectInst>(S)) {
      const auto *C = dyn_cast<Instruction>(Select->getCondition());
      if (!C || !C->hasOneUse() || !L.contains(C) ||
          (Select->getTrueValue() == Before) ==
              (Select->getFalseValue() == Before))
        return std::nullopt;
      Made.OnTrue = Select->getFalseValue() == Before;
    } else {
      // Elsewhere the loop of an extremum is left to the vectoriser.
      const OperationRecord *R = Cat.lookup(*S);
      StringRef Id = R && Subject.Machine.manyThreads() ? R->Id : "";
      Made.Least = Id == "fmin" || Id == "fminimum_num";
      if ((!Made.Least && Id != "fmax" && Id != "fmaximum_num") ||
          (S->getOperand(0) == Before) == (S->getOperand(1) == Before))
        return std::nullopt;
      Made.Running = Before;
      Made.Offer = S->getOperand(0) == Before;
      for (const PHINode &Phi : Exit->phis())
        if (Phi.getNumIncomingValues() == 1 && Phi.getIncomingValue(0) == S)
          Made.Final = &Phi;
      if (!Made.Final)
        return std::nullopt;
    }
    auto Others = [&](const User *U) {
      const auto *I = cast<Instruction>(U);
      return I == S || (!hasReverse(*I, Subject.Activity) &&
                        !(isa<PHINode>(I) && Subject.Activity.isActive(I)));
    };
    auto Leaves = [&](const User *U) {
      const auto *Phi = dyn_cast<PHINode>(U);
      return Phi && Phi->getParent() == Exit;
    };
    // What a running extremum was is not known to anybody else.
    if (!all_of(Before->users(),
                [&](const User *U) {
                  return U == S || (!Made.Running && Others(U));
                }) ||
        !all_of(S->users(), [&](const User *U) {
          return U == Before || Leaves(U) || (!Made.Running && Others(U));
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
    return Made;
  };
  for (const Loop *L : Subject.Shape.loops().getLoopsInPreorder())
    if (auto C = Choose(*L))
      Found.push_back(*C);
}
