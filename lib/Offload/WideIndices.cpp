//===- WideIndices.cpp - indices of threads as 64-bit numbers -------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Offload/WideIndices.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace retrograd;

namespace {

struct Widening {
  Function &Region;
  ArrayRef<Argument *> Tid;
  DenseMap<Value *, Value *> Wide = DenseMap<Value *, Value *>();

  /// Whether the signed extension of V is the same operation on extended
  /// operands.
  static bool distributes(const Value *V) {
    auto *I = dyn_cast<Instruction>(V);
    if (!I)
      return false;
    return (I->getOpcode() == Instruction::Add ||
            I->getOpcode() == Instruction::Sub ||
            I->getOpcode() == Instruction::Mul) &&
           I->hasNoSignedWrap();
  }
  bool dependsOnThread(const Value *V, unsigned Depth = 0) const {
    if (auto *A = dyn_cast<Argument>(V))
      return is_contained(Tid, A);
    return Depth < 8 && distributes(V) &&
           any_of(
               cast<Instruction>(V)->operands(),
               [&](const Use &U) { return dependsOnThread(U, Depth + 1); });
  }

  Value *widen(Value *V, Type *To) {
    if (auto *C = dyn_cast<ConstantInt>(V))
      return ConstantInt::getSigned(To, C->getSExtValue());
    if (Value *Old = Wide.lookup(V))
      return Old;
    auto *I = dyn_cast<Instruction>(V);
    IRBuilder<> B(Region.getContext());
    if (auto Behind = I ? I->getInsertionPointAfterDef() : std::nullopt)
      B.SetInsertPoint(*Behind);
    else
      B.SetInsertPoint(&*Region.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    Value *New;
    if (I && dependsOnThread(V)) {
      Value *Left = widen(I->getOperand(0), To),
            *Right = widen(I->getOperand(1), To);
      New = B.CreateBinOp(cast<BinaryOperator>(I)->getOpcode(), Left, Right,
                          V->getName() + ".wide");
      cast<Instruction>(New)->setHasNoSignedWrap();
    } else if (auto *A = dyn_cast<Argument>(V); A && is_contained(Tid, A)) {
      New = B.CreateZExt(V, To); // at most 1023
    } else
      New = B.CreateSExt(V, To);
    return Wide[V] = New;
  }
};

} // namespace

void retrograd::widenIndices(Function &Region, ArrayRef<Argument *> Tid) {
  Widening Indices{Region, Tid};
  SmallVector<CastInst *, 16> Casts;
  for (Instruction &I : instructions(Region))
    if ((isa<SExtInst>(I) || (isa<ZExtInst>(I) && I.hasNonNeg())) &&
        I.getType()->isIntegerTy(64) &&
        I.getOperand(0)->getType()->isIntegerTy(32) &&
        Indices.distributes(I.getOperand(0)) &&
        Indices.dependsOnThread(I.getOperand(0)))
      Casts.push_back(cast<CastInst>(&I));
  for (CastInst *Cast : Casts) {
    Cast->replaceAllUsesWith(
        Indices.widen(Cast->getOperand(0), Cast->getType()));
    Cast->eraseFromParent();
  }
}
