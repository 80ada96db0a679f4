//===- DropMarkers.cpp - markers have served ------------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Primal/DropMarkers.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace retrograd;

/// A scope that is declared in a loop is a new one in each iteration. Passes
/// know by the declaration, which has to go; so its facts go with it.
static void dropScopesOfLoops(Function &F, FunctionAnalysisManager &FAM) {
  SmallVector<NoAliasScopeDeclInst *, 8> Declarations;
  for (Instruction &I : instructions(F))
    if (auto *D = dyn_cast<NoAliasScopeDeclInst>(&I))
      Declarations.push_back(D);
  if (Declarations.empty())
    return;
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  SmallPtrSet<const Metadata *, 8> Unsafe;
  for (NoAliasScopeDeclInst *D : Declarations) {
    if (LI.getLoopFor(D->getParent()))
      for (const MDOperand &Scope : D->getScopeList()->operands())
        Unsafe.insert(Scope.get());
    D->eraseFromParent();
  }
  if (Unsafe.empty())
    return;
  for (Instruction &I : instructions(F))
    for (unsigned Kind : {LLVMContext::MD_alias_scope, LLVMContext::MD_noalias})
      if (MDNode *Scopes = I.getMetadata(Kind))
        if (any_of(Scopes->operands(), [&](const MDOperand &Scope) {
              return Unsafe.contains(Scope.get());
            }))
          I.setMetadata(Kind, nullptr);
}

void retrograd::dropMarkers(Function &F, FunctionAnalysisManager &FAM) {
  dropScopesOfLoops(F, FAM);
  SmallVector<WeakTrackingVH, 16> Dead;
  for (Instruction &I : instructions(F)) {
    if (auto *Call = dyn_cast<CallInst>(&I))
      Call->setTailCallKind(CallInst::TCK_None);
    auto *II = dyn_cast<IntrinsicInst>(&I);
    if (!II)
      continue;
    switch (II->getIntrinsicID()) {
    case Intrinsic::threadlocal_address: // one thread runs both sweeps
    case Intrinsic::launder_invariant_group:
    case Intrinsic::strip_invariant_group:
      II->replaceAllUsesWith(II->getArgOperand(0));
      Dead.push_back(II);
      break;
    case Intrinsic::invariant_end:
    case Intrinsic::lifetime_start:
    case Intrinsic::lifetime_end:
    case Intrinsic::assume:
    case Intrinsic::sideeffect:
    case Intrinsic::pseudoprobe:
    case Intrinsic::donothing:
      Dead.push_back(II);
      break;
    case Intrinsic::invariant_start:
      II->replaceAllUsesWith(PoisonValue::get(II->getType()));
      Dead.push_back(II);
      break;
    case Intrinsic::ssa_copy:
    case Intrinsic::expect:
    case Intrinsic::expect_with_probability:
      II->replaceAllUsesWith(II->getArgOperand(0));
      Dead.push_back(II);
      break;
    default:
      break;
    }
  }
  if (Dead.empty())
    return;
  SmallVector<WeakTrackingVH, 16> Operands;
  for (WeakTrackingVH &V : Dead) {
    auto *I = cast<Instruction>(V);
    for (Value *Operand : I->operands())
      if (isa<Instruction>(Operand))
        Operands.push_back(Operand);
    I->eraseFromParent();
  }
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(Operands);
  PreservedAnalyses PA = PreservedAnalyses::none();
  PA.preserveSet<CFGAnalyses>();
  FAM.invalidate(F, PA);
}
