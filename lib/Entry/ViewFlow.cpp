//===- ViewFlow.cpp - where pointers into views go ------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Entry/ViewFlow.h"
#include "Entry/SparseViews.h"
#include "Request/EntryCalls.h"
#include "Request/EntryFamilies.h"
#include "Request/FunctionOperand.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Scalar/SROA.h"

using namespace llvm;
using namespace retrograd;

static constexpr StringLiteral NowhereName = "__enzyme_todense.nowhere";

bool retrograd::isNowhere(const CallBase &Call) {
  return Call.getCalledFunction() &&
         Call.getCalledFunction()->getName() == NowhereName;
}

SmallVector<CallBase *, 8> retrograd::viewsOf(Function &F) {
  SmallVector<CallBase *, 8> Found;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I); Call && makesView(*Call))
      Found.push_back(Call);
  return Found;
}

void Flow::follow(Value *V, User *U) {
  if (isa<GetElementPtrInst, PHINode, SelectInst, CastInst, FreezeInst,
          InsertValueInst, ExtractValueInst, ReturnInst>(U)) {
    if (!isa<ReturnInst>(U))
      return add(U);
    Function *F = cast<Instruction>(U)->getFunction();
    for (User *Of : F->users())
      if (auto *Call = dyn_cast<CallBase>(Of);
          Call && Call->getCalledOperand() == F)
        add(Call);
    return;
  }
  if (auto *L = dyn_cast<LoadInst>(U))
    return isa<AllocaInst>(getUnderlyingObject(L->getPointerOperand()))
               ? add(L)
               : void();
  if (auto *S = dyn_cast<StoreInst>(U)) {
    if (S->getValueOperand() != V)
      return;
    Value *Object = getUnderlyingObject(S->getPointerOperand());
    return isa<AllocaInst>(Object) ? add(Object) : void();
  }
  auto *Call = dyn_cast<CallBase>(U);
  if (!Call)
    return;
  if (auto *T = dyn_cast<MemTransferInst>(U)) {
    Value *Object = getUnderlyingObject(T->getRawDest());
    if (isa<AllocaInst>(Object) && isa<AllocaInst>(getUnderlyingObject(V)))
      add(Object);
    return;
  }
  if (functionOperandOf(*Call) && !makesView(*Call)) {
    EntryCalls.insert(Call);
    return;
  }
  Function *Callee = Call->getCalledFunction();
  if (!Callee || Callee->isDeclaration())
    return;
  for (auto [Parameter, Argument] : zip(Callee->args(), Call->args()))
    if (Argument.get() == V)
      add(&Parameter);
}

void Flow::run() {
  while (Next != Values.size()) {
    Value *V = Values[Next++];
    for (User *U : V->users())
      follow(V, U);
  }
}

void retrograd::promote(Function &F, ModuleAnalysisManager &MAM) {
  auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(*F.getParent())
                  .getManager();
  FAM.invalidate(F, PreservedAnalyses::none());
  FAM.invalidate(F, SROAPass(SROAOptions::PreserveCFG).run(F, FAM));
}

void retrograd::noteViews(Module &M, ModuleAnalysisManager &MAM,
                          MutableArrayRef<EntryCall> Calls) {
  Flow Views;
  for (Function &F : M)
    for (CallBase *Call : viewsOf(F))
      Views.add(Call);
  if (Views.Values.empty())
    return;
  auto MayBeView = [&](const EntryOperand &Operand) {
    Value *V = Operand.V;
    return V && (Views.Values.contains(V) ||
                 Views.Values.contains(getUnderlyingObject(V)));
  };
  // What a derivative is given, its primal is given.
  for (size_t Known = 0; Known != Views.Values.size();) {
    Views.run();
    Known = Views.Values.size();
    for (EntryCall &E : Calls)
      for (auto [N, P] : enumerate(E.Parameters))
        if (MayBeView(P.Primal) || any_of(P.Shadows, MayBeView))
          Views.add(E.Request.Primal->getArg(N));
  }
  SmallPtrSet<const Function *, 4> InHalves;
  for (EntryCall &E : Calls) {
    bool Any = false;
    for (EntryParameter &P : E.Parameters)
      Any |= MayBeView(P.Primal) || any_of(P.Shadows, MayBeView);
    if (!Any)
      continue;
    E.Request.WholeAdditions = E.Tangents.WholeAdditions = true;
    if (E.Request.Mode == DerivativeMode::Augment ||
        E.Request.Mode == DerivativeMode::Sweep)
      InHalves.insert(E.Request.Primal);
    // An address that is none: there is no memory to compute in.
    for (auto [N, P] : enumerate(E.Parameters)) {
      auto *C = dyn_cast_or_null<Constant>(static_cast<Value *>(P.Primal.V));
      if (E.Request.Args[N] != ArgActivity::DupNoNeed || !C ||
          P.Primal.How != EntryOperand::Direct ||
          !C->getType()->isPointerTy() ||
          isa<GlobalValue>(C->stripInBoundsOffsets()))
        continue;
      FunctionCallee Nowhere =
          M.getOrInsertFunction(NowhereName, C->getType(), C->getType());
      auto *Call =
          CallInst::Create(Nowhere, {C}, "nowhere", E.Call->getIterator());
      Call->setDebugLoc(E.Call->getDebugLoc());
      P.Primal.V = Call;
    }
  }
  for (EntryCall &E : Calls)
    if (InHalves.contains(E.Request.Primal) &&
        (E.Request.Mode == DerivativeMode::Augment ||
         E.Request.Mode == DerivativeMode::Sweep))
      E.Request.WholeAdditions = true;
}
