//===- SpecializeWrappers.cpp - one private wrapper per function ----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A wrapper is a function that hands one of its parameters to an entry call as
// the function to be differentiated. After inlining hardly any are left; at -O0
// every one is. Which function the parameter is depends on the caller:
//
//   define linkonce_odr double @wrap(ptr %f, double %x) {
//     %g = call double @__enzyme_autodiff(ptr %f, double %x)  ...
//
//   call double @wrap(ptr @sin2, double %a)       ; becomes a call of
//   @wrap.rg.sin2, call double @wrap(ptr @cos2, double %a)       ;
//   @wrap.rg.cos2: internal copies
//                                                 ; with %f replaced
//
// Looking at the callers and lowering @wrap itself would be wrong even if all
// of them agree: a linkonce function of another translation unit may win at
// link time. A copy may be a wrapper's caller again (wrappers nest), so this
// runs until nothing changes; each round turns one parameter of one call into a
// constant, so it ends unless a wrapper calls itself with ever new functions,
// which C cannot.
//
//===----------------------------------------------------------------------===//

#include "Entry/PrepareEntryCalls.h"
#include "Request/FunctionOperand.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace retrograd;

namespace {

class Specializer {
public:
  explicit Specializer(Module &M) : M(M) {}
  bool run();

private:
  Module &M;
  bool Changed = false;
  /// Parameters that are handed on to an entry call, directly or through
  /// another wrapper. In the order found.
  SetVector<Argument *> Handed;
  /// (parameter, function passed) -> copy of the wrapper.
  MapVector<std::pair<Argument *, Function *>, Function *> Copies;

  void findHanded();
  bool redirectCallers(Argument &A);
  Function *copyFor(Argument &A, Function &Passed);
};

} // namespace

void Specializer::findHanded() {
  Handed.clear();
  auto Note = [&](Value *V) {
    FunctionOperand Named = resolveFunction(V);
    if (Named.Parameter && (!Named.Complete || Named.Functions.size() != 1))
      Handed.insert(Named.Parameter);
  };
  for (Function &F : M)
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallBase>(&I))
        if (Use *Operand = functionOperandOf(*Call))
          Note(Operand->get());
  for (unsigned I = 0; I < Handed.size(); ++I) {
    Argument *A = Handed[I];
    for (Use &U : A->getParent()->uses())
      if (auto *Call = dyn_cast<CallBase>(U.getUser());
          Call && Call->isCallee(&U) && A->getArgNo() < Call->arg_size())
        Note(Call->getArgOperand(A->getArgNo()));
  }
}

Function *Specializer::copyFor(Argument &A, Function &Passed) {
  Function *&Copy = Copies[{&A, &Passed}];
  if (Copy)
    return Copy;
  ValueToValueMapTy Map;
  Copy = CloneFunction(A.getParent(), Map);
  Copy->setName(A.getParent()->getName() + ".rg." + Passed.getName());
  Copy->setLinkage(GlobalValue::InternalLinkage);
  Copy->setVisibility(GlobalValue::DefaultVisibility);
  Copy->setDSOLocal(true);
  Copy->setComdat(nullptr);
  Argument *Own = Copy->getArg(A.getArgNo());
  if (Own->getType() == Passed.getType())
    Own->replaceAllUsesWith(&Passed);
  return Copy;
}

/// Sends callers that pass a known function in A to their copy.
bool Specializer::redirectCallers(Argument &A) {
  bool Redirected = false;
  SmallVector<CallBase *, 8> Callers;
  for (Use &U : A.getParent()->uses())
    if (auto *Call = dyn_cast<CallBase>(U.getUser());
        Call && Call->isCallee(&U) && A.getArgNo() < Call->arg_size() &&
        Call->getFunctionType() == A.getParent()->getFunctionType())
      Callers.push_back(Call);
  for (CallBase *Call : Callers) {
    FunctionOperand Named = resolveFunction(Call->getArgOperand(A.getArgNo()));
    if (!Named.Complete || Named.Functions.size() != 1 || Named.ByReference)
      continue;
    Call->setCalledFunction(copyFor(A, *Named.Functions[0]));
    Redirected = true;
  }
  return Redirected;
}

bool Specializer::run() {
  // Wrappers nest a few levels deep; the bound is for recursion only.
  for (unsigned Round = 0; Round < 16; ++Round) {
    findHanded();
    bool Redirected = false;
    for (Argument *A : Handed)
      if (!A->getParent()->isInterposable())
        Redirected |= redirectCallers(*A);
    if (!Redirected)
      break;
    Changed = true;
    // What nobody calls any more and nobody else may call must not be
    // diagnosed.
    SetVector<Function *> Wrappers;
    for (Argument *A : Handed)
      Wrappers.insert(A->getParent());
    for (Function *Wrapper : Wrappers) {
      Wrapper->removeDeadConstantUsers();
      if (Wrapper->use_empty() && Wrapper->isDiscardableIfUnused())
        Wrapper->eraseFromParent();
    }
  }
  return Changed;
}

bool retrograd::specializeWrappers(Module &M) {
  if (!hasEntryCalls(M))
    return false;
  return Specializer(M).run();
}
