//===- LateFrames.cpp - frames of calls that keep something ---------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   tape = alloc(16);                     if (n == 1)
//   if (n == 1)                             return {null, ...};
//     return {tape, ...};           =>    tape = alloc(16);
//   tape->left = left.aug(n / 2);         tape->left = left.aug(n / 2);
//   ...                                   ...
//
// An augmented primal allocates its frame where it begins. Where all that the
// frame holds is stored behind one branch, the frame is made there. Of a
// recursion half of all calls and more are ends, which keep nothing.
//
// The reverse reads of a frame only what was stored in it on the way that the
// call took, so that the frame of a call that took none of these is not asked
// for.
//
//===----------------------------------------------------------------------===//

#include "Polish/PolishSteps.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"

using namespace llvm;
using namespace retrograd;

/// The allocation of a frame at F's entry; null if there is none.
static CallInst *frameOf(Function &F) {
  for (Instruction &I : F.getEntryBlock()) {
    auto *C = dyn_cast<CallInst>(&I);
    const Function *Callee = C ? C->getCalledFunction() : nullptr;
    if (Callee && Callee->getName() == "rg_tape_alloc" &&
        isa<Argument>(C->getArgOperand(0)) &&
        isa<ConstantInt>(C->getArgOperand(1)))
      return C;
  }
  return nullptr;
}

/// V is part of what the function returns, and nothing else.
static bool isHandedOver(const Value *V, unsigned Depth = 0) {
  return isa<ReturnInst>(V) ||
         (isa<InsertValueInst, PHINode>(V) && Depth < 8 &&
          all_of(
              V->users(),
              [&](const User *U) { return isHandedOver(U, Depth + 1); }));
}

/// In a finished derivative. True if it was changed.
bool retrograd::sinkFrames(Function &Derivative, FunctionAnalysisManager &FAM) {
  CallInst *Frame = frameOf(Derivative);
  if (!Frame)
    return false;
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(Derivative);
  auto &Loops = FAM.getResult<LoopAnalysis>(Derivative);
  SmallVector<Use *, 4> Returned;
  BasicBlock *Home = nullptr;
  for (Use &U : Frame->uses()) {
    auto *By = cast<Instruction>(U.getUser());
    if (isHandedOver(By)) {
      Returned.push_back(&U);
      continue;
    }
    auto *Phi = dyn_cast<PHINode>(By);
    BasicBlock *At = Phi ? Phi->getIncomingBlock(U) : By->getParent();
    if (!DT.isReachableFromEntry(At))
      continue;
    Home = Home ? DT.findNearestCommonDominator(Home, At) : At;
  }
  if (Returned.empty())
    return false;
  while (Home && Loops.getLoopFor(Home))
    Home = DT.getNode(Home)->getIDom()->getBlock();
  // Where the function always comes nothing is gained.
  if (!Home || Home == &Derivative.getEntryBlock() || Home->isEHPad() ||
      none_of(Derivative, [&](BasicBlock &B) {
        return isa<ReturnInst>(B.getTerminator()) && !DT.dominates(Home, &B);
      }))
    return false;
  Frame->moveBefore(*Home, Home->getFirstInsertionPt());
  SSAUpdater Update;
  Update.Initialize(Frame->getType(), Frame->getName());
  Update.AddAvailableValue(
      &Derivative.getEntryBlock(),
      ConstantPointerNull::get(cast<PointerType>(Frame->getType())));
  Update.AddAvailableValue(Home, Frame);
  for (Use *U : Returned) {
    auto *By = cast<Instruction>(U->getUser());
    auto *Phi = dyn_cast<PHINode>(By);
    if (!DT.dominates(Home, Phi ? Phi->getIncomingBlock(*U) : By->getParent()))
      Update.RewriteUse(*U);
  }
  FAM.invalidate(Derivative, PreservedAnalyses::none());
  return true;
}
