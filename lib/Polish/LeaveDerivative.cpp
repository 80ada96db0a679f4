//===- LeaveDerivative.cpp - exceptions on their way out ------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Polish/LeaveDerivative.h"
#include "Support/ExceptionMarks.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace retrograd;

/// Where D returns with an exception in the variable, that is thrown.
static void throwReturned(Function &D, GlobalVariable &Variable) {
  D.removeFnAttr(Attribute::NoUnwind);
  SmallVector<ReturnInst *, 2> Returns;
  for (BasicBlock &B : D)
    if (auto *R = dyn_cast<ReturnInst>(B.getTerminator()))
      Returns.push_back(R);
  for (ReturnInst *R : Returns) {
    IRBuilder<> B(R);
    Value *E = B.CreateLoad(B.getPtrTy(), &Variable, "exception");
    Instruction *Then = SplitBlockAndInsertIfThen(
        B.CreateIsNotNull(E), R->getIterator(), /*Unreachable=*/true);
    B.SetInsertPoint(Then);
    B.CreateStore(ConstantPointerNull::get(B.getPtrTy()), &Variable);
    FunctionCallee Raise = D.getParent()->getOrInsertFunction(
        "rg_exception_raise",
        FunctionType::get(B.getVoidTy(), {B.getPtrTy()}, false));
    B.CreateCall(Raise, {E})->setDoesNotReturn();
  }
}

/// The beginning of D's own tape, and what ends it; null if D needs none.
static std::pair<CallInst *, StringRef> tapeOf(Function &D) {
  for (Instruction &I : D.getEntryBlock())
    if (auto *C = dyn_cast<CallInst>(&I); C && C->getCalledFunction()) {
      StringRef Begin = C->getCalledFunction()->getName();
      if (Begin == "rg_tape_begin")
        return {C, "rg_tape_end"};
      if (Begin == "rg_split_begin")
        return {C, "rg_split_end"};
    }
  return {};
}

/// A personality that runs clean-ups: that of the code around, so that both can
/// be inlined into each other; else the one of C, which knows nothing else.
static Constant *personalityFor(const Function &D, const Function &Original) {
  if (D.hasPersonalityFn())
    return D.getPersonalityFn();
  if (Original.hasPersonalityFn())
    return Original.getPersonalityFn();
  Module &M = *const_cast<Module *>(D.getParent());
  for (const Function &F : M)
    if (F.hasPersonalityFn())
      return F.getPersonalityFn();
  FunctionType *T =
      FunctionType::get(Type::getInt32Ty(M.getContext()), /*isVarArg=*/true);
  return cast<Constant>(
      M.getOrInsertFunction("__gcc_personality_v0", T).getCallee());
}

void retrograd::endTapeOnUnwinding(Function &D, const Function &Original) {
  auto [Arena, EndName] = tapeOf(D);
  if (!Arena || Original.doesNotThrow())
    return;
  SmallVector<CallInst *, 16> Calls;
  SmallVector<ResumeInst *, 4> Resumes;
  for (Instruction &I : instructions(D)) {
    auto *C = dyn_cast<CallInst>(&I);
    if (C && !C->doesNotThrow() && !isa<IntrinsicInst>(C) &&
        !C->isInlineAsm() &&
        !(C->getParent() == Arena->getParent() && !Arena->comesBefore(C)))
      Calls.push_back(C);
    if (auto *R = dyn_cast<ResumeInst>(&I))
      Resumes.push_back(R);
  }
  if (Calls.empty() && Resumes.empty())
    return;
  FunctionCallee End = D.getParent()->getOrInsertFunction(
      EndName, FunctionType::get(Type::getVoidTy(D.getContext()),
                                 {Arena->getType()}, false));
  for (ResumeInst *R : Resumes)
    CallInst::Create(End, {Arena}, "", R->getIterator())
        ->setDebugLoc(R->getDebugLoc());
  if (Calls.empty())
    return;
  D.setPersonalityFn(personalityFor(D, Original));
  BasicBlock *Pad = BasicBlock::Create(D.getContext(), "exception.leaves", &D);
  IRBuilder<> B(Pad);
  if (DISubprogram *SP = D.getSubprogram())
    B.SetCurrentDebugLocation(DILocation::get(D.getContext(), 0, 0, SP));
  LandingPadInst *LP = B.CreateLandingPad(
      StructType::get(D.getContext(), {B.getPtrTy(), B.getInt32Ty()}), 0);
  LP->setCleanup(true);
  B.CreateCall(End, {Arena});
  B.CreateResume(LP);
  for (CallInst *C : Calls)
    changeToInvokeAndSplitBasicBlock(C, Pad);
}

void retrograd::letExceptionsLeave(Function &D, const Function &Primal,
                                   const Function &Original) {
  // In this order: what is thrown where D returns comes after the tape's end.
  // (Of a split derivative the tape is begun around D, see SplitEmitter.)
  endTapeOnUnwinding(D, Original);
  if (Primal.hasFnAttribute(ReturnsExceptions))
    for (GlobalVariable &G : D.getParent()->globals())
      if (G.hasAttribute(ExceptionVariable) &&
          G.getAttribute(ExceptionVariable).getValueAsString() == "in flight")
        throwReturned(D, G);
}
