//===- InertRegions.cpp - what the reverse sweep passes by ----------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan/InertRegions.h"
#include "Catalogue/Catalogue.h"
#include "Plan/Replays.h"
#include "Rules/Rules.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/CFG.h"

using namespace llvm;
using namespace retrograd;

bool retrograd::isAwaited(const CallBase &C, const ProgramFacts &Facts) {
  const OperationRecord *R = Facts.catalogue().lookup(C);
  return (R && (R->Handler == HandlerKind::Barrier ||
                R->Handler == HandlerKind::Protocol)) ||
         Facts.communicates(C);
}

static bool hasActivePhi(const BasicBlock &B, const PlanSubject &Subject) {
  return any_of(B.phis(), [&](const PHINode &Phi) {
    return Subject.Activity.isActive(&Phi);
  });
}

InertRegions::InertRegions(const PlanSubject &Subject,
                           ArrayRef<Replay> Replays) {
  if (!Subject.Opts.InertRegions)
    return;
  const LoopInfo &LI = Subject.Shape.loops();
  for (const BasicBlock &B : Subject.F)
    if (Subject.Shape.isLive(&B) && Subject.DT.isReachableFromEntry(&B) &&
        !isa<ReturnInst>(B.getTerminator()) && !hasActivePhi(B, Subject) &&
        none_of(B, [&](const Instruction &I) {
          const auto *C = dyn_cast<CallBase>(&I);
          return hasReverse(I, Subject.Activity) ||
                 (C && (C->isConvergent() || isAwaited(*C, Subject.facts())));
        }))
      WithoutReverse.insert(&B);
  for (const Replay &R : Replays)
    for (const BasicBlock *B : R.Of->blocks())
      WithoutReverse.erase(B);
  for (const Loop *L : LI.getLoopsInPreorder())
    if (!contains(L->getHeader()))
      findLoop(Subject, *L);
  // From the front: what lies between two blocks has been found by then.
  for (const BasicBlock *B :
       ReversePostOrderTraversal<const Function *>(&Subject.F))
    if (Subject.Shape.isLive(B) && !contains(B) && !inFrontOf(B))
      findBranch(Subject, *B);
}

void InertRegions::findLoop(const PlanSubject &Subject, const Loop &L) {
  const BasicBlock *Preheader = L.getLoopPreheader();
  const LoopInfo &LI = Subject.Shape.loops();
  if (!Preheader || LI.getLoopFor(Preheader) != L.getParentLoop())
    return;
  SmallPtrSet<const BasicBlock *, 4> Exits;
  for (const BasicBlock *B : L.blocks()) {
    if (!Subject.Shape.isLive(B))
      continue;
    if (!WithoutReverse.contains(B))
      return;
    for (const BasicBlock *To : successors(B))
      if (!L.contains(To) && Subject.Shape.isLive(To))
        Exits.insert(To);
  }
  for (const BasicBlock *Exit : Exits)
    if (hasActivePhi(*Exit, Subject) || LI.isLoopHeader(Exit) ||
        any_of(predecessors(Exit), [&](const BasicBlock *From) {
          return !L.contains(From) && Subject.Shape.isLive(From);
        }))
      return;
  for (const BasicBlock *Exit : Exits)
    Before[Exit] = Preheader;
  Inert.insert_range(L.blocks());
}

void InertRegions::findBranch(const PlanSubject &Subject,
                              const BasicBlock &Meeting) {
  const LoopInfo &LI = Subject.Shape.loops();
  const auto *Node = Subject.DT.getNode(&Meeting);
  if (!Node || !Node->getIDom() || LI.isLoopHeader(&Meeting) ||
      hasActivePhi(Meeting, Subject))
    return;
  const BasicBlock *Branch = Node->getIDom()->getBlock();
  if (LI.getLoopFor(Branch) != LI.getLoopFor(&Meeting) ||
      !Subject.Shape.isLive(Branch) || contains(Branch))
    return;
  // The ways from the branch to the meeting, by blocks that the reverse sweep
  // would come to.
  SmallSetVector<const BasicBlock *, 8> Between;
  SmallVector<const BasicBlock *, 8> Work{&Meeting};
  unsigned Ways = 0;
  while (!Work.empty()) {
    const BasicBlock *To = Work.pop_back_val();
    auto Visit = [&](const BasicBlock *From) {
      Ways += To == &Meeting;
      if (From != Branch && Between.insert(From))
        Work.push_back(From);
    };
    if (const BasicBlock *Known = inFrontOf(To)) {
      Visit(Known);
      continue;
    }
    for (const BasicBlock *From : predecessors(To))
      if (Subject.Shape.isLive(From) && Subject.DT.isReachableFromEntry(From))
        Visit(From);
  }
  if (Ways < 2 || any_of(
                      Between,
                      [&](const BasicBlock *B) {
                        return !WithoutReverse.contains(B) || B == &Meeting ||
                               LI.getLoopFor(B) != LI.getLoopFor(&Meeting) ||
                               LI.isLoopHeader(B) ||
                               any_of(successors(B), [&](const BasicBlock *To) {
                                 return To != &Meeting &&
                                        Subject.Shape.isLive(To) &&
                                        !contains(To) && !Between.contains(To);
                               });
                      }))
    return;
  // Nothing else goes on in the middle of them.
  if (any_of(Before, [&](const auto &Known) {
        return Between.contains(Known.second) && Known.first != &Meeting &&
               !Between.contains(Known.first) && !contains(Known.first);
      }))
    return;
  Before[&Meeting] = Branch;
  Inert.insert_range(Between);
}
