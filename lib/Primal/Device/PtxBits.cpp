//===- PtxBits.cpp - moves, bit operations and packed integers of PTX -----===//
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

bool PtxTranslation::move() {
  PtxType T = type();
  if (!T || !onlyModifiers({}))
    return false;
  if (Opcode == "selp") {
    if (Args.size() != 4)
      return false;
    Value *X = read(Args[1], T.T), *Y = read(Args[2], T.T),
          *P = read(Args[3], B.getInt1Ty());
    return X && Y && P && write(Args[0], B.CreateSelect(P, X, Y));
  }
  if (Args.size() != 2)
    return false;
  StringRef To = Args[0], From = Args[1];
  SmallVector<StringRef, 4> Parts;
  if (From.consume_front("{") && From.consume_back("}")) { // packs
    splitOperands(From, Parts);
    if (Parts.empty() || T.bits() % Parts.size())
      return false;
    unsigned Bits = T.bits() / Parts.size();
    Value *Vector =
        PoisonValue::get(FixedVectorType::get(B.getIntNTy(Bits), Parts.size()));
    for (auto [N, Part] : enumerate(Parts)) {
      Value *V = read(Part, B.getIntNTy(Bits));
      if (!V)
        return false;
      Vector = B.CreateInsertElement(Vector, V, N);
    }
    return write(To, Vector);
  }
  Value *V = read(From, T.T);
  if (!V)
    return false;
  if (To.consume_front("{") && To.consume_back("}")) { // takes apart
    splitOperands(To, Parts);
    if (Parts.empty() || T.bits() % Parts.size())
      return false;
    Value *Vector =
        as(V, FixedVectorType::get(B.getIntNTy(T.bits() / Parts.size()),
                                   Parts.size()));
    for (auto [N, Part] : enumerate(Parts))
      if (!write(Part, B.CreateExtractElement(Vector, N)))
        return false;
    return true;
  }
  return write(To, V);
}

bool PtxTranslation::bitwise() {
  PtxType T = type();
  if (!T || T.Float || Args.size() < 2)
    return false;
  auto Operand = [&](unsigned N, Type *Of) {
    return N < Args.size() ? read(Args[N], Of) : nullptr;
  };
  unsigned Bits = T.bits();
  Value *X = Operand(1, T.T);
  if (!X)
    return false;
  if (is_contained({"and", "or", "xor"}, Opcode)) {
    Value *Y = Operand(2, T.T);
    if (!Y || Args.size() != 3 || !onlyModifiers({}))
      return false;
    return write(Args[0], Opcode == "and"  ? B.CreateAnd(X, Y)
                          : Opcode == "or" ? B.CreateOr(X, Y)
                                           : B.CreateXor(X, Y));
  }
  if (Opcode == "not")
    return Args.size() == 2 && write(Args[0], B.CreateNot(X));
  if (Opcode == "popc")
    return write(Args[0], as(B.CreateUnaryIntrinsic(Intrinsic::ctpop, X),
                             B.getInt32Ty()));
  if (Opcode == "brev")
    return write(Args[0], B.CreateUnaryIntrinsic(Intrinsic::bitreverse, X));
  if (Opcode == "clz")
    return write(Args[0],
                 as(B.CreateBinaryIntrinsic(Intrinsic::ctlz, X, B.getFalse()),
                    B.getInt32Ty()));
  if (Opcode == "shl" ||
      Opcode == "shr") { // distances beyond the width leave zeros, or signs
    Value *By = Operand(2, B.getInt32Ty());
    if (!By)
      return false;
    Value *Most =
        B.CreateBinaryIntrinsic(Intrinsic::umin, By, B.getInt32(Bits - 1));
    Value *Shift = as(Most, T.T);
    if (Opcode == "shr" && T.Signed)
      return write(Args[0], B.CreateAShr(X, Shift));
    Value *Inside = B.CreateICmpULT(By, B.getInt32(Bits));
    Value *Shifted =
        Opcode == "shl" ? B.CreateShl(X, Shift) : B.CreateLShr(X, Shift);
    return write(Args[0],
                 B.CreateSelect(Inside, Shifted, Constant::getNullValue(T.T)));
  }
  if (Opcode == "shf" && Bits == 32 && Args.size() == 4) { // d = (b:a) shifted
    Value *High = Operand(2, T.T), *By = Operand(3, T.T);
    if (!High || !By || has("l") == has("r") || has("wrap") == has("clamp"))
      return false;
    Type *Both = B.getInt64Ty();
    Value *Pair = B.CreateOr(B.CreateShl(B.CreateZExt(High, Both), 32),
                             B.CreateZExt(X, Both));
    By = has("wrap")
             ? B.CreateAnd(By, 31)
             : B.CreateBinaryIntrinsic(Intrinsic::umin, By, B.getInt32(32));
    Value *Distance = B.CreateZExt(By, Both);
    Value *R = has("l") ? B.CreateLShr(B.CreateShl(Pair, Distance), 32)
                        : B.CreateLShr(Pair, Distance);
    return write(Args[0], B.CreateTrunc(R, T.T));
  }
  if (Opcode == "lop3" && Args.size() == 5) {
    unsigned Table;
    Value *Y = Operand(2, T.T), *Z = Operand(3, T.T),
          *Constant = Operand(4, B.getInt32Ty());
    auto *Known = dyn_cast_or_null<ConstantInt>(Constant);
    if (!Y || !Z || !Known)
      return false;
    Table = Known->getZExtValue();
    Value *R = ConstantInt::get(T.T, 0);
    for (unsigned Row = 0; Row != 8; ++Row)
      if (Table >> Row & 1) {
        Value *A = Row & 4 ? X : B.CreateNot(X),
              *Second = Row & 2 ? Y : B.CreateNot(Y);
        R = B.CreateOr(R, B.CreateAnd(B.CreateAnd(A, Second),
                                      Row & 1 ? Z : B.CreateNot(Z)));
      }
    return write(Args[0], R);
  }
  if (Opcode == "prmt" && Args.size() == 4 && onlyModifiers({})) {
    Value *Y = Operand(2, T.T), *How = Operand(3, T.T);
    Value *R = Y && How ? intrinsic("llvm.nvvm.prmt", {X, Y, How}) : nullptr;
    return R && write(Args[0], R);
  }
  if (Opcode == "bfe" && Args.size() == 4 && !T.Signed) {
    Value *From = Operand(2, B.getInt32Ty()),
          *Count = Operand(3, B.getInt32Ty());
    if (!From || !Count)
      return false;
    // In twice the width nothing is shifted too far.
    Type *Wide = B.getIntNTy(128);
    auto Byte = [&](Value *V) {
      return B.CreateZExt(B.CreateAnd(V, 255), Wide);
    };
    auto Up = [&](Value *V) {
      return B.CreateBinaryIntrinsic(Intrinsic::umin, Byte(V),
                                     ConstantInt::get(Wide, 64));
    };
    Value *Mask = B.CreateSub(B.CreateShl(ConstantInt::get(Wide, 1), Up(Count)),
                              ConstantInt::get(Wide, 1));
    return write(
        Args[0],
        B.CreateTrunc(
            B.CreateAnd(B.CreateLShr(B.CreateZExt(X, Wide), Up(From)), Mask),
            T.T));
  }
  return false;
}

/// Two halves or four bytes of a word by themselves: vadd4.u32.u32.u32.sat d,
/// a, b, c. With .add, d is c and the sum of the results. What c is otherwise
/// stands where d is written in part, which is not known.
bool PtxTranslation::packed() {
  unsigned Count = Opcode.back() - '0';
  StringRef Name = Opcode.drop_back();
  bool Sets = Name == "vset";
  PtxType T = type();
  // All types alike: sums of signed and unsigned numbers are rare.
  for (StringRef M : Modifiers)
    if (PtxType Of = typeOf(M); Of && (Of.T != T.T || Of.Signed != T.Signed))
      return false;
  if (!T || T.Float || T.bits() != 32 || Args.size() != 4 ||
      Args[0].contains('.'))
    return false;
  auto Predicate = CmpInst::BAD_ICMP_PREDICATE;
  if (Sets)
    Predicate = predicateOf(Modifiers.back(), T);
  if (Sets ? Predicate == CmpInst::BAD_ICMP_PREDICATE
           : !onlyModifiers({"sat", "add"}))
    return false;
  auto *Narrow = FixedVectorType::get(B.getIntNTy(32 / Count), Count),
       *Wide = FixedVectorType::get(B.getInt32Ty(), Count);
  Value *X = read(Args[1], Narrow), *Y = read(Args[2], Narrow),
        *Rest = read(Args[3], T.T);
  if (!X || !Y || !Rest)
    return false;
  auto Extend = [&](Value *V) {
    return T.Signed ? B.CreateSExt(V, Wide) : B.CreateZExt(V, Wide);
  };
  X = Extend(X), Y = Extend(Y);
  auto Least = [&](Value *A, Value *C) {
    return B.CreateBinaryIntrinsic(Intrinsic::smin, A, C);
  };
  auto Most = [&](Value *A, Value *C) {
    return B.CreateBinaryIntrinsic(Intrinsic::smax, A, C);
  };
  Value *R = nullptr;
  if (Sets)
    R = B.CreateZExt(B.CreateICmp(Predicate, X, Y), Wide);
  else if (Name == "vadd")
    R = B.CreateAdd(X, Y);
  else if (Name == "vsub")
    R = B.CreateSub(X, Y);
  else if (Name == "vmin")
    R = Least(X, Y);
  else if (Name == "vmax")
    R = Most(X, Y);
  else if (Name == "vabsdiff")
    R = B.CreateBinaryIntrinsic(Intrinsic::abs, B.CreateSub(X, Y),
                                B.getFalse());
  else if (!T.Signed) // vavrg: halves are rounded up
    R = B.CreateLShr(B.CreateAdd(B.CreateAdd(X, Y), ConstantInt::get(Wide, 1)),
                     ConstantInt::get(Wide, 1));
  if (!R)
    return false;
  if (has("add"))
    return write(Args[0], B.CreateAdd(B.CreateAddReduce(R), Rest));
  if (has("sat")) {
    unsigned Bits = 32 / Count;
    int64_t Low = T.Signed ? -(int64_t(1) << (Bits - 1)) : 0,
            High = (int64_t(1) << (T.Signed ? Bits - 1 : Bits)) - 1;
    R = Most(Least(R, ConstantInt::get(Wide, High)),
             ConstantInt::getSigned(Wide, Low));
  }
  return write(Args[0], B.CreateTrunc(R, Narrow));
}
