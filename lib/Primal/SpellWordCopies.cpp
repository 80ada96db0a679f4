//===- SpellWordCopies.cpp - words that are only copied -------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Primal/SpellWordCopies.h"
#include "Catalogue/AccessTags.h"
#include "Support/SourceFact.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

void retrograd::spellWordCopies(Function &F, bool Untyped) {
  // Such a program may keep a number in the place of a pointer; what the word
  // is, the running program tells.
  const bool Puns = hasFact(*F.getParent(), SourceFact::CopiesBits);
  for (BasicBlock &BB : F)
    for (Instruction &I : make_early_inc_range(BB)) {
      auto *Store = dyn_cast<StoreInst>(&I);
      auto *Load =
          Store ? dyn_cast<LoadInst>(Store->getValueOperand()) : nullptr;
      if (!Load || !Load->getType()->isIntegerTy(64) || !Load->hasOneUse() ||
          !Load->isSimple() || !Store->isSimple())
        continue;
      Type *T = taggedType(*Load);
      if (T != taggedType(*Store))
        continue;
      IRBuilder<> B(Load);
      if (T->isDoubleTy() || (T->isPointerTy() && !Puns)) {
        auto *Typed =
            B.CreateAlignedLoad(T, Load->getPointerOperand(), Load->getAlign());
        Typed->copyMetadata(*Load, {LLVMContext::MD_tbaa, LLVMContext::MD_dbg,
                                    LLVMContext::MD_alias_scope,
                                    LLVMContext::MD_noalias});
        Store->setOperand(0, Typed);
        Load->eraseFromParent();
        continue;
      }
      if (!(T->isPointerTy() || (Untyped && T->isVoidTy())) ||
          Load->getParent() != &BB ||
          any_of(
              make_range(std::next(Load->getIterator()), Store->getIterator()),
              [](const Instruction &Between) {
                return Between.mayWriteToMemory();
              }))
        continue;
      B.SetInsertPoint(Store);
      B.CreateMemCpy(Store->getPointerOperand(), Store->getAlign(),
                     Load->getPointerOperand(), Load->getAlign(), 8);
      Store->eraseFromParent();
      Load->eraseFromParent();
    }
}
