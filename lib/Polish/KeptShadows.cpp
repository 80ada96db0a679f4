//===- KeptShadows.cpp - memory of shadows stays with the thread ----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   sh = new(n)                              sh = kept_alloc(n, new, delete)
//   ...                                =>    ...
//   defer_free_both(a, p, sh, delete)        kept_defer(a, p, sh, delete, n)
//
// Where a function allocates a shadow and releases it, the block comes from
// those that the thread has kept (runtime/kept.c), and goes there.
//
// Not handled: calloc, allocations with an alignment, and shadows that one
// function allocates and another one releases, whose size nobody knows then.
//
//===----------------------------------------------------------------------===//

#include "Bitcode/RuntimeLibrary.h"
#include "Polish/PolishSteps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace retrograd;

namespace {

/// A release, and the allocations of what it may release.
struct Release {
  CallInst *Call;
  bool AtOnce; ///< forward mode
  SmallVector<CallBase *, 2> Made;
};

} // namespace

/// What Alloc has made, Dealloc releases.
static bool belong(LibFunc Alloc, LibFunc Dealloc) {
  return (Alloc == LibFunc_malloc && Dealloc == LibFunc_free) ||
         (Alloc == LibFunc_Znwm && Dealloc == LibFunc_ZdlPv) ||
         (Alloc == LibFunc_Znam && Dealloc == LibFunc_ZdaPv);
}

/// The allocations that V may be, beside null; false if it may be anything
/// else.
static bool findMade(Value *V, LibFunc Dealloc, const TargetLibraryInfo &TLI,
                     SmallVectorImpl<CallBase *> &Made, unsigned Depth = 0) {
  if (isa<ConstantPointerNull>(V))
    return true;
  if (auto *Phi = dyn_cast<PHINode>(V))
    return Depth < 4 &&
           all_of(
               Phi->incoming_values(),
               [&](Value *In) {
                 return findMade(In, Dealloc, TLI, Made, Depth + 1);
               });
  auto *C = dyn_cast<CallBase>(V);
  LibFunc Alloc;
  if (!C || !TLI.getLibFunc(*C, Alloc) || !belong(Alloc, Dealloc))
    return false;
  Made.push_back(C);
  return true;
}

/// How many bytes were asked for: 0 for null.
static Value *bytesOf(Value *V, Type *Long) {
  if (auto *C = dyn_cast<CallBase>(V))
    return C->getArgOperand(0);
  auto *Phi = dyn_cast<PHINode>(V);
  if (!Phi)
    return ConstantInt::get(Long, 0);
  IRBuilder<> B(Phi);
  PHINode *Bytes = B.CreatePHI(Long, Phi->getNumIncomingValues());
  for (unsigned I = 0; I < Phi->getNumIncomingValues(); ++I)
    Bytes->addIncoming(bytesOf(Phi->getIncomingValue(I), Long),
                       Phi->getIncomingBlock(I));
  return Bytes;
}

/// In a finished derivative. True if it was changed.
bool retrograd::keepShadows(Function &Derivative, FunctionAnalysisManager &FAM,
                            RuntimeLibrary &Runtime) {
  auto &TLI = FAM.getResult<TargetLibraryAnalysis>(Derivative);
  SmallVector<Release, 4> Releases;
  for (Instruction &I : instructions(Derivative)) {
    auto *C = dyn_cast<CallInst>(&I);
    const Function *Callee = C ? C->getCalledFunction() : nullptr;
    if (!Callee)
      continue;
    const bool AtOnce = Callee->getName() == "rg_free_shadow";
    if (!AtOnce && Callee->getName() != "rg_defer_free_both")
      continue;
    Release R = {C, AtOnce, {}};
    const auto *Dealloc =
        dyn_cast<Function>(C->getArgOperand(C->arg_size() - 1));
    LibFunc Known;
    if (Dealloc && TLI.getLibFunc(*Dealloc, Known) &&
        findMade(C->getArgOperand(AtOnce ? 1 : 2), Known, TLI, R.Made) &&
        !R.Made.empty())
      Releases.push_back(std::move(R));
  }
  if (Releases.empty())
    return false;
  Type *Long = Type::getInt64Ty(Derivative.getContext());
  SmallSetVector<std::pair<CallBase *, Value *>, 8> Allocations;
  for (const Release &R : Releases) {
    SmallVector<Value *, 5> Args(R.Call->args());
    Args.push_back(bytesOf(R.Call->getArgOperand(R.AtOnce ? 1 : 2), Long));
    IRBuilder<> B(R.Call);
    B.CreateCall(Runtime.require(R.AtOnce ? "rg_kept_free" : "rg_kept_defer"),
                 Args);
    for (CallBase *C : R.Made)
      Allocations.insert({C, R.Call->getArgOperand(R.Call->arg_size() - 1)});
    R.Call->eraseFromParent();
  }
  Function *Alloc = Runtime.require("rg_kept_alloc");
  for (auto [C, Dealloc] : Allocations) {
    IRBuilder<> B(C);
    Value *Args[] = {C->getArgOperand(0), C->getCalledOperand(), Dealloc};
    CallBase *New;
    if (auto *In = dyn_cast<InvokeInst>(C)) {
      New =
          B.CreateInvoke(Alloc, In->getNormalDest(), In->getUnwindDest(), Args);
    } else {
      auto *Call = B.CreateCall(Alloc, Args);
      Call->setTailCallKind(cast<CallInst>(C)->getTailCallKind());
      New = Call;
    }
    New->setDebugLoc(C->getDebugLoc());
    AttrBuilder Result(C->getContext(), C->getAttributes().getRetAttrs());
    Result.addAttribute(Attribute::NoAlias);
    New->addRetAttrs(Result);
    if (C->doesNotThrow())
      New->setDoesNotThrow();
    C->replaceAllUsesWith(New);
    New->takeName(C);
    C->eraseFromParent();
  }
  FAM.invalidate(Derivative, PreservedAnalyses::none());
  return true;
}
