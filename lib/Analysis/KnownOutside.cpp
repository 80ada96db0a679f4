//===- KnownOutside.cpp - variables that code elsewhere can reach ---------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/KnownOutside.h"
#include "Catalogue/Catalogue.h"
#include "Request/EntryPoints.h"
#include "Request/Registrations.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace retrograd;

namespace {

/// Follows the address of one variable through the module.
class Search {
public:
  Search(const Catalogue &Cat, function_ref<bool(const Function &)> IsRoot)
      : Cat(Cat), IsRoot(IsRoot) {}

  bool escapes(const GlobalVariable &G);

private:
  const Catalogue &Cat;
  function_ref<bool(const Function &)> IsRoot;
  SmallVector<const Value *, 16> Work;
  SmallPtrSet<const Value *, 32> Seen;
  SmallPtrSet<const Function *, 8> Asked;

  void follow(const Value *V) {
    if (Seen.insert(V).second)
      Work.push_back(V);
  }
  bool leavesBy(const Use &U);
  bool leavesByCall(const CallBase &C, const Use &U);
  bool calledFromOutside(const Function &F);
};

} // namespace

/// Code that was made here, or that asks for derivatives: nothing calls it
/// while a derivative runs.
static bool isOurs(const Function &F) {
  return F.getName().starts_with("rg.") || F.getName() == "main" ||
         any_of(instructions(F), [](const Instruction &I) {
           const auto *C = dyn_cast<CallBase>(&I);
           const Function *Callee = C ? C->getCalledFunction() : nullptr;
           return C &&
                  (entryCallee(*C) || (Callee && !Callee->isIntrinsic() &&
                                       Callee->getName().starts_with("rg.")));
         });
}

bool Search::calledFromOutside(const Function &F) {
  if (!Asked.insert(&F).second || IsRoot(F) || isOurs(F))
    return false;
  if (!F.hasLocalLinkage())
    return true;
  return any_of(F.uses(), [&](const Use &U) {
    const auto *C = dyn_cast<CallBase>(U.getUser());
    if (!C)
      return true;
    return C->isCallee(&U) ? calledFromOutside(*C->getFunction())
                           : !entryCallee(*C);
  });
}

bool Search::leavesByCall(const CallBase &C, const Use &U) {
  if (!C.isArgOperand(&U))
    return false; // it is called, or in a bundle
  if (entryCallee(C) || Cat.lookup(C) ||
      C.doesNotCapture(C.getArgOperandNo(&U)))
    return false;
  if (isa<IntrinsicInst>(C)) {
    follow(&C); // llvm.threadlocal.address, llvm.ptrmask, ...
    return false;
  }
  const Function *Callee = C.getCalledFunction();
  if (Callee && Callee->getName().starts_with("rg."))
    return false;
  if (!Callee || Callee->isDeclaration() ||
      C.getArgOperandNo(&U) >= Callee->arg_size())
    return true;
  follow(Callee->getArg(C.getArgOperandNo(&U)));
  return false;
}

/// U, a use of the address, takes it to where others find it.
bool Search::leavesBy(const Use &U) {
  const User *By = U.getUser();
  if (const auto *G = dyn_cast<GlobalVariable>(By))
    return !isRegistration(*G) && !G->getName().starts_with("llvm.");
  if (isa<Constant>(By)) {
    follow(By);
    return false;
  }
  const auto *I = cast<Instruction>(By);
  const Function &In = *I->getFunction();
  if (In.getName().starts_with("rg."))
    return false;
  if (calledFromOutside(In))
    return true;
  if (const auto *S = dyn_cast<StoreInst>(I)) {
    if (U.getOperandNo() != 0)
      return false;
    // In code without optimisation, a variable of the stack.
    const auto *Slot = dyn_cast<AllocaInst>(S->getPointerOperand());
    if (!Slot)
      return true;
    for (const User *OfSlot : Slot->users())
      if (isa<LoadInst>(OfSlot))
        follow(OfSlot);
      else if (!isa<StoreInst>(OfSlot) || OfSlot->getOperand(0) == Slot)
        return !isa<IntrinsicInst>(OfSlot);
    return false;
  }
  if (const auto *C = dyn_cast<CallBase>(I))
    return leavesByCall(*C, U);
  if (isa<ReturnInst>(I)) {
    for (const User *Caller : In.users())
      if (isa<CallBase>(Caller))
        follow(Caller);
    return false;
  }
  if (isa<GetElementPtrInst, PHINode, SelectInst, FreezeInst, BitCastInst,
          AddrSpaceCastInst>(I)) {
    follow(I);
    return false;
  }
  return !isa<LoadInst, ICmpInst, AtomicRMWInst, AtomicCmpXchgInst>(I);
}

bool Search::escapes(const GlobalVariable &G) {
  follow(&G);
  while (!Work.empty())
    for (const Use &U : Work.pop_back_val()->uses())
      if (leavesBy(U))
        return true;
  return false;
}

bool retrograd::isKnownOutside(const GlobalVariable &G, const Catalogue &Cat,
                               function_ref<bool(const Function &)> IsRoot) {
  return !G.hasLocalLinkage() || Search(Cat, IsRoot).escapes(G);
}

namespace {

/// Follows the address of one variable to where it is kept.
class AddressSearch {
public:
  bool isKept(const GlobalVariable &G) {
    follow(&G);
    while (!Work.empty())
      for (const Use &U : Work.pop_back_val()->uses())
        if (isKeptBy(U))
          return true;
    return false;
  }

private:
  SmallVector<const Value *, 16> Work;
  SmallPtrSet<const Value *, 32> Seen;

  void follow(const Value *V) {
    if (Seen.insert(V).second)
      Work.push_back(V);
  }
  bool isKeptBy(const Use &U);
  bool isKeptByCall(const CallBase &C, const Use &U);
};

} // namespace

bool AddressSearch::isKeptByCall(const CallBase &C, const Use &U) {
  if (!C.isArgOperand(&U) || entryCallee(C))
    return true;
  const unsigned N = C.getArgOperandNo(&U);
  const Function *Callee = C.getCalledFunction();
  if (isa<IntrinsicInst>(C)) {
    follow(&C);
    return false;
  }
  if (Callee && Callee->getName().starts_with("rg."))
    return true; // was such a call
  if (Callee && !Callee->isDeclaration() && N < Callee->arg_size()) {
    follow(Callee->getArg(N));
    return false;
  }
  return !C.doesNotCapture(N);
}

bool AddressSearch::isKeptBy(const Use &U) {
  const User *By = U.getUser();
  if (const auto *G = dyn_cast<GlobalVariable>(By))
    return !G->getName().starts_with("llvm.");
  const auto *I = dyn_cast<Instruction>(By);
  if (!I) {
    follow(By);
    return !isa<ConstantExpr>(By) || isa<PtrToIntOperator>(By);
  }
  const Function &In = *I->getFunction();
  if (In.getName().starts_with("rg."))
    return false; // made of functions that are here, too
  if (const auto *S = dyn_cast<StoreInst>(I)) {
    if (U.getOperandNo() == StoreInst::getPointerOperandIndex())
      return false;
    // In code without optimisation, a variable of the stack.
    const auto *Slot = dyn_cast<AllocaInst>(S->getPointerOperand());
    return !Slot || any_of(Slot->users(), [&](const User *OfSlot) {
      if (isa<LoadInst>(OfSlot))
        follow(OfSlot);
      return !isa<LoadInst>(OfSlot) &&
             !(isa<StoreInst>(OfSlot) && OfSlot->getOperand(0) != Slot) &&
             !(isa<IntrinsicInst>(OfSlot) &&
               cast<IntrinsicInst>(OfSlot)->isLifetimeStartOrEnd());
    });
  }
  if (const auto *C = dyn_cast<CallBase>(I))
    return isKeptByCall(*C, U);
  if (isa<ReturnInst>(I))
    return !In.hasLocalLinkage() || any_of(In.uses(), [&](const Use &Of) {
      const auto *C = dyn_cast<CallBase>(Of.getUser());
      if (C)
        follow(C);
      return !C || !C->isCallee(&Of);
    });
  if (isa<GetElementPtrInst, PHINode, SelectInst, FreezeInst, BitCastInst,
          AddrSpaceCastInst>(I)) {
    follow(I);
    return false;
  }
  if (isa<AtomicRMWInst, AtomicCmpXchgInst>(I))
    return U.getOperandNo() != 0;
  return !isa<LoadInst, ICmpInst>(I);
}

bool retrograd::isGivenAway(const GlobalVariable &G) {
  return !G.hasLocalLinkage() || G.isThreadLocal() || AddressSearch().isKept(G);
}
