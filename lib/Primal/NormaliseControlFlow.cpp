//===- NormaliseControlFlow.cpp - one form of control flow ----------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Primal/NormaliseControlFlow.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/Transforms/Scalar/ScalarizeMaskedMemIntrin.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/BreakCriticalEdges.h"
#include "llvm/Transforms/Utils/FixIrreducible.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LowerSwitch.h"

using namespace llvm;
using namespace retrograd;

/// Each invoke has a landing pad of its own, which is then the only place on
/// its way out of a loop, say.
static void splitLandingPads(Function &F) {
  SmallVector<BasicBlock *, 8> Pads;
  for (BasicBlock &B : F)
    if (B.isLandingPad())
      Pads.push_back(&B);
  for (BasicBlock *Pad : Pads)
    while (!Pad->getSinglePredecessor()) {
      SmallVector<BasicBlock *, 2> New;
      SplitLandingPadPredecessors(Pad, {*pred_begin(Pad)}, ".own", ".rest",
                                  New);
      if (New.size() < 2)
        break;
      Pad = New[1];
    }
}

static void joinReturns(Function &F) {
  SmallVector<ReturnInst *, 4> Returns;
  for (BasicBlock &BB : F)
    if (auto *R = dyn_cast<ReturnInst>(BB.getTerminator()))
      Returns.push_back(R);
  if (Returns.size() < 2)
    return;
  BasicBlock *Exit = BasicBlock::Create(F.getContext(), "return", &F);
  PHINode *Result = nullptr;
  if (!F.getReturnType()->isVoidTy())
    Result = PHINode::Create(F.getReturnType(), Returns.size(), "result", Exit);
  ReturnInst *Joined = ReturnInst::Create(F.getContext(), Result, Exit);
  DebugLoc Where = Returns.front()->getDebugLoc();
  for (ReturnInst *R : Returns) {
    if (Result)
      Result->addIncoming(R->getReturnValue(), R->getParent());
    BranchInst *Br = BranchInst::Create(Exit, R->getIterator());
    Br->setDebugLoc(R->getDebugLoc());
    Where = DebugLoc::getMergedLocation(Where, R->getDebugLoc());
    R->eraseFromParent();
  }
  Joined->setDebugLoc(Where);
}

/// FixIrreducible redirects branches; it does not know other terminators. Where
/// a block of the cycle branches to two of its entries, LLVM 22 redirects one
/// edge and takes both entries' phis for redirected: critical edges are split
/// first.
static bool makeReducible(Function &F, FunctionAnalysisManager &FAM) {
  auto IsIrreducible = [&] {
    ReversePostOrderTraversal<Function *> RPOT(&F);
    return containsIrreducibleCFG<BasicBlock *>(RPOT,
                                                FAM.getResult<LoopAnalysis>(F));
  };
  if (!IsIrreducible())
    return false;
  for (BasicBlock &BB : F)
    if (isa<IndirectBrInst, CallBrInst>(BB.getTerminator()))
      return false; // stays as it is, and is refused later
  FunctionPassManager Fix;
  Fix.addPass(LowerSwitchPass());
  Fix.addPass(BreakCriticalEdgesPass());
  Fix.addPass(FixIrreduciblePass());
  FAM.invalidate(F, Fix.run(F, FAM));
  return true;
}

/// Funnel shifts by whole bytes move floats that lie side by side in an
/// integer; shifts and an or say so to everybody else.
static void spellOutByteRotations(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *II = dyn_cast<IntrinsicInst>(&I);
    if (!II || (II->getIntrinsicID() != Intrinsic::fshl &&
                II->getIntrinsicID() != Intrinsic::fshr))
      continue;
    auto *By = dyn_cast<ConstantInt>(II->getArgOperand(2));
    unsigned Width = II->getType()->getScalarSizeInBits();
    unsigned Bits = By ? By->getValue().urem(Width) : 0;
    if (Bits == 0 || Bits % 8 || Width % 8)
      continue;
    unsigned Left =
        II->getIntrinsicID() == Intrinsic::fshl ? Bits : Width - Bits;
    IRBuilder<> B(II);
    II->replaceAllUsesWith(
        B.CreateOr(B.CreateShl(II->getArgOperand(0), Left),
                   B.CreateLShr(II->getArgOperand(1), Width - Left)));
    II->eraseFromParent();
  }
}

/// Masked loads and stores, gathers and scatters become branches around
/// accesses of one element each, as on a target that has none of them.
static void spellOutMaskedAccesses(Function &F, FunctionAnalysisManager &FAM) {
  FunctionAnalysisManager AnyTarget;
  AnyTarget.registerPass([] { return PassInstrumentationAnalysis(); });
  AnyTarget.registerPass([] { return TargetIRAnalysis(); });
  AnyTarget.registerPass([] { return DominatorTreeAnalysis(); });
  if (!ScalarizeMaskedMemIntrinPass().run(F, AnyTarget).areAllPreserved())
    FAM.invalidate(F, PreservedAnalyses::none());
}

void retrograd::normaliseControlFlow(Function &F,
                                     FunctionAnalysisManager &FAM) {
  spellOutByteRotations(F);
  spellOutMaskedAccesses(F, FAM);
  if (removeUnreachableBlocks(F))
    FAM.invalidate(F, PreservedAnalyses::none());
  makeReducible(F, FAM);
  joinReturns(F);
  splitLandingPads(F);
  FAM.invalidate(F, PreservedAnalyses::none());
  // What an invoke defines needs a place of its own to be worked with.
  for (BasicBlock &B : make_early_inc_range(F))
    if (auto *Inv = dyn_cast<InvokeInst>(B.getTerminator());
        Inv && !Inv->getNormalDest()->getSinglePredecessor())
      SplitEdge(&B, Inv->getNormalDest());
  FunctionPassManager Loops;
  Loops.addPass(LoopSimplifyPass());
  // A value used behind its loop is that of the last iteration: by a phi there
  // it becomes one of the scope around, and needs no iteration to be named.
  Loops.addPass(LCSSAPass());
  FAM.invalidate(F, Loops.run(F, FAM));
}
