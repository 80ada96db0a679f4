//===- FloatTricks.cpp - arithmetic on the bits of floats ------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vector mathematics (Eigen's exp and log, say) is full of two tricks whose
// operations say nothing of, or the wrong thing about, their derivative:
//
//   (x + 2^52) - 2^52       rounds x to an integer. The derivative is 0, that of
//                           the sum and the difference is 1.
//   (bits(x) & ~exponent)   the mantissa of x with another exponent: x * 2^n with
//   | exponent of 0.5       n constant between powers of two.
//
// The first is marked as a value that moves in steps (`!rg.steps`), and so does
// not vary. The second gets its multiplication: where x is normal it is exact,
// elsewhere the bits stay what they were.
//
//===----------------------------------------------------------------------===//

#include "Pass/PrimalNormalForm.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace retrograd;

static void markSteps(Instruction &I) {
  I.setMetadata("rg.steps", MDNode::get(I.getContext(), {}));
}

/// I is (x + C) - C, where C is so large that sums with it are integers.
static bool isRounding(Instruction &I) {
  Value *Sum;
  const APFloat *In, *Out;
  bool Minus = match(&I, m_FSub(m_Value(Sum), m_APFloat(Out)));
  if (!Minus && !match(&I, m_FAdd(m_Value(Sum), m_APFloat(Out))))
    return false;
  if (auto *Fence = dyn_cast<IntrinsicInst>(Sum);
      Fence && Fence->getIntrinsicID() == Intrinsic::arithmetic_fence)
    Sum = Fence->getArgOperand(0);
  bool Plus = match(Sum, m_FAdd(m_Value(), m_APFloat(In)));
  if (!Plus && !match(Sum, m_FSub(m_Value(), m_APFloat(In))))
    return false;
  APFloat Back = *Out;
  if (Plus != Minus)
    Back.changeSign();
  // From 2^(p-1) on, p being the precision, neighbouring numbers are integers.
  return In->isFiniteNonZero() && Back.bitwiseIsEqual(*In) &&
         ilogb(*In) >= int(APFloat::semanticsPrecision(In->getSemantics())) - 1;
}

/// Gives a mantissa that was taken out of its float by bit operations the
/// multiplication by which it is one.
static void multiplyMantissa(Instruction &I) {
  Value *X, *Masked;
  const APInt *Mask, *Exponent;
  Type *T = I.getType(), *S = T->getScalarType();
  if (!(S->isFloatTy() || S->isDoubleTy()) ||
      !match(&I, m_BitCast(m_Or(m_Value(Masked), m_APInt(Exponent)))) ||
      !match(Masked, m_And(m_BitCast(m_Value(X)), m_APInt(Mask))) ||
      X->getType() != T)
    return;
  const fltSemantics &Semantics = S->getFltSemantics();
  unsigned Bits = S->getScalarSizeInBits();
  unsigned Stored = APFloat::semanticsPrecision(Semantics) - 1;
  uint64_t Bias = APFloat::semanticsMaxExponent(Semantics);
  APInt Field = APInt::getBitsSet(Bits, Stored, Bits - 1);
  if (Mask->getBitWidth() != Bits || *Mask != ~Field || !Exponent->isSubsetOf(Field) ||
      Exponent->isZero() || *Exponent == Field)
    return;
  uint64_t To = Exponent->lshr(Stored).getZExtValue();
  IRBuilder<> B(I.getParent(), std::next(I.getIterator()));
  B.SetCurrentDebugLocation(I.getDebugLoc());
  Type *Ints = cast<BitCastInst>(I).getSrcTy();
  auto Place = [&](uint64_t E) {
    return ConstantInt::get(Ints, APInt(Bits, E).shl(Stored));
  };
  // 2^(To - From), From being the exponent of X; both are normal if From lies
  // in [1, To + Bias - 1].
  Value *From = B.CreateAnd(B.CreateBitCast(X, Ints), ConstantInt::get(Ints, Field));
  Value *Power = B.CreateBitCast(B.CreateSub(Place(To + Bias), From), T, "power");
  Value *Normal = B.CreateICmpULT(B.CreateSub(From, Place(1)), Place(To + Bias - 1));
  Value *Product = B.CreateFMul(X, Power);
  Value *Mantissa = B.CreateSelect(Normal, Product, &I, "mantissa");
  if (auto *P = dyn_cast<Instruction>(Power))
    markSteps(*P);
  markSteps(I);
  I.replaceUsesWithIf(Mantissa, [&](Use &U) { return U.getUser() != Mantissa; });
}

/// Small structs that hold pointers beside floats may be loaded as one vector of
/// floats, and the pointer made from a lane's bits. Types and shadows follow
/// pointers that are loaded as pointers: loads the lane again as what it is.
static void loadAsPointer(IntToPtrInst &I) {
  Value *Vector;
  uint64_t Lane;
  Value *Bits = I.getOperand(0);
  if (!match(Bits, m_ExtractElt(m_BitCast(m_Value(Vector)), m_ConstantInt(Lane))) &&
      !match(Bits, m_BitCast(m_ExtractElt(m_Value(Vector), m_ConstantInt(Lane)))))
    return;
  auto *T = dyn_cast<FixedVectorType>(Vector->getType());
  if (!T || !T->isFPOrFPVectorTy() ||
      T->getScalarSizeInBits() != Bits->getType()->getIntegerBitWidth())
    return;
  while (auto *Shuffle = dyn_cast<ShuffleVectorInst>(Vector)) {
    int From = Shuffle->getMaskValue(Lane);
    int Lanes = cast<FixedVectorType>(Shuffle->getOperand(0)->getType())->getNumElements();
    if (From < 0)
      return;
    Vector = Shuffle->getOperand(From >= Lanes);
    Lane = From % Lanes;
  }
  auto *Load = dyn_cast<LoadInst>(Vector);
  if (!Load || !Load->isSimple())
    return;
  IRBuilder<> B(Load->getParent(), std::next(Load->getIterator()));
  B.SetCurrentDebugLocation(Load->getDebugLoc());
  uint64_t Offset = Lane * T->getScalarSizeInBits() / 8;
  Value *At = B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Load->getPointerOperand(), Offset);
  I.replaceAllUsesWith(
      B.CreateAlignedLoad(I.getType(), At, commonAlignment(Load->getAlign(), Offset)));
  I.eraseFromParent();
}

void retrograd::explainFloatTricks(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    if (auto *Pointer = dyn_cast<IntToPtrInst>(&I)) {
      loadAsPointer(*Pointer);
      continue;
    }
    if (I.hasMetadata("rg.steps"))
      continue;
    if (isRounding(I))
      markSteps(I);
    else if (isa<BitCastInst>(I))
      multiplyMantissa(I);
  }
}
