//===- TypeQuestions.cpp - whom to ask about types once more --------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan/TypeQuestions.h"
#include "Catalogue/Catalogue.h"
#include "Rules/Transfer.h"
#include "Support/SourceFact.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace retrograd;

/// A copy of memory: an intrinsic, or a library's routine for it.
static bool copiesBytes(const CallBase &C, const Catalogue &Cat) {
  const OperationRecord *R = Cat.lookup(C);
  return isa<AnyMemTransferInst>(C) ||
         (R && (R->Handler == HandlerKind::MemCpy ||
                R->Handler == HandlerKind::MemMove));
}

static bool callersMayKnow(const Instruction &I, const ActivityAnalysis &A) {
  const ProgramFacts &Facts = A.facts();
  if (const auto *S = dyn_cast<StoreInst>(&I))
    return A.isUsefulMemory(S->getPointerOperand()) &&
           Facts.types().isBareMove(I);
  const auto *C = dyn_cast<CallBase>(&I);
  if (!C || hasFact(I, SourceFact::Layout) ||
      I.hasMetadata(LLVMContext::MD_tbaa_struct))
    return false;
  if (!copiesBytes(*C, Facts.catalogue()))
    return false;
  Transfer T = transferOf(*C, Facts.catalogue());
  auto Visible = [&](const Value *P) {
    TypeAnalysis::ObjectId O = Facts.types().objectOf(P);
    return O != TypeAnalysis::NoObject && Facts.visible().test(O);
  };
  if (!A.isUsefulMemory(T.Dest) || !A.isVariedMemory(T.Source) ||
      !(Visible(T.Dest) || Visible(T.Source)))
    return false;
  TransferShape Shape = transferShape(I, T.Dest, T.Source, T.Length, Facts);
  return any_of(Shape.Leaves, [](const TypedLeaf &L) {
    return L.Kind.K == ByteKind::Integer && L.Size >= 4;
  });
}

static bool isContestedMove(const Instruction &I, const ActivityAnalysis &A) {
  const ProgramFacts &Facts = A.facts();
  constexpr unsigned Smallest = 4; // bytes: half of a double
  auto Contested = [&](const Value *P, ArrayRef<TypedLeaf> Leaves) {
    return P && any_of(Leaves, [&](const TypedLeaf &L) {
             return L.Kind.K != ByteKind::Unknown && L.Size >= Smallest &&
                    Facts.types().isContested(P, L.Offset, L.Size);
           });
  };
  if (const Value *P = getLoadStorePointerOperand(&I)) {
    Type *T = getLoadStoreType(&I);
    if (!T->isIntOrIntVectorTy() || TypeAnalysis::isDeclaredInteger(I))
      return false;
    auto Carries = [](const User *U) {
      return isa<StoreInst, InsertValueInst, ReturnInst, PHINode, SelectInst>(
          U);
    };
    bool Moves = isa<StoreInst>(I)
                     ? !isa<Constant>(I.getOperand(0)) && A.isUsefulMemory(P)
                     : all_of(I.users(), Carries) && A.isVariedMemory(P);
    return Moves &&
           Contested(P, Facts.types().leavesOfAccess(
                            &I, P, I.getDataLayout().getTypeStoreSize(T)));
  }
  const auto *C = dyn_cast<CallBase>(&I);
  if (!C)
    return false;
  if (!copiesBytes(*C, Facts.catalogue()))
    return false;
  Transfer T = transferOf(*C, Facts.catalogue());
  if (!A.isUsefulMemory(T.Dest) || !T.Source || !A.isVariedMemory(T.Source))
    return false;
  TransferShape Shape = transferShape(I, T.Dest, T.Source, T.Length, Facts);
  const SmallVector<TypedLeaf, 4> Declared = Facts.types().declaredBy(I);
  llvm::erase_if(Shape.Leaves, [&](const TypedLeaf &L) {
    return !Shape.Period && TypeAnalysis::covers(Declared, L);
  });
  return Contested(T.Dest, Shape.Leaves) || Contested(T.Source, Shape.Leaves);
}

bool retrograd::isContestedArgument(const Argument &A,
                                    const TypeAnalysis &Types) {
  if (!A.getType()->isIntOrIntVectorTy())
    return false;
  SmallVector<TypedLeaf, 8> Floats, Integers;
  for (const User *U : A.getParent()->users()) {
    const auto *C = dyn_cast<CallBase>(U);
    if (!C || C->getCalledFunction() != A.getParent() ||
        A.getArgNo() >= C->arg_size() || !Types.analysed(*C->getFunction()))
      continue;
    const Value *V = C->getArgOperand(A.getArgNo());
    // What one call passes, the operands of the others seem to be as well: the
    // memory that they were read from knows better.
    const auto *Read = dyn_cast<LoadInst>(V);
    for (const TypedLeaf &L :
         Read ? Types.leavesAt(Read->getPointerOperand(),
                               A.getParent()->getDataLayout().getTypeStoreSize(
                                   V->getType()))
              : Types.leavesOf(V))
      if (L.Kind.K == ByteKind::Float)
        Floats.push_back(L);
      else if (L.Kind.K == ByteKind::Integer && !isa<Constant>(V))
        Integers.push_back(L);
  }
  return any_of(Floats, [&](const TypedLeaf &F) {
    return any_of(Integers, [&](const TypedLeaf &L) {
      return L.Offset < F.Offset + F.Size && F.Offset < L.Offset + L.Size;
    });
  });
}

static bool isKnownByIndex(const Instruction &I, const ActivityAnalysis &A) {
  constexpr uint64_t Largest = 1024; // bytes
  const auto *C = dyn_cast<AnyMemTransferInst>(&I);
  const auto *Length = C ? dyn_cast<ConstantInt>(C->getLength()) : nullptr;
  return Length && Length->getZExtValue() <= Largest &&
         !hasFact(I, SourceFact::Layout) &&
         !I.hasMetadata(LLVMContext::MD_tbaa_struct) &&
         A.isUsefulMemory(C->getRawDest()) &&
         A.isVariedMemory(C->getRawSource()) &&
         A.facts().types().knowsByIndexOnly(C->getRawDest(),
                                            Length->getZExtValue());
}

bool retrograd::callersMayKnow(const Function &F, const ActivityAnalysis &A) {
  return any_of(instructions(F),
                [&](const Instruction &I) { return ::callersMayKnow(I, A); });
}

bool retrograd::isKnownByIndex(const Function &F, const ActivityAnalysis &A) {
  return any_of(instructions(F),
                [&](const Instruction &I) { return ::isKnownByIndex(I, A); });
}

bool retrograd::movesContested(const Function &F, const ActivityAnalysis &A) {
  return any_of(instructions(F),
                [&](const Instruction &I) { return isContestedMove(I, A); });
}
