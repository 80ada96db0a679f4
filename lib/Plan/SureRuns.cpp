//===- SureRuns.cpp - what runs whenever the derivative does --------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan/SureRuns.h"
#include "Analysis/ProgramFacts.h"
#include "Catalogue/Catalogue.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace retrograd;

namespace {
struct Ways {
  DominatorTree DT;
  PostDominatorTree PDT;
  LoopInfo LI;

  explicit Ways(Function &F) : DT(F), PDT(F), LI(DT) {}
  const BasicBlock *entryOf(const Loop &L) const;
  const BasicBlock *questionBefore(const BasicBlock *B) const;
  bool surelyRuns(const BasicBlock *B) const;
};
} // namespace

/// V, or what it is made of in a few steps.
static void collectParts(const Value *V, unsigned Steps,
                         SmallPtrSetImpl<const Value *> &Parts) {
  if (isa<Constant>(V) || !Parts.insert(V).second || !Steps)
    return;
  if (const auto *I = dyn_cast<Instruction>(V); I && !isa<PHINode>(I))
    for (const Value *Op : I->operand_values())
      collectParts(Op, Steps - 1, Parts);
}

/// G asks whether L runs at all: it compares what L's end is compared with, to
/// where L begins.
static bool asksForLoop(const BranchInst &G, const Loop &L) {
  const auto *C = dyn_cast<ICmpInst>(G.getCondition());
  if (!C)
    return false;
  if (const auto *K = dyn_cast<ConstantInt>(C->getOperand(1));
      K && !K->isZero() && !K->isOne())
    return false;
  SmallVector<BasicBlock *, 4> Exiting;
  L.getExitingBlocks(Exiting);
  constexpr unsigned Steps = 4;
  SmallPtrSet<const Value *, 8> Ends, Begins;
  for (const BasicBlock *B : Exiting)
    if (const auto *End = dyn_cast<BranchInst>(B->getTerminator());
        End && End->isConditional())
      collectParts(End->getCondition(), Steps, Ends);
  collectParts(C, Steps, Begins);
  return any_of(Begins, [&](const Value *V) { return Ends.contains(V); });
}

/// The block that goes to L, or, where it need not run at all, asks for that.
const BasicBlock *Ways::entryOf(const Loop &L) const {
  const BasicBlock *From = L.getLoopPredecessor();
  const BasicBlock *Guard = nullptr, *Into = L.getHeader();
  if (!From)
    return nullptr;
  if (const auto *B = dyn_cast<BranchInst>(From->getTerminator());
      B && B->isConditional()) {
    Guard = From;
  } else {
    Guard = From->getSinglePredecessor();
    Into = From;
  }
  const auto *G =
      Guard ? dyn_cast<BranchInst>(Guard->getTerminator()) : nullptr;
  if (!G || !G->isConditional() || !asksForLoop(*G, L))
    return From;
  const BasicBlock *Past = G->getSuccessor(G->getSuccessor(0) == Into);
  return PDT.dominates(Past, Into) ? Guard : From;
}

/// The block whose branch decides whether B runs, if all that it asks is
/// whether loops run on the way there: one question for several loops in a row.
const BasicBlock *Ways::questionBefore(const BasicBlock *B) const {
  const DomTreeNode *N = DT.getNode(B)->getIDom();
  while (N && PDT.dominates(B, N->getBlock()))
    N = N->getIDom();
  const auto *G =
      N ? dyn_cast<BranchInst>(N->getBlock()->getTerminator()) : nullptr;
  if (!G || !G->isConditional())
    return nullptr;
  for (const BasicBlock *Into : G->successors())
    if (Into->getSinglePredecessor() && DT.dominates(Into, B) &&
        any_of(LI, [&](const Loop *L) {
          return DT.dominates(Into, L->getHeader()) && asksForLoop(*G, *L);
        }))
      return N->getBlock();
  return nullptr;
}

bool Ways::surelyRuns(const BasicBlock *B) const {
  const BasicBlock *Entry = &B->getParent()->getEntryBlock();
  while (B && !PDT.dominates(B, Entry)) {
    const Loop *L = LI.getLoopFor(B);
    if (!L) {
      B = questionBefore(B);
      continue;
    }
    // Every round comes here, unless it is the last.
    SmallVector<BasicBlock *, 4> Rounds, Exiting;
    L->getLoopLatches(Rounds);
    L->getExitingBlocks(Exiting);
    if (any_of(Rounds,
               [&](const BasicBlock *R) { return !DT.dominates(B, R); }) ||
        any_of(Exiting, [&](const BasicBlock *X) {
          return X != L->getHeader() && !DT.dominates(B, X);
        }))
      return false;
    B = entryOf(*L);
  }
  return B != nullptr;
}

SureRuns::SureRuns(const ProgramFacts &Facts) {
  SmallSetVector<const Function *, 8> Running;
  if (Facts.root())
    Running.insert(Facts.root());
  for (unsigned N = 0; N != Running.size(); ++N) {
    const Function &F = *Running[N];
    if (F.isDeclaration())
      continue;
    const Ways W(const_cast<Function &>(F));
    auto &Sure = Blocks[&F];
    for (const BasicBlock &B : F) {
      if (!W.DT.isReachableFromEntry(&B) || !W.surelyRuns(&B))
        continue;
      Sure.insert(&B);
      for (const Instruction &I : B)
        if (const auto *C = dyn_cast<CallBase>(&I))
          if (const Function *Callee = directCallee(*C))
            if (const Function *Body = Facts.preparedOf(Callee))
              Running.insert(Body);
    }
  }
}

bool SureRuns::runs(const Instruction &I) const {
  auto It = Blocks.find(I.getFunction());
  return It != Blocks.end() && It->second.contains(I.getParent());
}
