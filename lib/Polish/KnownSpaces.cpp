//===- KnownSpaces.cpp - what kernels' pointers lead to -------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Polish/KnownSpaces.h"
#include "Target/Target.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;
using namespace retrograd;

bool retrograd::leadsToGlobal(const Value &P, const Target &Machine) {
  if (Machine.spaceOf(P) == MemorySpace::Global)
    return true;
  auto IsGiven = [](const Value *V, bool InStruct) {
    const auto *A = dyn_cast<Argument>(V);
    return A && A->getParent()->getCallingConv() == CallingConv::PTX_Kernel &&
           A->hasByValAttr() == InStruct;
  };
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(&P, Objects, nullptr, /*MaxLookup=*/0);
  return all_of(Objects, [&](const Value *O) {
    if (const auto *L = dyn_cast<LoadInst>(O))
      return IsGiven(
          getUnderlyingObject(L->getPointerOperand(), /*MaxLookup=*/0), true);
    return IsGiven(O, false) || Machine.spaceOf(*O) == MemorySpace::Global;
  });
}

/// P leads to a thread's own memory.
static bool leadsToLocal(const Value &P) {
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(&P, Objects, nullptr, /*MaxLookup=*/0);
  return all_of(Objects, [](const Value *O) { return isa<AllocaInst>(O); });
}

void retrograd::foldKnownSpaces(Function &F) {
  const Target Machine(*F.getParent());
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Ask = dyn_cast<IntrinsicInst>(&I);
    if (!Ask)
      continue;
    switch (Ask->getIntrinsicID()) {
    case Intrinsic::nvvm_isspacep_const:
    case Intrinsic::nvvm_isspacep_global:
    case Intrinsic::nvvm_isspacep_local:
    case Intrinsic::nvvm_isspacep_shared:
      break;
    default:
      continue;
    }
    const Value &P = *Ask->getArgOperand(0);
    Intrinsic::ID Answer = Intrinsic::not_intrinsic;
    if (leadsToGlobal(P, Machine))
      Answer = Intrinsic::nvvm_isspacep_global;
    else if (leadsToLocal(P))
      Answer = Intrinsic::nvvm_isspacep_local;
    else
      continue;
    Ask->replaceAllUsesWith(
        ConstantInt::getBool(F.getContext(), Ask->getIntrinsicID() == Answer));
    Ask->eraseFromParent();
  }
}
