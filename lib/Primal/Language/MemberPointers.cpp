//===- MemberPointers.cpp - pointers to members that are as they look -----===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Primal/Language/MemberPointers.h"
#include "Bitcode/RuntimeLibrary.h"
#include "Diagnostics/RequestTrail.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace retrograd;

//===----------------------------------------------------------------------===//
// Which pointers the module makes
//===----------------------------------------------------------------------===//

static bool isZero(const Value *V) {
  const auto *C = dyn_cast<Constant>(V);
  return C && C->isNullValue();
}

/// Function is stored; the word behind it is stored as zero nearby.
static bool isStoredWithZero(const StoreInst &Function) {
  const DataLayout &DL = Function.getDataLayout();
  auto PlaceOf = [&](const StoreInst &S) {
    APInt Offset(DL.getIndexTypeSizeInBits(S.getPointerOperandType()), 0);
    const Value *Base =
        S.getPointerOperand()->stripAndAccumulateConstantOffsets(DL, Offset,
                                                                 true);
    return std::pair(Base, Offset.getSExtValue());
  };
  auto [Base, At] = PlaceOf(Function);
  int64_t Size = DL.getTypeStoreSize(Function.getValueOperand()->getType());
  bool Zero = false;
  for (const Instruction &I : *Function.getParent())
    if (const auto *S = dyn_cast<StoreInst>(&I);
        S && PlaceOf(*S) == std::pair(Base, At + Size)) {
      if (!isZero(S->getValueOperand()))
        return false;
      Zero = true;
    }
  return Zero;
}

/// The integer C, a function's address, is used with a zero beside it only.
static bool isAloneIn(const Constant &C) {
  return all_of(C.uses(), [&](const Use &U) {
    const User *By = U.getUser();
    unsigned At = U.getOperandNo();
    if (isa<ConstantAggregate>(By))
      return At + 1 < By->getNumOperands() && isZero(By->getOperand(At + 1));
    if (const auto *S = dyn_cast<StoreInst>(By))
      return isStoredWithZero(*S);
    if (const auto *Call = dyn_cast<CallBase>(By))
      return At + 1 < Call->arg_size() && isZero(Call->getArgOperand(At + 1));
    return isa<ICmpInst>(By);
  });
}

bool retrograd::haveAdjustments(ArrayRef<Function *> Candidates) {
  return any_of(Candidates, [](const Function *F) {
    return any_of(F->users(), [](const User *U) {
      const auto *Word = dyn_cast<ConstantExpr>(U);
      return Word && Word->getOpcode() == Instruction::PtrToInt &&
             !isAloneIn(*Word);
    });
  });
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static bool hasBitTest(const Value *V) {
  return any_of(V->users(), [&](const User *U) {
    return match(U, m_And(m_Specific(V), m_One())) ||
           (isa<TruncInst>(U) && U->getType()->isIntegerTy(1));
  });
}

/// All that the callee of Call may be, by way of phis.
static SmallSetVector<Value *, 4> targetsOf(const CallBase &Call) {
  SmallSetVector<Value *, 4> Found, Phis;
  auto Add = [&](Value *V) {
    (isa<PHINode, SelectInst>(V) ? Phis : Found).insert(V);
  };
  Add(Call.getCalledOperand());
  for (unsigned I = 0; I != Phis.size(); ++I)
    for (Value *V : cast<Instruction>(Phis[I])->operand_values())
      if (V->getType()->isPointerTy())
        Add(V);
  return Found;
}

/// V is an entry of a virtual table at a place that one bit of a pointer to a
/// member tells to be one.
static Instruction *asVirtualMember(Value *V) {
  auto *Entry = dyn_cast<LoadInst>(V);
  if (!Entry)
    return nullptr;
  const Value *Place = nullptr, *P = Entry->getPointerOperand();
  for (const auto *G = dyn_cast<GEPOperator>(P); G;
       G = dyn_cast<GEPOperator>(P)) {
    P = G->getPointerOperand();
    if (G->hasAllConstantIndices())
      continue;
    if (Place || G->getNumIndices() != 1 ||
        !G->getSourceElementType()->isIntegerTy(8))
      return nullptr;
    Place = *G->idx_begin();
  }
  if (!Place || !isa<LoadInst>(P))
    return nullptr;
  const Value *Sum = nullptr;
  if (match(Place, m_Add(m_Value(Sum), m_ConstantInt())))
    Place = Sum;
  return hasBitTest(Place) ? Entry : nullptr;
}

static void endProgram(IRBuilder<> &B, const CallBase &Call,
                       RuntimeLibrary &Runtime) {
  SourcePlace Place(Call);
  std::string Where = "'" + Place.Function + "'";
  if (std::string Line = Place.str(); !Line.empty())
    Where += " (" + Line + ")";
  B.CreateCall(Runtime.require("rg_unknown_member"),
               {B.CreateGlobalString(Where)})
      ->setDebugLoc(Call.getDebugLoc());
}

bool retrograd::dropVirtualMember(CallBase &Call, RuntimeLibrary &Runtime) {
  bool Changed = false;
  for (Value *Target : targetsOf(Call))
    if (Instruction *Entry = asVirtualMember(Target)) {
      IRBuilder<> B(Entry);
      endProgram(B, Call, Runtime);
      changeToUnreachable(Entry);
      Changed = true;
    }
  return Changed;
}

static unsigned indexOfThis(const CallBase &Call) {
  return Call.hasStructRetAttr() ? 1 : 0;
}

/// The object of a call through a pointer to a member, with what that adds to
/// it; null if nothing tells that it is one.
static GEPOperator *adjustedObject(const CallBase &Call) {
  unsigned This = indexOfThis(Call);
  if (Call.arg_size() <= This)
    return nullptr;
  auto *Object = dyn_cast<GEPOperator>(Call.getArgOperand(This));
  if (!Object || Object->getNumIndices() != 1 ||
      Object->hasAllConstantIndices() ||
      !Object->getSourceElementType()->isIntegerTy(8))
    return nullptr;
  Value *Both = nullptr;
  bool Told =
      match(Object->idx_begin()->get(), m_AShr(m_Value(Both), m_One())) &&
      hasBitTest(Both);
  Told |= any_of(targetsOf(Call), [](Value *Target) {
    Value *Word = nullptr;
    return match(Target, m_IntToPtr(m_Value(Word))) && hasBitTest(Word);
  });
  return Told ? Object : nullptr;
}

bool retrograd::mayBeThroughMember(const CallBase &Call) {
  return adjustedObject(Call) || any_of(targetsOf(Call), asVirtualMember);
}

bool retrograd::dropAdjustment(CallBase &Call, RuntimeLibrary &Runtime) {
  GEPOperator *Object = adjustedObject(Call);
  if (!Object)
    return false;
  IRBuilder<> B(&Call);
  Value *Adjusted = B.CreateIsNotNull(Object->idx_begin()->get());
  B.SetInsertPoint(SplitBlockAndInsertIfThen(Adjusted, Call.getIterator(),
                                             /*Unreachable=*/true));
  endProgram(B, Call, Runtime);
  Call.setArgOperand(indexOfThis(Call), Object->getPointerOperand());
  return true;
}
