//===- TangentKinds.cpp - tangents that are sets, or bounds on errors -----===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rules/TangentKinds.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace retrograd;

Value *retrograd::convertSet(IRBuilderBase &B, Value *Set, Type *To) {
  auto BitsOf = [&](Type *T) -> Type * {
    Type *Int = B.getIntNTy(T->getScalarSizeInBits());
    if (auto *V = dyn_cast<VectorType>(T))
      return VectorType::get(Int, V->getElementCount());
    return Int;
  };
  Value *X = B.CreateBitCast(Set, BitsOf(Set->getType()));
  auto *From = dyn_cast<VectorType>(X->getType());
  auto *Into = dyn_cast<VectorType>(To);
  if (From && (!Into || From->getElementCount() != Into->getElementCount()))
    X = B.CreateOrReduce(X);
  Type *Bits = BitsOf(To);
  X = B.CreateZExtOrTrunc(
      X, X->getType()->isVectorTy() ? Bits : Bits->getScalarType());
  if (Into && !X->getType()->isVectorTy())
    X = B.CreateVectorSplat(Into->getElementCount(), X);
  return B.CreateBitCast(X, To);
}

/// The set of all elements of Set in one.
static Value *united(IRBuilderBase &B, Value *Set) {
  Type *Whole = Set->getType()->getScalarType();
  return Set->getType()->isVectorTy() ? convertSet(B, Set, Whole) : Set;
}

static Value *unionOfOperands(const Instruction &I, TangentContext &C,
                              bool Across) {
  IRBuilderBase &B = C.builder();
  Value *Set = nullptr;
  const auto *Call = dyn_cast<CallBase>(&I);
  for (const Use &U : Call ? Call->args() : I.operands()) {
    if (!C.activity().isActive(U.get()))
      continue;
    Value *X = C.companion(U.get());
    X = convertSet(B, Across ? united(B, X) : X, I.getType());
    if (!Set) {
      Set = X;
      continue;
    }
    Type *Bits = I.getType()->getWithNewType(
        B.getIntNTy(I.getType()->getScalarSizeInBits()));
    Set = B.CreateBitCast(
        B.CreateOr(B.CreateBitCast(Set, Bits), B.CreateBitCast(X, Bits)),
        I.getType());
  }
  return Set ? Set : Constant::getNullValue(I.getType());
}

Value *retrograd::dependencies(const Instruction &I, TangentContext &C) {
  return unionOfOperands(I, C, /*Across=*/false);
}

Value *retrograd::dependenciesAcross(const Instruction &I, TangentContext &C) {
  return unionOfOperands(I, C, /*Across=*/true);
}

bool retrograd::isContractible(const IntrinsicInst &I) {
  return I.getIntrinsicID() == Intrinsic::fmuladd ||
         I.getIntrinsicID() == Intrinsic::experimental_constrained_fmuladd;
}

Value *retrograd::rounded(const Instruction &I, Value *Error,
                          TangentContext &C) {
  IRBuilderBase &B = C.builder();
  Type *T = I.getType();
  const fltSemantics &S = T->getScalarType()->getFltSemantics();
  APFloat Unit =
      scalbn(APFloat::getOne(S), -int(APFloat::semanticsPrecision(S)),
             APFloat::rmNearestTiesToEven);
  Value *Size = B.CreateUnaryIntrinsic(Intrinsic::fabs, C.primal(&I));
  // Two roundings where the machine has no fused operation.
  if (const auto *II = dyn_cast<IntrinsicInst>(&I); II && isContractible(*II)) {
    Value *Product = B.CreateFMul(C.primal(II->getArgOperand(0)),
                                  C.primal(II->getArgOperand(1)));
    Size = B.CreateFAdd(Size, B.CreateUnaryIntrinsic(Intrinsic::fabs, Product));
  }
  return B.CreateFAdd(Error, B.CreateFMul(Size, ConstantFP::get(T, Unit)));
}
