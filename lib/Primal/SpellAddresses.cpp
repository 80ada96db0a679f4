//===- SpellAddresses.cpp - addresses as a base and bytes -----------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Primal/SpellAddresses.h"
#include "Catalogue/AccessTags.h"
#include "Support/SourceFact.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace retrograd;

/// The pointer that the integer V is an address of, made at B; null if V is
/// not the address of one pointer plus or minus something.
static Value *pointerBehind(Value *V, IRBuilderBase &B, unsigned Depth = 0) {
  if (Depth > 8)
    return nullptr;
  if (auto *Cast = dyn_cast<PtrToIntOperator>(V)) {
    Value *P = Cast->getPointerOperand();
    return P->getType() == B.getPtrTy() ? P : nullptr;
  }
  auto *I = dyn_cast<BinaryOperator>(V);
  if (!I)
    return nullptr;
  Value *P = pointerBehind(I->getOperand(0), B, Depth + 1),
        *Other = I->getOperand(1);
  bool Commutes = I->getOpcode() == Instruction::Add ||
                  (I->getOpcode() == Instruction::Or &&
                   cast<PossiblyDisjointInst>(I)->isDisjoint());
  if (Commutes && !P) {
    P = pointerBehind(Other, B, Depth + 1);
    Other = I->getOperand(0);
  }
  if (!P || pointerBehind(Other, B, Depth + 1))
    return nullptr;
  const auto *Constant = dyn_cast<ConstantInt>(Other);
  // The bits of P in Mask, which are few.
  auto BitsOf = [&](uint64_t Mask, bool Missing) {
    Value *Low = B.CreatePtrToInt(P, B.getInt32Ty());
    Low = B.CreateAnd(Missing ? B.CreateNot(Low) : Low, B.getInt32(Mask));
    return B.CreateZExt(Low, V->getType());
  };
  switch (I->getOpcode()) {
  case Instruction::Or:
    if (!Commutes) {
      if (!Constant || !isUInt<32>(Constant->getZExtValue()))
        return nullptr;
      Other = BitsOf(Constant->getZExtValue(), /*Missing=*/true);
    }
    break;
  case Instruction::Add:
    break;
  case Instruction::Sub:
    Other = B.CreateNeg(Other);
    break;
  case Instruction::And:
    if (!Constant || !isUInt<32>(~Constant->getZExtValue()))
      return nullptr;
    Other = B.CreateNeg(BitsOf(~Constant->getZExtValue(), /*Missing=*/false));
    break;
  default:
    return nullptr;
  }
  return B.CreateGEP(B.getInt8Ty(), P, Other);
}

/// V is an address taken as an integer, a constant, or a choice between such;
/// Web gets the choices, Any says whether there is an address among them.
static bool isChoiceOfAddresses(Value *V, SmallPtrSetImpl<Value *> &Web,
                                bool &Any) {
  if (isa<ConstantInt>(V))
    return true;
  if (auto *Cast = dyn_cast<PtrToIntOperator>(V)) {
    Any = true;
    return Cast->getPointerOperand()->getType() ==
           PointerType::get(V->getContext(), 0);
  }
  auto *Phi = dyn_cast<PHINode>(V);
  auto *Select = dyn_cast<SelectInst>(V);
  if ((!Phi && !Select) || Web.size() > 16)
    return false;
  if (!Web.insert(V).second)
    return true;
  if (Select)
    return isChoiceOfAddresses(Select->getTrueValue(), Web, Any) &&
           isChoiceOfAddresses(Select->getFalseValue(), Web, Any);
  return all_of(Phi->incoming_values(),
                [&](Value *In) { return isChoiceOfAddresses(In, Web, Any); });
}

/// The same choice among the pointers.
static Value *choiceOfPointers(Value *V, DenseMap<Value *, Value *> &Made) {
  PointerType *Pointer = PointerType::get(V->getContext(), 0);
  if (auto *C = dyn_cast<ConstantInt>(V))
    return C->isZero() ? ConstantPointerNull::get(Pointer)
                       : ConstantExpr::getIntToPtr(C, Pointer);
  if (auto *Cast = dyn_cast<PtrToIntOperator>(V))
    return Cast->getPointerOperand();
  if (Value *Known = Made.lookup(V))
    return Known;
  IRBuilder<> B(cast<Instruction>(V));
  if (auto *Select = dyn_cast<SelectInst>(V)) {
    Value *True = choiceOfPointers(Select->getTrueValue(), Made);
    return Made[V] =
               B.CreateSelect(Select->getCondition(), True,
                              choiceOfPointers(Select->getFalseValue(), Made));
  }
  auto *Phi = cast<PHINode>(V);
  PHINode *New = B.CreatePHI(Pointer, Phi->getNumIncomingValues());
  Made[V] = New;
  for (auto [In, From] : zip(Phi->incoming_values(), Phi->blocks()))
    New->addIncoming(choiceOfPointers(In, Made), From);
  return New;
}

/// A word that is used as an address and for its distance from others, or moved
/// on, is loaded as the pointer that it is. Null if something uses it as what
/// need not be an address.
static Value *loadOfPointer(IntToPtrInst &I) {
  auto *Load = dyn_cast<LoadInst>(I.getOperand(0));
  const Type *Tagged = Load ? taggedType(*Load) : nullptr;
  if (!Load || !Load->isSimple() ||
      !(Tagged->isVoidTy() || Tagged->isPointerTy()) ||
      hasFact(*I.getModule(), SourceFact::CopiesBits) ||
      !all_of(Load->uses(), [](const Use &U) {
        auto *S = dyn_cast<StoreInst>(U.getUser());
        return S ? S->isSimple() && U.getOperandNo() == 0
                 : isa<IntToPtrInst, ICmpInst>(U.getUser()) ||
                       cast<Instruction>(U.getUser())->getOpcode() ==
                           Instruction::Sub;
      }))
    return nullptr;
  IRBuilder<> B(Load);
  LoadInst *P = B.CreateAlignedLoad(I.getType(), Load->getPointerOperand(),
                                    Load->getAlign());
  P->copyMetadata(*Load, {LLVMContext::MD_tbaa, LLVMContext::MD_alias_scope,
                          LLVMContext::MD_noalias});
  Value *Word = nullptr;
  for (Use &U : make_early_inc_range(Load->uses())) {
    if (isa<StoreInst>(U.getUser())) {
      U.set(P);
    } else if (U.getUser() != &I) {
      if (!Word)
        Word = B.CreatePtrToInt(P, Load->getType());
      U.set(Word);
    }
  }
  return P;
}

/// A word of memory whose type nobody wrote, or that is a pointer by what was
/// written, gets an address that is an integer here (an object of one pointer,
/// copied as a word): the pointer is stored. Null if S is not like that.
static Value *storedPointer(StoreInst &S, DenseMap<Value *, Value *> &Choices) {
  Value *V = S.getValueOperand();
  if (!V->getType()->isIntegerTy(64) || !S.isSimple())
    return nullptr;
  const Type *Tagged = taggedType(S);
  SmallPtrSet<Value *, 8> Web;
  bool Any = false;
  if (!(Tagged->isVoidTy() || Tagged->isPointerTy()) ||
      hasFact(S, SourceFact::Integer) || hasFact(S, SourceFact::Written) ||
      !isChoiceOfAddresses(V, Web, Any) || !Any)
    return nullptr;
  return choiceOfPointers(V, Choices);
}

void retrograd::spellAddresses(Function &F) {
  DenseMap<Value *, Value *> Choices;
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    IRBuilder<> B(&I);
    Value *P = nullptr;
    if (auto *S = dyn_cast<StoreInst>(&I)) {
      if (Value *Stored = storedPointer(*S, Choices))
        S->setOperand(0, Stored);
      continue;
    }
    if (isa<IntToPtrInst>(I) && I.getOperand(0)->getType()->isIntegerTy(64) &&
        I.getType() == B.getPtrTy()) {
      P = pointerBehind(I.getOperand(0), B);
      SmallPtrSet<Value *, 8> Web;
      bool Any = false;
      if (!P && isChoiceOfAddresses(I.getOperand(0), Web, Any) && Any)
        P = choiceOfPointers(I.getOperand(0), Choices);
      if (!P)
        P = loadOfPointer(cast<IntToPtrInst>(I));
    } else if (auto *Mask = dyn_cast<IntrinsicInst>(&I);
               Mask && Mask->getIntrinsicID() == Intrinsic::ptrmask &&
               I.getType() == B.getPtrTy()) {
      Value *Base = Mask->getArgOperand(0);
      const auto *Keep = dyn_cast<ConstantInt>(Mask->getArgOperand(1));
      if (Keep && Keep->getBitWidth() == 64 &&
          isUInt<32>(~Keep->getZExtValue())) {
        Value *Low = B.CreateAnd(B.CreatePtrToInt(Base, B.getInt32Ty()),
                                 B.getInt32(~Keep->getZExtValue()));
        P = B.CreateGEP(B.getInt8Ty(), Base,
                        B.CreateNeg(B.CreateZExt(Low, B.getInt64Ty())));
      }
    }
    if (!P)
      continue;
    if (!P->hasName() && isa<Instruction>(P))
      P->takeName(&I);
    I.replaceAllUsesWith(P);
    I.eraseFromParent();
  }
}
