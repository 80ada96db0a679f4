//===- LaneLayout.cpp - where the lanes of one number lie -----------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan/LaneLayout.h"
#include "Analysis/ActivityAnalysis.h"
#include "Catalogue/Catalogue.h"
#include "Rules/Transfer.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace retrograd;

LaneLayout::LaneLayout(const ProgramFacts &Facts,
                       ArrayRef<Function *> Functions)
    : Facts(Facts) {
  Separate = Facts.visible();
  // One decision can undo another: to a fixpoint, which few rounds reach.
  for (unsigned Before = ~0u; Before != Separate.count();) {
    Before = Separate.count();
    for (Function *F : Functions)
      for (Instruction &I : instructions(*F))
        visit(I);
  }
}

bool LaneLayout::isSideBySide(const Value *P) const {
  if (!P->getType()->isPointerTy() || isa<Constant>(P))
    return false;
  TypeAnalysis::ObjectId O = Facts.types().objectOf(P);
  return O != TypeAnalysis::NoObject && !Separate.test(O);
}

void LaneLayout::separate(const Value *P) {
  if (!P->getType()->isPtrOrPtrVectorTy())
    return;
  if (TypeAnalysis::ObjectId O = Facts.types().objectOf(P);
      O != TypeAnalysis::NoObject)
    Separate.set(O);
}

/// P and Q are the same pointer, or take turns.
void LaneLayout::together(const Value *P, const Value *Q) {
  // Null is the same in both.
  if (!P->getType()->isPointerTy() || isa<ConstantPointerNull>(P) ||
      isa<UndefValue>(P) || isa<ConstantPointerNull>(Q) || isa<UndefValue>(Q) ||
      isSideBySide(P) == isSideBySide(Q))
    return;
  separate(P);
  separate(Q);
}

/// A number (or pointer, or integer) of type T that is V, or comes from memory,
/// at P.
void LaneLayout::visitAccess(const Value *P, const Value *V, const Type *T) {
  if (T->isFPOrFPVectorTy() || T->isPointerTy())
    return;
  const ValueShape &S = Facts.shape(V);
  bool Plain = S.Floats.empty() && !S.HasPointer && !S.HasUnknown &&
               T->isIntOrIntVectorTy();
  bool IsOneNumber = T->isIntegerTy() && S.Floats.size() == 1 &&
                     !S.HasPointer && !S.HasUnknown &&
                     S.Floats[0].Size * 8 == T->getIntegerBitWidth();
  if (!Plain && !IsOneNumber)
    separate(P);
}

static bool isTransfer(const CallBase &C, const Catalogue &Cat) {
  if (isa<AnyMemIntrinsic>(C))
    return true;
  const OperationRecord *R = Cat.lookup(C);
  return R && (R->Handler == HandlerKind::MemCpy ||
               R->Handler == HandlerKind::MemMove ||
               R->Handler == HandlerKind::MemSet);
}

void LaneLayout::visitCall(const CallBase &C) {
  auto SeparateAll = [&] {
    separate(&C);
    for (const Value *A : C.args())
      separate(A);
  };
  const OperationRecord *R = Facts.catalogue().lookup(C);
  if (R)
    switch (R->Class) {
    case RuleClass::Formula:
    case RuleClass::Inactive:
      return separate(&C);
    case RuleClass::Allocation:
      return R->ShadowBehind || R->SizeArgs.empty() ? SeparateAll() : void();
    case RuleClass::Deallocation:
      return;
    case RuleClass::Handler:
      if (R->Handler == HandlerKind::Ignore)
        return;
      break;
    default:
      return SeparateAll();
    }
  if (isTransfer(C, Facts.catalogue())) {
    Transfer T = transferOf(C, Facts.catalogue());
    if (T.Source)
      together(T.Dest, T.Source);
    if (!C.getType()->isVoidTy())
      together(&C, T.Dest);
    return;
  }
  Function *Callee = directCallee(C),
           *Prepared = Callee ? Facts.preparedOf(Callee) : nullptr;
  if (R || !Prepared || Prepared->arg_size() != C.arg_size())
    return SeparateAll();
  for (auto [Formal, Actual] : zip(Prepared->args(), C.args()))
    together(&Formal, Actual.get());
  for (const BasicBlock &B : *Prepared)
    if (auto *Ret = dyn_cast<ReturnInst>(B.getTerminator());
        Ret && Ret->getReturnValue())
      together(&C, Ret->getReturnValue());
}

void LaneLayout::visit(const Instruction &I) {
  if (const auto *C = dyn_cast<CallBase>(&I))
    return visitCall(*C);
  if (const auto *L = dyn_cast<LoadInst>(&I))
    return visitAccess(L->getPointerOperand(), L, L->getType());
  if (const auto *S = dyn_cast<StoreInst>(&I)) {
    const Value *V = S->getValueOperand();
    if (!isa<Constant>(V) || V->getType()->isAggregateType())
      visitAccess(S->getPointerOperand(), V, V->getType());
    return;
  }
  if (isa<AllocaInst>(I))
    return;
  if (isa<GetElementPtrInst>(I))
    return together(&I, I.getOperand(0));
  if (isa<PHINode>(I) || isa<SelectInst>(I) || isa<FreezeInst>(I)) {
    for (const Use &U : I.operands())
      if (U->getType() == I.getType())
        together(&I, U.get());
    return;
  }
  if (I.isAtomic() || I.getType()->isPtrOrPtrVectorTy()) {
    separate(&I);
    for (const Use &U : I.operands())
      separate(U.get());
  }
}

bool LaneLayout::conflicts(const Function &F,
                           const ActivityAnalysis &Activity) const {
  auto Asks = [&](const Value *P) {
    return isSideBySide(P) && Activity.hasShadow(P) && Activity.isMixed(P);
  };
  for (const Instruction &I : instructions(F)) {
    if (const Value *P = getLoadStorePointerOperand(&I))
      if (Asks(P))
        return true;
    const auto *C = dyn_cast<CallBase>(&I);
    if (!C || !(isa<AnyMemIntrinsic>(C) || Facts.catalogue().lookup(I)))
      continue;
    if (any_of(C->args(), [&](const Value *A) {
          return A->getType()->isPointerTy() && Asks(A);
        }))
      return true;
    if (!isTransfer(*C, Facts.catalogue()))
      continue;
    Transfer T = transferOf(*C, Facts.catalogue());
    if (!T.Source || !isSideBySide(T.Dest) || !Activity.hasShadow(T.Dest) ||
        Activity.hasShadow(T.Source))
      continue;
    TransferShape S = transferShape(I, T.Dest, T.Source, T.Length, Facts);
    if (any_of(S.Leaves, [](const TypedLeaf &L) {
          return L.Kind.K == ByteKind::Pointer;
        }))
      return true;
  }
  return false;
}
