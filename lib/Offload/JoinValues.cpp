//===- JoinValues.cpp - values that joins choose, as expressions ----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The optimiser of the device half sinks address arithmetic into both sides of
// a branch and leaves flags of what has been done as phis of true and false.
//
//===----------------------------------------------------------------------===//

#include "Offload/JoinValues.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;
using namespace retrograd;

namespace {

class Joins {
public:
  explicit Joins(Function &F) : F(F), DT(F) {}
  void run();

private:
  Function &F;
  DominatorTree DT;

  bool isPure(const Instruction &I) {
    return !isa<PHINode>(I) && !I.mayReadOrWriteMemory() &&
           isSafeToSpeculativelyExecute(&I) && !I.getType()->isVoidTy();
  }
  bool dominates(const Value *V, const Instruction *At) {
    auto *I = dyn_cast<Instruction>(V);
    return !I || DT.dominates(I, At);
  }
  bool areSame(const Value *A, const Value *B, unsigned Depth = 0);
  bool isAvailable(const Value *V, const Instruction *At, unsigned &Cost,
                   unsigned Depth = 0);
  Value *make(Value *V, Instruction *At);
  Value *makeSame(ArrayRef<Value *> Ways, Instruction *At);
  bool canChoose(const BasicBlock *From, const BasicBlock *Join, unsigned &Cost,
                 unsigned Depth);
  Value *choose(BasicBlock *From, PHINode &Phi, Instruction *At,
                IRBuilder<> &B);
  Value *express(PHINode &Phi);
};

/// Whether A and B are computed in the same way of the same values.
bool Joins::areSame(const Value *A, const Value *B, unsigned Depth) {
  if (A == B)
    return true;
  auto *I = dyn_cast<Instruction>(A), *J = dyn_cast<Instruction>(B);
  if (!I || !J || Depth > 8 || !isPure(*I) || !isPure(*J) ||
      !I->isSameOperationAs(J))
    return false;
  for (unsigned K = 0; K != I->getNumOperands(); ++K)
    if (!areSame(I->getOperand(K), J->getOperand(K), Depth + 1))
      return false;
  return true;
}

/// Whether V can be had in front of At, by Cost instructions more.
bool Joins::isAvailable(const Value *V, const Instruction *At, unsigned &Cost,
                        unsigned Depth) {
  if (dominates(V, At))
    return true;
  auto *I = cast<Instruction>(V);
  if (Depth > 8 || !isPure(*I))
    return false;
  ++Cost;
  return all_of(I->operands(), [&](const Use &U) {
    return isAvailable(U, At, Cost, Depth + 1);
  });
}

Value *Joins::make(Value *V, Instruction *At) {
  if (dominates(V, At))
    return V;
  Instruction *Copy = cast<Instruction>(V)->clone();
  for (Use &U : Copy->operands())
    U.set(make(U, At));
  // It may not have been computed on this way, and what was promised for the
  // others does not hold.
  Copy->dropPoisonGeneratingFlags();
  Copy->insertBefore(At->getIterator());
  return Copy;
}

/// What all of Ways compute in the same way, in front of At: it promises what
/// all of them promise.
Value *Joins::makeSame(ArrayRef<Value *> Ways, Instruction *At) {
  if (all_equal(Ways))
    return make(Ways[0], At);
  Instruction *Copy = cast<Instruction>(Ways[0])->clone();
  for (Value *Other : Ways)
    Copy->andIRFlags(Other);
  for (unsigned K = 0; K != Copy->getNumOperands(); ++K) {
    SmallVector<Value *, 4> Operands;
    for (Value *Way : Ways)
      Operands.push_back(cast<Instruction>(Way)->getOperand(K));
    Copy->setOperand(K, makeSame(Operands, At));
  }
  Copy->insertBefore(At->getIterator());
  return Copy;
}

/// Whether branches alone, behind From and in front of Join, decide by which
/// edge a thread comes.
bool Joins::canChoose(const BasicBlock *From, const BasicBlock *Join,
                      unsigned &Cost, unsigned Depth) {
  auto *Br = dyn_cast<BranchInst>(From->getTerminator());
  if (!Br || Depth > 6)
    return false;
  if (Br->isConditional() &&
      !isAvailable(Br->getCondition(), &*Join->getFirstNonPHIIt(), Cost))
    return false;
  return all_of(successors(From), [&](const BasicBlock *Succ) {
    ++Cost;
    return Succ == Join || (Succ->getSinglePredecessor() &&
                            canChoose(Succ, Join, Cost, Depth + 1));
  });
}

Value *Joins::choose(BasicBlock *From, PHINode &Phi, Instruction *At,
                     IRBuilder<> &B) {
  auto *Br = cast<BranchInst>(From->getTerminator());
  auto On = [&](unsigned Side) {
    BasicBlock *Succ = Br->getSuccessor(Side);
    return Succ == Phi.getParent()
               ? make(Phi.getIncomingValueForBlock(From), At)
               : choose(Succ, Phi, At, B);
  };
  if (Br->isUnconditional())
    return On(0);
  Value *True = On(0), *False = On(1);
  if (True == False)
    return True;
  Value *Condition = make(Br->getCondition(), At);
  B.SetInsertPoint(At);
  if (Phi.getType()->isIntegerTy(1)) {
    if (auto *C = dyn_cast<ConstantInt>(False); C && C->isZero())
      return B.CreateLogicalAnd(Condition, True);
    if (auto *C = dyn_cast<ConstantInt>(True); C && C->isZero())
      return B.CreateLogicalAnd(B.CreateNot(Condition), False);
  }
  return B.CreateSelect(Condition, True, False);
}

Value *Joins::express(PHINode &Phi) {
  Instruction *At = &*Phi.getParent()->getFirstNonPHIIt();
  unsigned Cost = 0;
  Value *First = Phi.getIncomingValue(0);
  if (all_of(Phi.incoming_values(),
             [&](const Use &U) { return areSame(First, U); }))
    return isAvailable(First, At, Cost) && Cost <= 12
               ? makeSame(to_vector_of<Value *>(Phi.incoming_values()), At)
               : nullptr;
  // What undef stands for may differ from thread to thread.
  if (any_of(Phi.incoming_values(), [&](const Use &U) {
        return isa<UndefValue>(U) ||
               (!isa<Constant>(U) && !isAvailable(U, At, Cost));
      }))
    return nullptr;
  const BasicBlock *Top = DT.getNode(Phi.getParent())->getIDom()->getBlock();
  if (!canChoose(Top, Phi.getParent(), Cost, 0) || Cost > 12)
    return nullptr;
  IRBuilder<> B(At);
  return choose(const_cast<BasicBlock *>(Top), Phi, At, B);
}

void Joins::run() {
  for (BasicBlock &BB : F) {
    if (!DT.isReachableFromEntry(&BB) || BB.getSinglePredecessor())
      continue;
    // A loop's header chooses by where one comes from, which no condition says.
    if (any_of(predecessors(&BB),
               [&](BasicBlock *P) { return DT.dominates(&BB, P); }))
      continue;
    for (PHINode &Phi : make_early_inc_range(BB.phis()))
      if (Value *V = express(Phi)) {
        Phi.replaceAllUsesWith(V);
        Phi.eraseFromParent();
      }
  }
}

} // namespace

void retrograd::expressJoins(Function &Kernel) { Joins(Kernel).run(); }
