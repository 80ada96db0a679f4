//===- IdleLoops.cpp - loops whose reverse may do nothing -----------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emit/IdleLoops.h"
#include "Catalogue/Catalogue.h"
#include "Plan/DerivativePlan.h"
#include "Rules/Rules.h"
#include "Target/Target.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace retrograd;

/// V is one of several values that a maximum, a nearest neighbour, a branch
/// chooses from, so that most of the time its adjoint is zero.
static bool isOneOfSeveral(const Value &V, unsigned Depth, const LoopInfo &LI) {
  return any_of(V.users(), [&](const User *U) {
    if (const auto *S = dyn_cast<SelectInst>(U))
      return S->getCondition() != &V;
    if (const auto *Phi = dyn_cast<PHINode>(U))
      return Phi->getNumIncomingValues() > 1 &&
             !LI.isLoopHeader(Phi->getParent());
    if (const auto *M = dyn_cast<IntrinsicInst>(U))
      switch (M->getIntrinsicID()) {
      case Intrinsic::minnum:
      case Intrinsic::maxnum:
      case Intrinsic::minimum:
      case Intrinsic::maximum:
      case Intrinsic::minimumnum:
      case Intrinsic::maximumnum:
        return true;
      default:
        break;
      }
    return Depth && isa<FPMathOperator>(U) && !isa<FCmpInst>(U) &&
           isOneOfSeveral(*U, Depth - 1, LI);
  });
}

bool retrograd::mayBeIdle(const BasicBlock &From, const BasicBlock &To,
                          ArrayRef<const PHINode *> Phis,
                          const DerivativePlan &Plan) {
  const LoopInfo &LI = Plan.shape().loops();
  const Loop *L = LI.getLoopFor(&From);
  // Threads of a GPU stay together: what they do by turns they all wait for. Of
  // a choice each of them has one iteration to do.
  if (!Plan.options().SkipIdleLoops || !L ||
      (Target(*Plan.primal().getParent()).manyThreads() && !Plan.choiceIn(L)) ||
      !L->getLoopPreheader() || Plan.carriesResults(L->getOutermostLoop()) ||
      (L->contains(&To)
           ? &To != L->getHeader() || &From != L->getLoopLatch()
           : L->getParentLoop() && !L->getParentLoop()->contains(&To)) ||
      LI.getLoopFor(L->getLoopPreheader()) != L->getParentLoop() ||
      Plan.constantCount(L).value_or(8) < 8)
    return false;
  bool Worthwhile = Plan.choiceIn(L);
  for (const PHINode *Phi : Phis)
    Worthwhile |= isOneOfSeveral(*Phi, 3, LI);
  if (!Worthwhile)
    return false;
  for (const BasicBlock *Block : L->blocks())
    for (const Instruction &I : *Block)
      if (Plan.shape().isLive(Block) && hasReverse(I, Plan.activity()))
        if (auto *C = dyn_cast<CallBase>(&I);
            isa<StoreInst>(I) ||
            (C && (Plan.action(*C) != CallAction::Formula ||
                   isAwaited(*C, Plan.facts()))))
          return false;
  return true;
}
