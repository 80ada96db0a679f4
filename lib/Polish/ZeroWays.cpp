//===- ZeroWays.cpp - ways on which all adjoints are zero -----------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Polish/ZeroWays.h"
#include "Polish/ZeroShares.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace retrograd;

namespace {

/// Arithmetic that a way into a block leads past, and the part of it that is
/// zero on that way; the rest feeds this part alone.
struct Past {
  SmallPtrSet<const Value *, 16> Zeros; // phis, too
  SetVector<Instruction *> Skipped;
};

} // namespace

static bool isLoopHeader(const BasicBlock &B, const DominatorTree &Dominators) {
  return any_of(predecessors(&B), [&](const BasicBlock *P) {
    return Dominators.dominates(&B, P);
  });
}

/// The numbers of B, phis among them, that are zero on the way from P.
static SmallPtrSet<const Value *, 16> zerosFrom(const BasicBlock &P,
                                                BasicBlock &B) {
  SmallPtrSet<const Value *, 16> Zeros;
  auto IsZero = [&](const Value *V) {
    return match(V, m_AnyZeroFP()) || Zeros.contains(V);
  };
  for (const PHINode &Phi : B.phis())
    if (match(Phi.getIncomingValueForBlock(&P), m_AnyZeroFP()))
      Zeros.insert(&Phi);
  for (const Instruction &I : B) {
    const bool Share = isShare(I);
    bool Zero = false;
    switch (I.getOpcode()) {
    case Instruction::FMul:
      Zero = Share && (IsZero(I.getOperand(0)) || IsZero(I.getOperand(1)));
      break;
    case Instruction::FDiv:
      Zero = Share && IsZero(I.getOperand(0));
      break;
    case Instruction::FNeg:
      Zero = IsZero(I.getOperand(0));
      break;
    case Instruction::FAdd:
    case Instruction::FSub:
      Zero = IsZero(I.getOperand(0)) && IsZero(I.getOperand(1));
      break;
    case Instruction::Select:
      Zero = IsZero(I.getOperand(1)) && IsZero(I.getOperand(2));
      break;
    default:
      break;
    }
    if (Zero)
      Zeros.insert(&I);
  }
  return Zeros;
}

/// What B need not compute where Zeros are zero.
static Past pastOf(BasicBlock &B, SmallPtrSet<const Value *, 16> Zeros) {
  Past Found;
  // What is computed from what the way has to compute anyway stays behind that.
  SmallPtrSet<const Value *, 16> Stay;
  for (bool Again = true; Again;) {
    Again = false;
    Found.Skipped.clear();
    for (Instruction &I : reverse(B)) {
      if (isa<PHINode>(I) || I.isTerminator() || Stay.contains(&I))
        continue;
      const bool ForThese = !I.use_empty() && !I.mayReadOrWriteMemory() &&
                            !isa<CallBase>(I) &&
                            all_of(I.users(), [&](User *U) {
                              auto *User = dyn_cast<Instruction>(U);
                              return User && Found.Skipped.contains(User);
                            });
      if (Zeros.contains(&I) || ForThese)
        Found.Skipped.insert(&I);
    }
    for (Instruction *I : Found.Skipped)
      if (any_of(I->operands(), [&](Value *V) {
            auto *Of = dyn_cast<Instruction>(V);
            return Of && Of->getParent() == &B && !isa<PHINode>(Of) &&
                   !Found.Skipped.contains(Of);
          }))
        Again |= Stay.insert(I).second;
  }
  Found.Zeros = std::move(Zeros);
  return Found;
}

static bool isUsedBehind(const Instruction &I, const Past &Way) {
  return any_of(I.users(), [&](const User *U) {
    return !Way.Skipped.contains(
        const_cast<Instruction *>(cast<Instruction>(U)));
  });
}

/// The arithmetic of Way alone stays in B; the rest goes behind it, and From
/// lead there.
static void leadPast(BasicBlock &B, ArrayRef<BasicBlock *> From,
                     const Past &Way) {
  Function &F = *B.getParent();
  BasicBlock *Rest =
      BasicBlock::Create(F.getContext(), B.getName() + ".past", &F);
  Rest->moveAfter(&B);
  for (Instruction &I : make_early_inc_range(B))
    if (!isa<PHINode>(I) && !Way.Skipped.contains(&I))
      I.moveBefore(*Rest, Rest->end());
  Rest->replaceSuccessorsPhiUsesWith(&B, Rest);
  BranchInst::Create(Rest, &B);
  for (Instruction &I : B) {
    auto *Phi = dyn_cast<PHINode>(&I);
    if (!Phi && (!Way.Skipped.contains(&I) || !Way.Zeros.contains(&I)))
      continue;
    SmallVector<Use *, 4> Behind;
    for (Use &U : I.uses())
      if (cast<Instruction>(U.getUser())->getParent() != &B)
        Behind.push_back(&U);
    if (Behind.empty())
      continue;
    PHINode *Met = PHINode::Create(I.getType(), unsigned(From.size()) + 1,
                                   I.getName() + ".past");
    Met->insertBefore(Rest->getFirstNonPHIIt());
    Met->addIncoming(&I, &B);
    for (BasicBlock *P : From)
      Met->addIncoming(Phi ? Phi->getIncomingValueForBlock(P)
                           : ConstantFP::getNegativeZero(I.getType()),
                       P);
    for (Use *U : Behind)
      U->set(Met);
  }
  for (BasicBlock *P : From) {
    P->getTerminator()->replaceSuccessorWith(&B, Rest);
    B.removePredecessor(P, /*KeepOneInputPHIs=*/true);
  }
}

/// Leads some ways into B past arithmetic.
static bool leadPast(BasicBlock &B) {
  constexpr size_t Least = 4; // operations, besides a move for each zero
  if (!isa<PHINode>(B.front()) || B.hasAddressTaken())
    return false;
  SmallVector<BasicBlock *, 4> All(predecessors(&B));
  SmallPtrSet<BasicBlock *, 4> Different(All.begin(), All.end());
  if (All.size() < 2 || Different.size() != All.size() ||
      !all_of(All, [](const BasicBlock *P) {
        return isa<BranchInst, SwitchInst>(P->getTerminator());
      }))
    return false;
  for (BasicBlock *P : All) {
    const Past Way = pastOf(B, zerosFrom(*P, B));
    const size_t Moves = size_t(count_if(
        Way.Skipped, [&](Instruction *I) { return isUsedBehind(*I, Way); }));
    if (Way.Skipped.size() < Moves + Least)
      continue;
    SmallVector<BasicBlock *, 4> From;
    for (BasicBlock *Q : All) {
      const SmallPtrSet<const Value *, 16> Zeros = zerosFrom(*Q, B);
      if (all_of(Way.Skipped, [&](Instruction *I) {
            return !Way.Zeros.contains(I) || Zeros.contains(I);
          }))
        From.push_back(Q);
    }
    if (From.size() == All.size())
      continue;
    leadPast(B, From, Way);
    return true;
  }
  return false;
}

bool retrograd::leadZerosPast(Function &F) {
  DominatorTree Dominators(F);
  SmallVector<BasicBlock *, 16> Work;
  for (BasicBlock &B : F)
    if (any_of(B, isShare) && !isLoopHeader(B, Dominators))
      Work.push_back(&B);
  bool Changed = false;
  for (BasicBlock *B : Work)
    Changed |= leadPast(*B);
  return Changed;
}
