//===- SpellBitsInAtomics.cpp - numbers in atomic operations --------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Primal/SpellBitsInAtomics.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace retrograd;

/// Numbers of type T are read or written, or at least laid out, where P leads
/// to.
static bool leadsToNumbers(const Value *P, Type *T) {
  if (const auto *G = dyn_cast<GEPOperator>(P);
      G && G->getSourceElementType() == T)
    return true;
  return any_of(P->users(), [&](const User *U) {
    return getLoadStorePointerOperand(U) == P &&
           getLoadStoreType(const_cast<User *>(U)) == T;
  });
}

void retrograd::spellBitsInAtomics(Function &F) {
  SmallSetVector<LoadInst *, 4> Loads;
  for (Instruction &I : instructions(F))
    if (auto *M = dyn_cast<AtomicRMWInst>(&I))
      if (auto *Load = dyn_cast<LoadInst>(M->getValOperand());
          Load && Load->isSimple() && Load->getType()->isIntegerTy())
        Loads.insert(Load);
  for (LoadInst *Load : Loads) {
    const unsigned Bits = Load->getType()->getIntegerBitWidth();
    Type *T = Bits == 32   ? Type::getFloatTy(F.getContext())
              : Bits == 64 ? Type::getDoubleTy(F.getContext())
                           : nullptr;
    if (!T || !leadsToNumbers(Load->getPointerOperand(), T))
      continue;
    IRBuilder<> B(Load);
    auto *Number =
        B.CreateAlignedLoad(T, Load->getPointerOperand(), Load->getAlign());
    Number->copyMetadata(*Load,
                         {LLVMContext::MD_dbg, LLVMContext::MD_alias_scope,
                          LLVMContext::MD_noalias});
    Load->replaceAllUsesWith(B.CreateBitCast(Number, Load->getType()));
    Load->eraseFromParent();
  }
}
