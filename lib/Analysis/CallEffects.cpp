//===- CallEffects.cpp - what an instruction does to memory ---------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/CallEffects.h"
#include "Analysis/ProgramFacts.h"
#include "Catalogue/Catalogue.h"
#include "Catalogue/LibraryNames.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace retrograd;

bool retrograd::isUnknownCall(
    const Instruction &I, const Catalogue &Cat,
    function_ref<Function *(const Function *)> PreparedOf) {
  const auto *C = dyn_cast<CallBase>(&I);
  if (const OperationRecord *R = C ? Cat.lookup(I) : nullptr;
      R && R->hasUnknownEffects())
    return !C->onlyAccessesArgMemory();
  return C && !Cat.lookup(I) && !isa<IntrinsicInst>(I) &&
         !(directCallee(*C) && PreparedOf(directCallee(*C)));
}

bool retrograd::callsBack(const Instruction &I, const Catalogue &Cat) {
  const OperationRecord *R = isa<CallBase>(I) ? Cat.lookup(I) : nullptr;
  return R && R->CallsBack;
}

void retrograd::visitAccesses(
    const Instruction &I, const Catalogue &Cat,
    function_ref<void(const Value *, bool, bool)> Visit) {
  if (const auto *L = dyn_cast<LoadInst>(&I))
    return Visit(L->getPointerOperand(), true, false);
  if (const auto *S = dyn_cast<StoreInst>(&I))
    return Visit(S->getPointerOperand(), false, true);
  if (const auto *A = dyn_cast<AtomicRMWInst>(&I))
    return Visit(A->getPointerOperand(), true, true);
  if (const auto *A = dyn_cast<AtomicCmpXchgInst>(&I))
    return Visit(A->getPointerOperand(), true, true);
  if (const auto *M = dyn_cast<AnyMemTransferInst>(&I)) {
    Visit(M->getRawDest(), false, true);
    return Visit(M->getRawSource(), true, false);
  }
  if (const auto *M = dyn_cast<AnyMemSetInst>(&I))
    return Visit(M->getRawDest(), false, true);
  if (const auto *C = dyn_cast<CallBase>(&I)) {
    // A catalogued operation touches at most what its pointer operands name.
    const OperationRecord *R = Cat.lookup(I);
    if (R &&
        (R->Class == RuleClass::Handler || R->Class == RuleClass::Inactive) &&
        !R->leavesMemoryAlone())
      for (const auto &[N, A] : enumerate(C->args()))
        if (A->getType()->isPointerTy())
          Visit(A, true, writesBehind(*C, N, *R));
    // Freed memory holds its bytes no longer: the end of a life is a write.
    if (R && R->Class == RuleClass::Deallocation)
      Visit(C->getArgOperand(R->FreedArg), false, true);
    if (!R && isa<IntrinsicInst>(C) && C->mayReadOrWriteMemory())
      for (const auto &[N, A] : enumerate(C->args()))
        if (A->getType()->isPointerTy())
          Visit(A, true, !C->onlyReadsMemory() && !C->onlyReadsMemory(N));
  }
}

/// A stream that the library made, not one over memory of the program's
/// (fmemopen).
static bool isOfLibrary(const Value *Stream) {
  const Value *From = getUnderlyingObject(Stream, /*MaxLookup=*/0);
  if (const auto *L = dyn_cast<LoadInst>(From)) {
    const auto *G = dyn_cast<GlobalVariable>(L->getPointerOperand());
    return G && G->isDeclaration() && isLibraryStream(G->getName());
  }
  return false;
}

bool retrograd::writesBehind(const CallBase &C, unsigned N,
                             const OperationRecord &R) {
  const Value *P = C.getArgOperand(N);
  if (!P->getType()->isPointerTy() || C.onlyReadsMemory(N))
    return false;
  if (const auto *G =
          dyn_cast<GlobalVariable>(getUnderlyingObject(P, /*MaxLookup=*/0));
      G && G->isConstant())
    return false;
  return int(N) != R.StreamArg || !isOfLibrary(P);
}

bool retrograd::followsPointers(const CallBase &C, const Catalogue &Cat) {
  const OperationRecord *R = Cat.lookup(C);
  return R && R->Class == RuleClass::Inactive && !R->OneStep && !R->Pure &&
         !C.onlyReadsMemory();
}
