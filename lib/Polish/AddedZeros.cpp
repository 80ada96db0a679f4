//===- AddedZeros.cpp - adjoints to which zero is added -------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reverse of y += x takes the adjoint of y, clears it, and adds it again.
// When loads and stores have been simplified, what is left is y' = y' + 0: LLVM
// keeps that, since -0 + 0 is 0. In the memory of adjoints the sign of a zero
// tells nothing: sums there begin with 0, and become -0 only if a user's seed
// is. So the number that was read is what is written, and neither is needed.
//
//===----------------------------------------------------------------------===//

#include "Polish/AddedZeros.h"
#include "Emit/AccessKinds.h"
#include "Polish/PolishSteps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"

using namespace llvm;
using namespace retrograd;
using namespace llvm::PatternMatch;

bool retrograd::isAdjoint(const Instruction &I) {
  const MDNode *Scopes = I.getMetadata(LLVMContext::MD_alias_scope);
  return Scopes && any_of(Scopes->operands(), [](const MDOperand &Scope) {
           const auto *Node = dyn_cast<MDNode>(Scope);
           if (!Node || Node->getNumOperands() < 3)
             return false;
           const auto *Name = dyn_cast<MDString>(Node->getOperand(2));
           return Name && Name->getString() == AccessKinds::ShadowScope;
         });
}

bool retrograd::readsAdjoint(const Value &V) {
  const auto *Load = dyn_cast<LoadInst>(&V);
  return Load && isAdjoint(*Load);
}

/// In a finished derivative. True if it was changed.
bool retrograd::dropAddedZeros(Function &Derivative,
                               FunctionAnalysisManager &FAM) {
  bool Changed = false;
  for (Instruction &I : make_early_inc_range(instructions(Derivative))) {
    Value *X = nullptr;
    if (!I.getType()->isFPOrFPVectorTy() ||
        I.getOpcode() != Instruction::FAdd || !I.hasAllowReassoc() ||
        !match(&I, m_c_FAdd(m_Value(X), m_PosZeroFP())) || !readsAdjoint(*X))
      continue;
    I.replaceAllUsesWith(X);
    I.eraseFromParent();
    Changed = true;
  }
  if (Changed) { // stores of what was just loaded
    FAM.invalidate(Derivative, PreservedAnalyses::none());
    FunctionPassManager Tidy;
    Tidy.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
    FAM.invalidate(Derivative, Tidy.run(Derivative, FAM));
  }
  return Changed;
}
