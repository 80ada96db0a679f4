//===- NestControl.cpp - iterations in which a block runs -----------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop runs while its counter is at most the number of its backward branches.
// A block runs where a block in front of it runs, if the branch that leads to
// it is taken. Both are sets of the counters of the loops around.
//
//===----------------------------------------------------------------------===//

#include "Loops/Raiser.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopIterator.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace retrograd;
using namespace retrograd::loops;

using namespace llvm::PatternMatch;

static constexpr unsigned MostAccesses = 80;

SmallVector<Loop *, 4> Raiser::loopsAround(const BasicBlock *B) {
  SmallVector<Loop *, 4> Loops;
  for (Loop *L = N.LI.getLoopFor(B); L && N.Outer.contains(L);
       L = L->getParentLoop())
    Loops.insert(Loops.begin(), L);
  return Loops;
}

/// A function of its arguments that may set errno, and nothing else.
bool loops::mayOnlySetErrno(const Instruction *I) {
  const auto *Call = dyn_cast<CallBase>(I);
  if (!Call || Call->isConvergent() || !Call->doesNotThrow() ||
      !Call->willReturn() || Call->hasOperandBundles())
    return false;
  const MemoryEffects Of = Call->getMemoryEffects();
  return Of.getModRef(IRMemLocation::ErrnoMem) == ModRefInfo::Mod &&
         Of.getWithoutLoc(IRMemLocation::ErrnoMem).doesNotAccessMemory();
}

bool Raiser::checkLoops() {
  for (Loop *L : N.Outer.getLoopsInPreorder()) {
    Instruction *At = L->getHeader()->getTerminator();
    if (!L->getLoopPreheader() || !L->getLoopLatch() || !L->getExitBlock() ||
        L->getExitingBlock() != L->getLoopLatch())
      return fail("a loop that is left from more than one place", At);
    if (L->getExitBlock()->getSinglePredecessor() != L->getLoopLatch())
      return fail("a loop whose end is shared", At);
    if (L->getLoopDepth() - N.Outer.getLoopDepth() >= MostDepth)
      return fail("too many loops within each other", At);
    const SCEV *B = SE.getBackedgeTakenCount(L);
    if (isa<SCEVCouldNotCompute>(B))
      return fail("a loop whose number of iterations is not known before", At);
    Backedges[L] = B;
  }
  if (!N.Outer.isRecursivelyLCSSAForm(N.DT, N.LI))
    return fail("numbers leave a loop in an unusual way");
  LoopBlocksRPO Blocks(&N.Outer);
  Blocks.perform(&N.LI);
  for (BasicBlock *B : Blocks) {
    Rank[B] = Order.size();
    Order.push_back(B);
    if (!isa<BranchInst>(B->getTerminator()))
      return fail("a branch to many places", B->getTerminator());
    for (Instruction &I : *B) {
      const auto *Load = dyn_cast<LoadInst>(&I);
      const auto *Store = dyn_cast<StoreInst>(&I);
      if ((Load && Load->isSimple()) || (Store && Store->isSimple()))
        Accesses.push_back(&I);
      else if (auto *Call = dyn_cast<IntrinsicInst>(&I);
               Call && Call->isAssumeLikeIntrinsic()) {
        N.DeclaresScopes |= isa<NoAliasScopeDeclInst>(Call);
        if (Call->isLifetimeStartOrEnd())
          return fail("memory that lives in one iteration", &I);
      } else if (mayOnlySetErrno(&I))
        Errno.push_back(cast<CallBase>(&I));
      else if (I.mayReadOrWriteMemory() || I.mayHaveSideEffects())
        return fail(isa<CallBase>(I) ? "a call" : "an ordered access", &I);
    }
    if (Accesses.size() > MostAccesses)
      return fail("too many accesses", B->getTerminator());
  }
  for (CallBase *Call : Errno)
    for (Instruction *I : Accesses)
      if (isModOrRefSet(N.AA.getModRefInfo(Call, MemoryLocation::get(I))))
        return fail("a call", Call);
  return true;
}

std::optional<Set> Raiser::compare(CmpPredicate P, const SCEV *X, const SCEV *Y,
                                   ArrayRef<Loop *> Loops) {
  if (!X->getType()->isIntegerTy())
    return std::nullopt;
  if (ICmpInst::isUnsigned(P)) {
    // samesign: else it is poison, and nobody branches there.
    if (!P.hasSameSign() &&
        (!SE.isKnownNonNegative(X) || !SE.isKnownNonNegative(Y)))
      return std::nullopt;
    P = ICmpInst::getSignedPredicate(P);
  }
  PwAff A = affine(X, Loops), B = affine(Y, Loops);
  if (!A || !B)
    return std::nullopt;
  switch (P) {
  case ICmpInst::ICMP_EQ:
    return Set(isl_pw_aff_eq_set(A.take(), B.take()));
  case ICmpInst::ICMP_NE:
    return Set(isl_pw_aff_ne_set(A.take(), B.take()));
  case ICmpInst::ICMP_SLT:
    return Set(isl_pw_aff_lt_set(A.take(), B.take()));
  case ICmpInst::ICMP_SLE:
    return Set(isl_pw_aff_le_set(A.take(), B.take()));
  case ICmpInst::ICMP_SGT:
    return Set(isl_pw_aff_gt_set(A.take(), B.take()));
  case ICmpInst::ICMP_SGE:
    return Set(isl_pw_aff_ge_set(A.take(), B.take()));
  default:
    return std::nullopt;
  }
}

std::optional<Set> Raiser::condition(Value *V, bool Holds,
                                     ArrayRef<Loop *> Loops) {
  if (auto *Cmp = dyn_cast<ICmpInst>(V))
    return compare(
        Holds ? Cmp->getCmpPredicate() : Cmp->getInverseCmpPredicate(),
        SE.getSCEV(Cmp->getOperand(0)), SE.getSCEV(Cmp->getOperand(1)), Loops);
  Value *X, *Y;
  const bool And = match(V, m_LogicalAnd(m_Value(X), m_Value(Y)));
  if (!And && !match(V, m_LogicalOr(m_Value(X), m_Value(Y))))
    return std::nullopt;
  std::optional<Set> A = condition(X, Holds, Loops),
                     B = condition(Y, Holds, Loops);
  if (!A || !B)
    return std::nullopt;
  return And == Holds ? Set(isl_set_intersect(A->take(), B->take()))
                      : Set(isl_set_union(A->take(), B->take()));
}

bool Raiser::findDomains() {
  for (BasicBlock *B : Order) {
    SmallVector<Loop *, 4> Loops = loopsAround(B);
    Loop *L = Loops.back();
    if (B == L->getHeader()) {
      // One iteration at least, since it is entered; Backedges is unsigned.
      ArrayRef<Loop *> Outer = ArrayRef(Loops).drop_back();
      Set Entered = L == &N.Outer ? universe(C, 0)
                                  : Domains.lookup(L->getLoopPreheader());
      PwAff Last = count(Backedges[L], Outer);
      if (!Entered)
        return fail("a loop in an unusual place", B->getTerminator());
      if (!Last)
        return fail("a bound that is not affine", B->getTerminator());
      ask(Set(isl_set_intersect(
          Entered.copy(),
          isl_pw_aff_lt_set(Last.copy(), constant(0, Outer.size()).take()))));
      ask(Set(isl_set_intersect(
          Entered.copy(),
          isl_pw_aff_ge_set(Last.copy(),
                            constant(Limit, Outer.size()).take()))));
      PwAff Bound = count(Backedges[L], Loops);
      PwAff I = counter(Outer.size(), Loops.size());
      Set D(isl_set_add_dims(Entered.take(), isl_dim_set, 1));
      D = Set(isl_set_intersect(D.take(),
                                isl_pw_aff_le_set(I.copy(), Bound.take())));
      D = Set(isl_set_intersect(
          D.take(),
          isl_pw_aff_ge_set(I.take(), constant(0, Loops.size()).take())));
      Domains[B] = D;
      continue;
    }
    Set D;
    for (BasicBlock *P : predecessors(B)) {
      Loop *Of = N.LI.getLoopFor(P);
      Set From;
      if (Of != L) { // behind a loop within
        if (!Of || Of->getParentLoop() != L)
          return fail("control that does not nest", B->getTerminator());
        From = Domains.lookup(Of->getLoopPreheader());
      } else {
        From = Domains.lookup(P);
        auto *Branch = cast<BranchInst>(P->getTerminator());
        if (Branch->isConditional() &&
            Branch->getSuccessor(0) != Branch->getSuccessor(1)) {
          std::optional<Set> If = condition(
              Branch->getCondition(), Branch->getSuccessor(0) == B, Loops);
          if (!If)
            return fail("a condition that is not affine", Branch);
          From = Set(isl_set_intersect(From.take(), If->take()));
        }
      }
      if (!From)
        return fail("control that does not nest", B->getTerminator());
      D = D ? Set(isl_set_union(D.take(), From.take())) : From;
    }
    Domains[B] = Set(isl_set_coalesce(D.take()));
  }
  return true;
}
