//===- PtxArithmetic.cpp - arithmetic and conversions of PTX --------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Primal/Device/PtxTranslation.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;
using namespace retrograd;

Value *PtxTranslation::fastUnit(StringRef Name, Value *X) {
  Type *T = X->getType();
  if (!T->getScalarType()->isHalfTy() && !T->getScalarType()->isBFloatTy()) {
    Value *R = intrinsic(Name, {X}, T);
    if (auto *I = dyn_cast_or_null<Instruction>(R); I && Name == "llvm.tanh")
      I->setHasApproxFunc(true); // the unit
    return R;
  }
  auto One = [&](Value *Of) {
    Value *R =
        intrinsic(Name, {B.CreateFPExt(Of, B.getFloatTy())}, B.getFloatTy());
    return R ? B.CreateFPTrunc(R, T->getScalarType()) : nullptr;
  };
  if (!T->isVectorTy())
    return One(X);
  Value *Both = PoisonValue::get(T);
  for (unsigned Lane : {0u, 1u}) {
    Value *R = One(B.CreateExtractElement(X, Lane));
    if (!R)
      return nullptr;
    Both = B.CreateInsertElement(Both, R, Lane);
  }
  return Both;
}

/// .sat: into [0, 1], NaN is 0. .relu: not below 0.
Value *PtxTranslation::limited(Value *X) {
  Type *T = X->getType();
  if (has("sat"))
    return B.CreateBinaryIntrinsic(
        Intrinsic::minnum,
        B.CreateBinaryIntrinsic(Intrinsic::maxnum, X, ConstantFP::get(T, 0)),
        ConstantFP::get(T, 1));
  return has("relu") ? B.CreateBinaryIntrinsic(Intrinsic::maximum, X,
                                               ConstantFP::get(T, 0))
                     : X;
}

bool PtxTranslation::arithmetic() {
  PtxType T = type();
  if (!T || Args.empty() || Args.size() > 4)
    return false;
  SmallVector<Value *, 3> X;
  bool Wide = has("wide");
  for (auto [N, Arg] : enumerate(ArrayRef(Args).drop_front())) {
    Type *Of = Wide && N == 2 ? B.getIntNTy(2 * T.bits()) : T.T;
    X.push_back(read(Arg, Of));
    if (!X.back())
      return false;
  }
  auto Write = [&](Value *V) { return V && write(Args[0], V); };
  auto Needs = [&](unsigned Count) { return X.size() == Count; };
  if (!T.Float) {
    if (!onlyModifiers({"lo", "hi", "wide"}) || (Wide && T.bits() > 32))
      return false;
    if (Needs(1)) {
      if (Opcode == "neg")
        return Write(B.CreateNeg(X[0]));
      return Opcode == "abs" &&
             Write(B.CreateBinaryIntrinsic(Intrinsic::abs, X[0], B.getFalse()));
    }
    if (Opcode == "mul" || Opcode == "mad") {
      if (!Needs(Opcode == "mad" ? 3 : 2) || has("lo") + has("hi") + Wide != 1)
        return false;
      Value *Product;
      if (has("lo")) {
        Product = B.CreateMul(X[0], X[1]);
      } else {
        Type *Double = B.getIntNTy(2 * T.bits());
        auto Extend = [&](Value *V) {
          return T.Signed ? B.CreateSExt(V, Double) : B.CreateZExt(V, Double);
        };
        Product = B.CreateMul(Extend(X[0]), Extend(X[1]));
        if (has("hi"))
          Product = B.CreateTrunc(B.CreateLShr(Product, T.bits()), T.T);
      }
      return Write(Opcode == "mad" ? B.CreateAdd(Product, X[2]) : Product);
    }
    if (!Needs(2) || has("lo") || has("hi") || Wide)
      return false;
    if (Opcode == "add")
      return Write(B.CreateAdd(X[0], X[1]));
    if (Opcode == "sub")
      return Write(B.CreateSub(X[0], X[1]));
    if (Opcode == "min")
      return Write(B.CreateBinaryIntrinsic(
          T.Signed ? Intrinsic::smin : Intrinsic::umin, X[0], X[1]));
    if (Opcode == "max")
      return Write(B.CreateBinaryIntrinsic(
          T.Signed ? Intrinsic::smax : Intrinsic::umax, X[0], X[1]));
    return false; // division: LLVM's may trap where PTX's does not
  }
  if (!onlyModifiers(
          {"rn", "ftz", "approx", "full", "noftz", "sat", "relu", "NaN"}) ||
      has("lo"))
    return false;
  bool Single = T.T->isFloatTy(), Fast = has("approx");
  StringRef Ftz = has("ftz") && Single ? ".ftz" : "";
  if (Needs(1)) {
    if (Opcode == "neg")
      return Write(B.CreateFNeg(X[0]));
    if (Opcode == "abs")
      return Write(B.CreateUnaryIntrinsic(Intrinsic::fabs, X[0]));
    if (Opcode == "sqrt" && !Fast)
      return Write(B.CreateUnaryIntrinsic(Intrinsic::sqrt, X[0]));
    if (Opcode == "rcp" && !Fast)
      return Write(B.CreateFDiv(ConstantFP::get(T.T, 1), X[0]));
    if (!Fast || T.T->isDoubleTy())
      return false;
    if (Opcode == "tanh")
      return Write(fastUnit("llvm.tanh", X[0]));
    std::string Name =
        ("llvm.nvvm." + Opcode + ".approx" + (Opcode == "rcp" ? ".ftz" : Ftz))
            .str();
    return Write(fastUnit(Opcode == "ex2" ? Name : Name + ".f", X[0]));
  }
  if (Opcode == "fma" || Opcode == "mad") {
    if (!Needs(3))
      return false;
    return Write(limited(B.CreateIntrinsic(Intrinsic::fma, {T.T}, X)));
  }
  if (!Needs(2))
    return false;
  if (Opcode == "add")
    return Write(limited(B.CreateFAdd(X[0], X[1])));
  if (Opcode == "sub")
    return Write(limited(B.CreateFSub(X[0], X[1])));
  if (Opcode == "mul")
    return Write(limited(B.CreateFMul(X[0], X[1])));
  if (Opcode == "div")
    return Write(B.CreateFDiv(X[0], X[1]));
  if (Opcode == "copysign") // the sign comes first
    return Write(B.CreateBinaryIntrinsic(Intrinsic::copysign, X[1], X[0]));
  if (Opcode == "min")
    return Write(B.CreateBinaryIntrinsic(
        has("NaN") ? Intrinsic::minimum : Intrinsic::minnum, X[0], X[1]));
  if (Opcode == "max")
    return Write(B.CreateBinaryIntrinsic(
        has("NaN") ? Intrinsic::maximum : Intrinsic::maxnum, X[0], X[1]));
  return false;
}

CmpInst::Predicate retrograd::predicateOf(StringRef Name, const PtxType &T) {
  if (T.Float)
    return StringSwitch<CmpInst::Predicate>(Name)
        .Case("eq", CmpInst::FCMP_OEQ)
        .Case("ne", CmpInst::FCMP_ONE)
        .Case("lt", CmpInst::FCMP_OLT)
        .Case("le", CmpInst::FCMP_OLE)
        .Case("gt", CmpInst::FCMP_OGT)
        .Case("ge", CmpInst::FCMP_OGE)
        .Case("equ", CmpInst::FCMP_UEQ)
        .Case("neu", CmpInst::FCMP_UNE)
        .Case("ltu", CmpInst::FCMP_ULT)
        .Case("leu", CmpInst::FCMP_ULE)
        .Case("gtu", CmpInst::FCMP_UGT)
        .Case("geu", CmpInst::FCMP_UGE)
        .Case("num", CmpInst::FCMP_ORD)
        .Case("nan", CmpInst::FCMP_UNO)
        .Default(CmpInst::BAD_FCMP_PREDICATE);
  return StringSwitch<CmpInst::Predicate>(Name)
      .Case("eq", CmpInst::ICMP_EQ)
      .Case("ne", CmpInst::ICMP_NE)
      .Case("lt", T.Signed ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT)
      .Case("le", T.Signed ? CmpInst::ICMP_SLE : CmpInst::ICMP_ULE)
      .Case("gt", T.Signed ? CmpInst::ICMP_SGT : CmpInst::ICMP_UGT)
      .Case("ge", T.Signed ? CmpInst::ICMP_SGE : CmpInst::ICMP_UGE)
      .Case("lo", CmpInst::ICMP_ULT)
      .Case("ls", CmpInst::ICMP_ULE)
      .Case("hi", CmpInst::ICMP_UGT)
      .Case("hs", CmpInst::ICMP_UGE)
      .Default(CmpInst::BAD_ICMP_PREDICATE);
}

/// setp.eq.f32 p, a, b; set.eq.f16x2.f16x2 d, a, b, where d gets 1.0, or all
/// bits.
bool PtxTranslation::compare() {
  bool Sets = Opcode == "set";
  PtxType To = Sets ? type(0) : PtxType{B.getInt1Ty()}, Of = type(Sets ? 1 : 0);
  if (!To || !Of || Args.size() != 3 || Modifiers.empty() ||
      !all_of(ArrayRef(Modifiers).drop_front(),
              [&](StringRef M) { return typeOf(M) || M == "ftz"; }))
    return false;
  CmpInst::Predicate P = predicateOf(Modifiers.front(), Of);
  Value *X = read(Args[1], Of.T), *Y = read(Args[2], Of.T);
  if (!X || !Y || P == CmpInst::BAD_FCMP_PREDICATE ||
      P == CmpInst::BAD_ICMP_PREDICATE)
    return false;
  Value *R = B.CreateCmp(P, X, Y);
  if (!Sets)
    return write(Args[0], R);
  if (To.Float) {
    if (isa<VectorType>(To.T) != isa<VectorType>(Of.T))
      return false;
    return write(Args[0], B.CreateUIToFP(R, To.T));
  }
  if (isa<VectorType>(Of.T))
    return To.bits() == 32 &&
           write(Args[0],
                 B.CreateSExt(R, FixedVectorType::get(B.getInt16Ty(), 2)));
  return write(Args[0], B.CreateSExt(R, To.T));
}

bool PtxTranslation::convert() {
  PtxType To = type(0), From = type(1);
  if (!To || !From || Args.size() < 2)
    return false;
  if (!onlyModifiers({"rn", "rzi", "rni", "rmi", "rpi", "ftz", "relu"}))
    return false;
  Value *X = read(Args[1], From.T);
  if (!X)
    return false;
  if (Args.size() == 3) { // cvt.rn.f16x2.f32 d, high, low
    auto *Pair = dyn_cast<FixedVectorType>(To.T);
    Value *Low = read(Args[2], From.T);
    if (!Pair || !From.T->isFloatTy() || !Low || !has("rn"))
      return false;
    Value *V = PoisonValue::get(Pair), *Halves[] = {Low, X};
    for (auto [N, One] : enumerate(Halves))
      V = B.CreateInsertElement(V, B.CreateFPTrunc(One, Pair->getElementType()),
                                N);
    return write(Args[0], limited(V));
  }
  if (isa<VectorType>(To.T) || isa<VectorType>(From.T))
    return false;
  auto Whole = [&](Value *V) {
    auto ID = has("rzi")   ? Intrinsic::trunc
              : has("rni") ? Intrinsic::roundeven
              : has("rmi") ? Intrinsic::floor
              : has("rpi") ? Intrinsic::ceil
                           : Intrinsic::not_intrinsic;
    return ID == Intrinsic::not_intrinsic ? V : B.CreateUnaryIntrinsic(ID, V);
  };
  bool Integral = has("rzi") || has("rni") || has("rmi") || has("rpi");
  if (From.Float && To.Float) {
    if (From.T == To.T)
      return write(Args[0], limited(Whole(X)));
    if (From.bits() == To.bits() || Integral ||
        (From.bits() > To.bits() && !has("rn")))
      return false;
    return write(Args[0], limited(B.CreateFPCast(X, To.T)));
  }
  if (has("relu"))
    return false;
  if (From.Float) {
    if (!Integral)
      return false;
    return write(Args[0], B.CreateIntrinsic(To.Signed ? Intrinsic::fptosi_sat
                                                      : Intrinsic::fptoui_sat,
                                            {To.T, From.T}, {Whole(X)}));
  }
  if (To.Float)
    return has("rn") && write(Args[0], From.Signed ? B.CreateSIToFP(X, To.T)
                                                   : B.CreateUIToFP(X, To.T));
  Value *R =
      From.Signed ? B.CreateSExtOrTrunc(X, To.T) : B.CreateZExtOrTrunc(X, To.T);
  // A wider register is filled as the type says.
  if (Value **At = place(Args[0]); At && Args[0].starts_with(OperandMark)) {
    unsigned N;
    if (Args[0].drop_front().getAsInteger(10, N) || N >= OutputTypes.size())
      return false;
    if (Type *Register = OutputTypes[N];
        Register->isIntegerTy() && Register->getIntegerBitWidth() > To.bits())
      R = To.Signed ? B.CreateSExt(R, Register) : B.CreateZExt(R, Register);
  }
  return write(Args[0], R);
}
