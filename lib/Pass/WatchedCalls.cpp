//===- WatchedCalls.cpp - calls that later calls need to know -------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pass/WatchedCalls.h"
#include "Bitcode/RuntimeLibrary.h"
#include "Catalogue/Catalogue.h"
#include "Target/Target.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

/// A routine of the runtime, which calls the library itself.
static bool isOfRuntime(const Function &F) {
  return F.hasHiddenVisibility() && F.getName().starts_with("rg_");
}

bool retrograd::watchCalls(Module &M) {
  if (Target(M).runtime() != RuntimeKind::Host)
    return false;
  SmallVector<std::pair<CallBase *, StringRef>, 8> Found;
  forEachWatched([&](StringRef Name, StringRef Routine) {
    Function *F = M.getFunction(Name);
    if (!F || !F->isDeclaration())
      return;
    for (User *U : F->users())
      if (auto *Call = dyn_cast<CallBase>(U);
          Call && Call->getCalledOperand() == F &&
          !isOfRuntime(*Call->getFunction()))
        Found.push_back({Call, Routine});
  });
  bool Changed = false;
  for (auto [Call, Routine] : Found)
    if (Function *R = RuntimeLibrary(M).require(Routine);
        R && R->getFunctionType() == Call->getFunctionType()) {
      Call->setCalledFunction(R);
      Call->setAttributes(AttributeList());
      Changed = true;
    }
  return Changed;
}

bool retrograd::unboxHandles(Module &M) {
  if (Target(M).runtime() != RuntimeKind::Host)
    return false;
  SmallVector<std::pair<CallBase *, StringRef>, 8> Found;
  for (Function &F : M) {
    if (!F.isDeclaration() || F.isIntrinsic())
      continue;
    StringRef Routine = unboxingFor(F.getName());
    if (Routine.empty())
      continue;
    for (User *U : F.users())
      if (auto *Call = dyn_cast<CallBase>(U);
          Call && Call->getCalledOperand() == &F &&
          !isOfRuntime(*Call->getFunction()))
        Found.push_back({Call, Routine});
  }
  for (auto [Call, Routine] : Found) {
    Function *Open = RuntimeLibrary(M).require(Routine);
    if (!Open)
      continue;
    IRBuilder<> B(Call);
    for (Use &Arg : Call->args())
      if (Arg->getType()->isPointerTy() && !isa<ConstantPointerNull>(Arg) &&
          !isa<AllocaInst>(Arg))
        Arg = B.CreateCall(Open, {Arg});
  }
  return !Found.empty();
}
