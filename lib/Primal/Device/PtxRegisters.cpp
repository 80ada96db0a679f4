//===- PtxRegisters.cpp - operands and registers of inline PTX ------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Primal/Device/PtxTranslation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

PtxType PtxTranslation::typeOf(StringRef Name) const {
  if (Name == "pred")
    return {Type::getInt1Ty(C)};
  if (Type *T =
          StringSwitch<Type *>(Name)
              .Case("f16", Type::getHalfTy(C))
              .Case("bf16", Type::getBFloatTy(C))
              .Case("f16x2", FixedVectorType::get(Type::getHalfTy(C), 2))
              .Case("bf16x2", FixedVectorType::get(Type::getBFloatTy(C), 2))
              .Case("f32", Type::getFloatTy(C))
              .Case("f64", Type::getDoubleTy(C))
              .Default(nullptr))
    return {T, false, true};
  unsigned Bits;
  if (Name.size() < 2 || !StringRef("bus").contains(Name[0]) ||
      Name.drop_front().getAsInteger(10, Bits) ||
      (Bits != 8 && Bits != 16 && Bits != 32 && Bits != 64))
    return {};
  return {Type::getIntNTy(C, Bits), Name[0] == 's'};
}

Value *PtxTranslation::as(Value *V, Type *T) {
  if (V->getType() == T)
    return V;
  if (V->getType()->isPointerTy())
    V = B.CreatePtrToInt(V, B.getInt64Ty());
  unsigned From = V->getType()->getPrimitiveSizeInBits();
  if (T->isPointerTy())
    return B.CreateIntToPtr(as(V, B.getInt64Ty()), T);
  unsigned To = T->getPrimitiveSizeInBits();
  if (From != To)
    V = B.CreateZExtOrTrunc(B.CreateBitCast(V, B.getIntNTy(From)),
                            B.getIntNTy(To));
  return B.CreateBitCast(V, T);
}

Value **PtxTranslation::place(StringRef Operand) {
  unsigned N;
  if (Operand.consume_front(OperandMark))
    return Operand.getAsInteger(10, N) || N >= Operands.size() ? nullptr
                                                               : &Operands[N];
  for (auto &Scope : reverse(Scopes))
    if (auto It = Scope.find(Operand); It != Scope.end())
      return &It->second.second;
  return nullptr;
}

static const char *registerIntrinsic(StringRef Name) {
  return StringSwitch<const char *>(Name)
#define AXES(R)                                                                \
  .Case("%" R ".x", "llvm.nvvm.read.ptx.sreg." R ".x")                         \
      .Case("%" R ".y", "llvm.nvvm.read.ptx.sreg." R ".y")                     \
      .Case("%" R ".z", "llvm.nvvm.read.ptx.sreg." R ".z")
      AXES("tid") AXES("ntid") AXES("ctaid") AXES("nctaid")
#undef AXES
          .Case("%laneid", "llvm.nvvm.read.ptx.sreg.laneid")
          .Case("%warpid", "llvm.nvvm.read.ptx.sreg.warpid")
          .Case("%smid", "llvm.nvvm.read.ptx.sreg.smid")
          .Case("%nsmid", "llvm.nvvm.read.ptx.sreg.nsmid")
          .Case("%clock", "llvm.nvvm.read.ptx.sreg.clock")
          .Case("%clock64", "llvm.nvvm.read.ptx.sreg.clock64")
          .Case("%globaltimer", "llvm.nvvm.read.ptx.sreg.globaltimer")
          .Case("%lanemask_eq", "llvm.nvvm.read.ptx.sreg.lanemask.eq")
          .Case("%lanemask_lt", "llvm.nvvm.read.ptx.sreg.lanemask.lt")
          .Case("%lanemask_le", "llvm.nvvm.read.ptx.sreg.lanemask.le")
          .Case("%lanemask_gt", "llvm.nvvm.read.ptx.sreg.lanemask.gt")
          .Case("%lanemask_ge", "llvm.nvvm.read.ptx.sreg.lanemask.ge")
          .Case("WARP_SZ", "llvm.nvvm.read.ptx.sreg.warpsize")
          .Default(nullptr);
}

Value *PtxTranslation::read(StringRef Operand, Type *T) {
  if (const char *Name = registerIntrinsic(Operand)) {
    Value *V = intrinsic(Name, {});
    return V ? as(V, T) : nullptr;
  }
  if (Value **At = place(Operand))
    return *At ? as(*At, T)
               : Constant::getNullValue(T); // not written yet: any value does
  // Constants: bits of floats, floats, integers.
  uint64_t Bits = 0;
  StringRef Text = Operand;
  bool Minus = Text.consume_front("-");
  if (Text.starts_with_insensitive("0f") && Text.size() == 10 &&
      !Text.drop_front(2).getAsInteger(16, Bits))
    return Minus ? nullptr : as(B.getInt32(Bits), T);
  if (Text.starts_with_insensitive("0d") && Text.size() == 18 &&
      !Text.drop_front(2).getAsInteger(16, Bits)) {
    Value *V = B.CreateBitCast(B.getInt64(Bits), B.getDoubleTy());
    return Minus ? nullptr : T->isFloatTy() ? B.CreateFPTrunc(V, T) : as(V, T);
  }
  if (T->isFloatingPointTy() && Text.contains('.')) {
    APFloat F(T->getFltSemantics());
    auto Status = F.convertFromString(Operand, APFloat::rmNearestTiesToEven);
    if (!Status) {
      consumeError(Status.takeError());
      return nullptr;
    }
    return ConstantFP::get(T, F);
  }
  Text = Text.rtrim("uU");
  bool Hex = Text.starts_with_insensitive("0x");
  if ((Hex ? Text.drop_front(2) : Text).getAsInteger(Hex ? 16 : 10, Bits))
    return nullptr;
  if (Minus)
    Bits = -Bits;
  return as(B.getIntN(64, Bits), T);
}

Value *PtxTranslation::readAddress(StringRef Operand) {
  if (!Operand.consume_front("[") || !Operand.consume_back("]"))
    return nullptr;
  auto [Name, Distance] = Operand.split('+');
  int64_t Offset = 0;
  if (!Distance.empty() && Distance.trim().getAsInteger(0, Offset))
    return nullptr;
  Value **At = place(Name.trim());
  if (!At || !*At)
    return nullptr;
  Value *P = inShared()                        ? sharedPointer(*At)
             : (*At)->getType()->isPointerTy() ? *At
                                               : as(*At, B.getPtrTy());
  return Offset ? B.CreatePtrAdd(P, B.getInt64(Offset)) : P;
}

bool PtxTranslation::write(StringRef Operand, Value *V) {
  if (Operand == "_")
    return true;
  Value **At = V ? place(Operand) : nullptr;
  if (!At)
    return false;
  Type *T = V->getType();
  unsigned N;
  if (Operand.consume_front(OperandMark)) {
    if (Operand.getAsInteger(10, N) || N >= OutputTypes.size())
      return false;
    T = OutputTypes[N];
  }
  V = as(V, T);
  if (Predicate)
    V = B.CreateSelect(Predicate, V,
                       *At ? as(*At, T) : Constant::getNullValue(T));
  *At = V;
  return true;
}

Value *PtxTranslation::intrinsic(StringRef Name, ArrayRef<Value *> Given,
                                 Type *Overload) {
  Intrinsic::ID ID = Intrinsic::lookupIntrinsicID(Name);
  if (ID == Intrinsic::not_intrinsic)
    return nullptr;
  SmallVector<Type *, 1> Types;
  if (Intrinsic::isOverloaded(ID)) {
    if (!Overload)
      return nullptr;
    Types.push_back(Overload);
  }
  return B.CreateIntrinsic(ID, Types, Given);
}
