//===- ZeroShares.cpp - adjoints that are known to be zero ----------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Polish/ZeroShares.h"
#include "Support/ShareMarks.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace retrograd;

#define DEBUG_TYPE "retrograd-zero-shares"
STATISTIC(NumFolded, "operations on adjoints that are zero, folded");
STATISTIC(NumDropped, "additions of zero to adjoints in memory, dropped");

bool retrograd::isShare(const Instruction &I) {
  const MDNode *Marks = I.getMetadata(LLVMContext::MD_annotation);
  return Marks && any_of(Marks->operands(), [](const MDOperand &Mark) {
           const auto *Text = dyn_cast<MDString>(Mark.get());
           return Text && Text->getString() == ShareMark;
         });
}

void retrograd::markAdditions(Module &M) {
  for (Function &F : M)
    if (F.getName().starts_with("rg_accumulate_"))
      for (Instruction &I : instructions(F))
        if (auto *Add = dyn_cast<AtomicRMWInst>(&I);
            Add && Add->getOperation() == AtomicRMWInst::FAdd)
          Add->addAnnotationMetadata(ShareMark);
}

void retrograd::dropShareMarks(Function &F) {
  for (Instruction &I : instructions(F)) {
    if (!isShare(I))
      continue;
    SmallVector<Metadata *, 2> Others;
    for (const MDOperand &Mark :
         I.getMetadata(LLVMContext::MD_annotation)->operands())
      if (const auto *Text = dyn_cast<MDString>(Mark.get());
          !Text || Text->getString() != ShareMark)
        Others.push_back(Mark.get());
    I.setMetadata(LLVMContext::MD_annotation,
                  Others.empty() ? nullptr
                                 : MDNode::get(F.getContext(), Others));
  }
}

/// What marked arithmetic on a zero comes to: zero, the other summand, or null.
/// Which factor of a product is the adjoint cannot be told any more; a partial
/// that is 0 wherever it is computed makes the share 0, too.
static Value *foldedShare(Instruction &I) {
  Constant *Zero = Constant::getNullValue(I.getType());
  auto IsZero = [&](unsigned N) {
    return match(I.getOperand(N), m_AnyZeroFP());
  };
  switch (I.getOpcode()) {
  case Instruction::FMul:
    return IsZero(0) || IsZero(1) ? Zero : nullptr;
  case Instruction::FDiv:
  case Instruction::FNeg:
    return IsZero(0) ? Zero : nullptr;
  case Instruction::FAdd:
    return IsZero(1) ? I.getOperand(0) : IsZero(0) ? I.getOperand(1) : nullptr;
  case Instruction::FSub:
    return IsZero(1) ? I.getOperand(0) : nullptr;
  default:
    return nullptr;
  }
}

bool retrograd::foldZeroShares(Function &F) {
  SetVector<Instruction *> Work;
  for (Instruction &I : instructions(F))
    if (isShare(I))
      Work.insert(&I);
  const SimplifyQuery Query(F.getDataLayout());
  SmallVector<WeakTrackingVH, 16> Dead;
  while (!Work.empty()) {
    Instruction *I = Work.pop_back_val();
    if (I->use_empty())
      continue;
    Value *X = isShare(*I) ? foldedShare(*I) : nullptr;
    if (!X && !isa<CallBase>(I))
      X = simplifyInstruction(I, Query.getWithInstruction(I));
    if (!X || X == I)
      continue;
    for (User *U : I->users())
      if (auto *Next = dyn_cast<Instruction>(U); Next && Next != I)
        Work.insert(Next);
    I->replaceAllUsesWith(X);
    Dead.push_back(I);
    ++NumFolded;
  }
  const bool Folded = !Dead.empty();
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(Dead);
  bool Dropped = false;
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (auto *Add = dyn_cast<AtomicRMWInst>(&I);
        Add && Add->use_empty() && isShare(I) &&
        match(Add->getValOperand(), m_AnyZeroFP())) {
      Add->eraseFromParent();
      Dropped = true;
      ++NumDropped;
    }
  return Folded || Dropped;
}
