//===- SpellMasks.cpp - masked vector operations as choices ---------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Primal/SpellMasks.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsX86.h"

using namespace llvm;
using namespace retrograd;

/// Of an operation of AVX-512 on all elements of vectors, which operand is its
/// mask: an integer of a bit per element, behind what is handed on. 0: it has
/// none.
static unsigned maskOf(const IntrinsicInst &Call) {
  const auto *T = dyn_cast<FixedVectorType>(Call.getType());
  StringRef Name = Call.getCalledFunction()->getName();
  if (!T || !Name.starts_with("llvm.x86.avx512.") ||
      !(Name.ends_with(".128") || Name.ends_with(".256") ||
        Name.ends_with(".512")))
    return 0;
  // Conversions of two elements into the lower half of four clear the upper
  // half, whatever the mask says.
  const auto *From =
      dyn_cast<FixedVectorType>(Call.getArgOperand(0)->getType());
  if (!From || From->getNumElements() != T->getNumElements())
    return 0;
  const unsigned Bits = std::max(8u, T->getNumElements());
  for (unsigned I = 2; I < Call.arg_size(); ++I)
    if (Call.getArgOperand(I)->getType()->isIntegerTy(Bits) &&
        Call.getArgOperand(I - 1)->getType() == T)
      return I;
  return 0;
}

/// The conversion of floats that \p Call is in all elements, or null: to a
/// narrower type as the program rounds, or to a wider one, which is exact.
static Value *conversion(IRBuilder<> &B, const IntrinsicInst &Call) {
  constexpr uint64_t CurrentRounding = 4;
  Value *From = Call.getArgOperand(0);
  switch (Call.getIntrinsicID()) {
  case Intrinsic::x86_avx512_mask_cvtpd2ps_512:
    if (cast<ConstantInt>(Call.getArgOperand(3))->getZExtValue() ==
        CurrentRounding)
      return B.CreateFPTrunc(From, Call.getType());
    return nullptr;
  case Intrinsic::x86_avx512_mask_cvtps2pd_512:
    return B.CreateFPExt(From, Call.getType());
  default:
    return nullptr;
  }
}

void retrograd::spellMasks(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Call = dyn_cast<IntrinsicInst>(&I);
    const unsigned Operand = Call ? maskOf(*Call) : 0;
    if (!Operand)
      continue;
    IRBuilder<> B(Call->getNextNode());
    B.SetCurrentDebugLocation(Call->getDebugLoc());
    Value *Mask = Call->getArgOperand(Operand),
          *Else = Call->getArgOperand(Operand - 1),
          *Converted = conversion(B, *Call);
    const auto *All = dyn_cast<ConstantInt>(Mask);
    if (All && All->isMinusOne()) {
      if (Converted)
        Call->replaceAllUsesWith(Converted);
    } else {
      const unsigned Lanes =
          cast<FixedVectorType>(Call->getType())->getNumElements();
      const unsigned Bits = Mask->getType()->getIntegerBitWidth();
      Value *Chosen =
          B.CreateBitCast(Mask, FixedVectorType::get(B.getInt1Ty(), Bits));
      if (Lanes != Bits)
        Chosen = B.CreateShuffleVector(
            Chosen, to_vector<8>(seq<int>(0, static_cast<int>(Lanes))));
      Value *Result =
          B.CreateSelect(Chosen, Converted ? Converted : Call, Else);
      Call->replaceUsesWithIf(
          Result, [&](const Use &U) { return U.getUser() != Result; });
      Call->setArgOperand(Operand,
                          ConstantInt::getAllOnesValue(Mask->getType()));
      Call->setArgOperand(Operand - 1, Constant::getNullValue(Call->getType()));
    }
    if (Converted)
      Call->eraseFromParent();
  }
}
