//===- LoopsInStep.cpp - loops that lanes reverse together ----------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emit/LoopsInStep.h"
#include "Catalogue/Catalogue.h"
#include "Catalogue/ThreadIdentity.h"
#include "Plan/DerivativePlan.h"
#include "Target/Target.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace retrograd;

/// V, an integer, was read from memory, as far as one sees.
static bool isOfMemory(const Value *V) {
  constexpr unsigned Most = 32;
  SmallVector<const Value *, 8> Work{V};
  SmallPtrSet<const Value *, 16> Seen;
  while (!Work.empty()) {
    const auto *I = dyn_cast<Instruction>(Work.pop_back_val());
    if (!I || !Seen.insert(I).second)
      continue;
    if (isa<LoadInst>(I) || Seen.size() > Most)
      return true;
    if (const auto *C = dyn_cast<CallBase>(I); !C || !ThreadIdentity::of(*C))
      append_range(Work, I->operands());
  }
  return false;
}

/// How often the thread runs L is not known in front of it, or follows from
/// what it has read.
static bool isDecidedByData(const Loop &L, const DerivativePlan &Plan) {
  const LoopFacts &Facts = Plan.shape().facts(&L);
  if (!Facts.Exact)
    return true;
  return SCEVExprContains(Facts.BackedgeBound, [](const SCEV *S) {
    const auto *U = dyn_cast<SCEVUnknown>(S);
    return U && isOfMemory(U->getValue());
  });
}

/// Lanes may wait for each other in C.
static bool mayWait(const CallBase &C, const DerivativePlan &Plan) {
  if (isa<IntrinsicInst>(C))
    return C.isConvergent();
  const OperationRecord *R = Plan.facts().catalogue().lookup(C);
  return !ThreadIdentity::of(C) && (!R || R->Handler != HandlerKind::None ||
                                    Plan.action(C) != CallAction::Formula);
}

/// An iteration of L may have something to reverse. A search has not: what is
/// emitted of it is a counter, and LLVM drops that if lanes do not meet there.
static bool mayReverse(const Loop &L, const DerivativePlan &Plan) {
  return any_of(L.blocks(), [&](const BasicBlock *B) {
    return any_of(*B, [&](const Instruction &I) {
      return Plan.activity().isActive(&I) || I.mayWriteToMemory();
    });
  });
}

bool retrograd::runsInStep(const Loop &L, const DerivativePlan &Plan) {
  const BasicBlock *Latch = L.getLoopLatch();
  const Target Machine(*Plan.primal().getParent());
  if (!Plan.options().LoopsInStep || !Plan.options().MergeOnDevice ||
      Plan.isSplit() || !Machine.addsFloatsByLoop() || !Latch ||
      !Plan.shape().isLive(Latch) ||
      Plan.carriesResults(L.getOutermostLoop()) || Plan.choiceIn(&L) ||
      Plan.constantCount(&L) || !isDecidedByData(L, Plan) ||
      !mayReverse(L, Plan))
    return false;
  // An edge out of several loops begins all of them at once.
  SmallVector<Loop::Edge, 4> Exits;
  L.getExitEdges(Exits);
  if (any_of(Exits, [&](const Loop::Edge &E) {
        return Plan.shape().isLive(E.second) &&
               (Plan.shape().loops().getLoopFor(E.first) != &L ||
                (L.getParentLoop() && !L.getParentLoop()->contains(E.second)));
      }))
    return false;
  return all_of(L.blocks(), [&](const BasicBlock *B) {
    return none_of(*B, [&](const Instruction &I) {
      const auto *C = dyn_cast<CallBase>(&I);
      return C && mayWait(*C, Plan);
    });
  });
}

/// N is made again from constants and from the number of L's iteration, which
/// lanes in step have in common.
static bool isOfIteration(Need N, const Loop &L, const DerivativePlan &Plan,
                          unsigned &Budget) {
  N = Plan.canonical(N);
  if (isa<Constant>(N.Of))
    return true;
  const auto *I = dyn_cast<Instruction>(N.Of);
  if (!I || !Budget || Plan.slot(N) || isa<LoadInst, CallBase>(I))
    return false;
  --Budget;
  if (const auto *Phi = dyn_cast<PHINode>(I);
      Phi && (Phi->getParent() != L.getHeader() || !Plan.isComputedPhi(*Phi)))
    return false;
  const Recipe How = Plan.recipe(N);
  return How.K == Recipe::Compute && all_of(How.Inputs, [&](Need In) {
           return isOfIteration(In, L, Plan, Budget);
         });
}

bool retrograd::addsInStep(const LoadInst &Load, const DerivativePlan &Plan) {
  const Loop *L = Plan.shape().loops().getLoopFor(Load.getParent());
  const Value *P = Load.getPointerOperand();
  const Value *Of = getUnderlyingObject(P, /*MaxLookup=*/0);
  const Accumulation How = Plan.accumulation(Load);
  if (!L || !Plan.options().StepSums ||
      (How != Accumulation::Merged && How != Accumulation::Atomic) ||
      Plan.request().Width != 1 ||
      (!Load.getType()->isFloatTy() && !Load.getType()->isDoubleTy()) ||
      !isa<GlobalVariable>(Of) ||
      Target(*Plan.primal().getParent()).spaceOf(*P) != MemorySpace::Shared ||
      Plan.activity().isMixed(P))
    return false;
  unsigned Budget = 32;
  if (!isOfIteration({Need::Shadow, P}, *L, Plan, Budget))
    return false;
  return all_of(L->blocks(), [&](const BasicBlock *B) {
    return all_of(*B, [&](const Instruction &I) {
      if (!I.mayWriteToMemory())
        return true;
      const Value *To = getLoadStorePointerOperand(&I);
      const Value *Object =
          To ? getUnderlyingObject(To, /*MaxLookup=*/0) : nullptr;
      return Object && Object != Of && isIdentifiedObject(Object);
    });
  });
}
