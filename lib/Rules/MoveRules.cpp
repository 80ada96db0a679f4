//===- MoveRules.cpp - select, casts and bit moves ------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Optimised code moves floats inside of integers: copies of structs, halves of
// a register, sign tricks. The adjoint of such an integer is an integer of the
// same width that holds the adjoints of the floats in the same places, so the
// adjoint of a move is the move back:
//
//   y = bitcast x          adj[x] += bitcast adj[y]
//   y = trunc x            adj[x] += zext adj[y]
//   y = lshr x, n          adj[x] += shl adj[y], n
//   y = or x1, x2          adj[xi] += adj[y]        (where xi holds floats)
//   y = and x, mask        adj[x] += adj[y] & mask
//   y = x xor sign         adj[x] += adj[y] xor sign         (negation)
//   y = x and not sign     adj[x] += adj[y] xor (x and sign) (absolute value)
//   y = select c, a, b     adj[a] += c ? adj[y] : 0,  adj[b] += c ? 0 : adj[y]
//
//===----------------------------------------------------------------------===//

#include "Rules/LaneVectors.h"
#include "Rules/RulesInternal.h"
#include "Rules/TangentKinds.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include <optional>

using namespace llvm;
using namespace retrograd;

/// What a constant mask does to the floats of an integer.
enum class MaskEffect { Bytes, Sign, AllButSign, Other };

/// The constant that all lanes are shifted by.
static const APInt *constantShift(const Instruction &I) {
  const auto *C = dyn_cast<Constant>(I.getOperand(1));
  if (!C)
    return nullptr;
  if (C->getType()->isVectorTy())
    C = C->getSplatValue();
  const auto *N = dyn_cast_or_null<ConstantInt>(C);
  return N ? &N->getValue() : nullptr;
}

/// The bits of the constant operand of a bit operation as they would lie in
/// memory: the lanes of a vector may have masks of their own.
static std::optional<APInt> constantMask(const Instruction &I) {
  const auto *C = dyn_cast<Constant>(I.getOperand(1));
  if (!C)
    return std::nullopt;
  if (const auto *N = dyn_cast<ConstantInt>(C);
      N && !C->getType()->isVectorTy())
    return N->getValue();
  const auto *T = dyn_cast<FixedVectorType>(C->getType());
  if (!T)
    return std::nullopt;
  const unsigned Width = T->getScalarSizeInBits();
  APInt All(Width * T->getNumElements(), 0);
  for (unsigned Lane = 0; Lane != T->getNumElements(); ++Lane) {
    const auto *N = dyn_cast_or_null<ConstantInt>(C->getAggregateElement(Lane));
    if (!N)
      return std::nullopt;
    All.insertBits(N->getValue(), Lane * Width);
  }
  return All;
}

static MaskEffect effectOf(const APInt &Mask, ArrayRef<TypedLeaf> Floats) {
  bool Bytes = true, Sign = true, AllButSign = true;
  for (const TypedLeaf &L : Floats) {
    unsigned Bits = L.Size * 8, At = L.Offset * 8;
    if (At + Bits > Mask.getBitWidth())
      return MaskEffect::Other;
    APInt Part = Mask.extractBits(Bits, At);
    Bytes &= Part.isAllOnes() || Part.isZero();
    Sign &= Part.isSignMask() || Part.isZero();
    AllButSign &= Part.isMaxSignedValue() || Part.isAllOnes();
  }
  return Bytes        ? MaskEffect::Bytes
         : Sign       ? MaskEffect::Sign
         : AllButSign ? MaskEffect::AllButSign
                      : MaskEffect::Other;
}

static MaskEffect maskEffect(const Instruction &I, const ActivityAnalysis &A) {
  const std::optional<APInt> Mask = constantMask(I);
  // Active bits that are no float as a whole are some trick.
  if (!Mask || A.facts().shape(I.getOperand(0)).Floats.empty())
    return MaskEffect::Other;
  return effectOf(*Mask, A.facts().shape(I.getOperand(0)).Floats);
}

static const char *missing(const Instruction &I, const ActivityAnalysis &A) {
  switch (I.getOpcode()) {
  case Instruction::Shl:
  case Instruction::LShr: {
    const APInt *By = constantShift(I);
    return By && By->urem(8) == 0
               ? nullptr
               : "shift of the bits of a floating-point number";
  }
  case Instruction::Or:
    if (!isa<Constant>(I.getOperand(1)))
      return nullptr;
    return maskEffect(I, A) == MaskEffect::Other
               ? "or of the bits of a floating-point number"
               : nullptr;
  case Instruction::And:
  case Instruction::Xor: {
    MaskEffect E = maskEffect(I, A);
    bool Fine = I.getOpcode() == Instruction::And
                    ? E == MaskEffect::Bytes || E == MaskEffect::AllButSign
                    : E == MaskEffect::Sign;
    return Fine ? nullptr : "bit operation on a floating-point number";
  }
  default:
    return nullptr;
  }
}

/// True where the adjoint depends on the sign of the primal operand.
static bool readsSign(const Instruction &I, const ActivityAnalysis &A) {
  if (I.getOpcode() == Instruction::And)
    return maskEffect(I, A) == MaskEffect::AllButSign;
  return I.getOpcode() == Instruction::Or && isa<Constant>(I.getOperand(1)) &&
         maskEffect(I, A) == MaskEffect::Sign;
}

static void needs(const Instruction &I, const ActivityAnalysis &A,
                  NeedSink Sink) {
  if (isa<SelectInst>(I) || readsSign(I, A))
    Sink({Need::Primal, I.getOperand(0)});
}

/// V in the format of T.
static Value *convert(IRBuilderBase &B, Value *V, Type *T) {
  return V->getType()->getScalarSizeInBits() < T->getScalarSizeInBits()
             ? B.CreateFPExt(V, T)
             : B.CreateFPTrunc(V, T);
}

static void emit(const Instruction &I, RuleContext &C) {
  IRBuilderBase &B = C.builder();
  Value *Seed = C.take(&I);
  const Value *X = I.getOperand(0);
  switch (I.getOpcode()) {
  case Instruction::Select: {
    const auto &S = cast<SelectInst>(I);
    Value *Condition = C.primal(S.getCondition());
    Constant *Zero = adjointZero(I.getType());
    C.accumulate(S.getTrueValue(), B.CreateSelect(Condition, Seed, Zero));
    C.accumulate(S.getFalseValue(), B.CreateSelect(Condition, Zero, Seed));
    return;
  }
  case Instruction::FPExt:
  case Instruction::FPTrunc:
  case Instruction::Call: // the same, constrained
    return C.accumulate(X, convert(B, Seed, X->getType()));
  case Instruction::BitCast:
    return C.accumulate(X, B.CreateBitCast(Seed, X->getType()));
  case Instruction::Freeze:
    return C.accumulate(X, Seed);
  case Instruction::Trunc:
    return C.accumulate(X, B.CreateZExt(Seed, X->getType()));
  case Instruction::ZExt:
    return C.accumulate(X, B.CreateTrunc(Seed, X->getType()));
  case Instruction::Shl:
    return C.accumulate(X, B.CreateLShr(Seed, I.getOperand(1)));
  case Instruction::LShr:
    return C.accumulate(X, B.CreateShl(Seed, I.getOperand(1)));
  case Instruction::Or:
    if (readsSign(I, C.activity())) { // -|x|
      Value *Mask = I.getOperand(1);
      return C.accumulate(
          X, B.CreateXor(Seed, B.CreateAnd(B.CreateNot(C.primal(X)), Mask)));
    }
    C.accumulate(X, Seed);
    return C.accumulate(I.getOperand(1), Seed);
  case Instruction::And: {
    Value *Mask = I.getOperand(1);
    if (!readsSign(I, C.activity()))
      return C.accumulate(X, B.CreateAnd(Seed, Mask));
    return C.accumulate(
        X, B.CreateXor(Seed, B.CreateAnd(C.primal(X), B.CreateNot(Mask))));
  }
  case Instruction::Xor:
    return C.accumulate(X, B.CreateXor(Seed, I.getOperand(1)));
  default:
    llvm_unreachable("not a move");
  }
}

/// Sign tricks: the tangent changes its sign with the primal's operand, where
/// the primal's bits change.
static Value *tangentOfBits(const Instruction &I, TangentContext &C) {
  IRBuilderBase &B = C.builder();
  const ProgramFacts &Facts = C.activity().facts();
  const auto *Mask = dyn_cast<Constant>(I.getOperand(1));
  Value *T = C.companion(I.getOperand(0));
  if (!Mask || Facts.shape(&I).Floats.empty())
    return C.again(I);
  if (C.kind() == TangentKind::ErrorBound)
    return T; // bounds have no sign
  Value *M = const_cast<Constant *>(Mask), *X = C.primal(I.getOperand(0));
  if (C.kind() == TangentKind::Dependencies &&
      I.getOpcode() != Instruction::And)
    return T; // a change of sign
  switch (I.getOpcode()) {
  case Instruction::Xor: // negation
    return B.CreateXor(T, M);
  case Instruction::Or: { // -|x|, or a constant beside x
    unsigned Width = I.getType()->getScalarSizeInBits();
    APInt Floats = APInt::getZero(Width);
    for (const TypedLeaf &L : Facts.shape(I.getOperand(0)).Floats)
      for (uint64_t Bit = L.Offset * 8; Bit != (L.Offset + L.Size) * 8; ++Bit)
        Floats.setBit(Bit % Width);
    M = B.CreateAnd(M, ConstantInt::get(I.getType(), Floats));
    return B.CreateXor(T, B.CreateAnd(B.CreateNot(X), M));
  }
  default: { // |x|, or whole bytes masked away
    bool WholeBytes = true;
    const std::optional<APInt> Bits = constantMask(I);
    for (unsigned K = 0; Bits && K < Bits->getBitWidth(); K += 8) {
      uint64_t Byte = Bits->extractBitsAsZExtValue(8, K);
      WholeBytes &= Byte == 0 || Byte == 255;
    }
    if (WholeBytes)
      return B.CreateAnd(T, M);
    if (C.kind() == TangentKind::Dependencies)
      return T;
    return B.CreateXor(T, B.CreateAnd(X, B.CreateNot(M)));
  }
  }
}

/// A number in another format, by a constrained conversion.
static Value *tangentOfConversion(const CallBase &I, TangentContext &C) {
  IRBuilderBase &B = C.builder();
  Value *X = C.companion(I.getArgOperand(0));
  if (C.kind() == TangentKind::Dependencies)
    return convertSet(B, X, I.getType());
  B.setFastMathFlags(I.getFastMathFlags());
  const bool Widens =
      X->getType()->getScalarSizeInBits() < I.getType()->getScalarSizeInBits();
  X = convert(B, X, I.getType());
  return C.kind() == TangentKind::ErrorBound && !Widens ? rounded(I, X, C) : X;
}

static Value *tangent(const Instruction &I, TangentContext &C) {
  switch (I.getOpcode()) {
  case Instruction::And:
  case Instruction::Or:
  case Instruction::Xor:
    return tangentOfBits(I, C);
  case Instruction::Call:
    return tangentOfConversion(cast<CallBase>(I), C);
  default:
    break;
  }
  if (C.lanesAtOnce() == 1)
    return C.again(I);
  IRBuilderBase &B = C.builder();
  if (isa<FreezeInst>(I))
    return B.CreateFreeze(C.companion(I.getOperand(0)));
  if (const auto *S = dyn_cast<SelectInst>(&I)) {
    Value *If = C.primal(S->getCondition());
    if (If->getType()->isVectorTy())
      If = repeatElements(B, If, C.lanesAtOnce());
    return B.CreateSelect(If, C.companionInto(I, S->getTrueValue()),
                          C.companionInto(I, S->getFalseValue()));
  }
  return B.CreateFPCast(C.companion(I.getOperand(0)), C.typeHere(&I));
}

static bool lanesAtOnce(const Instruction &I) {
  return isa<SelectInst, FreezeInst, FPExtInst, FPTruncInst>(I);
}

const Operation operations::Moves = {
    .Missing = missing,
    .Needs = needs,
    .Adjoint = emit,
    .Tangent = tangent,
    .LanesAtOnce = lanesAtOnce,
};
