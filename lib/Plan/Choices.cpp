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
  // From the latch's value back to what the iteration began with.
  auto AddLinks = [&](Choice &Made, const PHINode &Before) {
    const Loop &L = *Made.Of;
    for (const Value *At = Made.Chosen; At != &Before;) {
      const auto *Select = dyn_cast<SelectInst>(At);
      const auto *C =
          Select ? dyn_cast<Instruction>(Select->getCondition()) : nullptr;
      if (!C || !L.contains(Select) || !L.contains(C) || Made.linkWith(C) ||
          Subject.Shape.loops().getLoopFor(Select->getParent()) != &L)
        return false;
      // With the number, a loop often keeps its place, by the same condition.
      if (!all_of(C->users(), [&](const User *U) {
            return U == Select ||
                   (isa<SelectInst>(U) && L.contains(cast<Instruction>(U)) &&
                    !Subject.Activity.isActive(U));
          }))
        return false;
      // What was before is the phi, or leads to it by selects.
      auto LeadsBack = [&](const Value *V) {
        while (V != &Before) {
          const auto *S = dyn_cast<SelectInst>(V);
          if (!S || !L.contains(S) || !Subject.Activity.isActive(S))
            return false;
          V = isa<SelectInst>(S->getFalseValue()) ||
                      S->getFalseValue() == &Before
                  ? S->getFalseValue()
                  : S->getTrueValue();
        }
        return true;
      };
      const bool OnTrue = LeadsBack(Select->getFalseValue());
      if (OnTrue == LeadsBack(Select->getTrueValue()))
        return false;
      Made.Links.insert(Made.Links.begin(), {Select, OnTrue});
      At = OnTrue ? Select->getFalseValue() : Select->getTrueValue();
    }
    return true;
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
    Choice Made;
    Made.Of = &L;
    Made.Chosen = S;
    if (isa<SelectInst>(S)) {
      if (!AddLinks(Made, *Before))
        return std::nullopt;
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
    auto IsLink = [&](const User *U) {
      return any_of(Made.Links,
                    [&](const Choice::Link &Li) { return Li.Select == U; });
    };
    auto Others = [&](const User *U) {
      const auto *I = cast<Instruction>(U);
      return I == S || IsLink(I) ||
             (!hasReverse(*I, Subject.Activity) &&
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
    for (const Choice::Link &Li : Made.Links)
      if (Li.Select != S && !all_of(Li.Select->users(), Others))
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
