//===- CxxThreads.cpp - std::thread and std::call_once --------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C++ library hands objects over: a thread's state with a virtual function,
// and a once's callable in variables of the thread. Here is which function that
// is.
//
//===----------------------------------------------------------------------===//

#include "Parallel/ThreadForm.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace retrograd;

// By which std::call_once tells a function of its library what to call.
static constexpr StringLiteral OnceObject = "_ZSt15__once_callable";
static constexpr StringLiteral OnceInvoker = "_ZSt11__once_call";
static constexpr StringLiteral OnceProxy = "__once_proxy";

/// The table of virtual functions of a std::thread's state that V points into;
/// null if it is none.
static const GlobalVariable *stateTable(const Value *V) {
  const auto *G = dyn_cast<GlobalVariable>(V->stripInBoundsConstantOffsets());
  return G && G->getName().starts_with("_ZTVNSt6thread11_State_impl") ? G
                                                                      : nullptr;
}

/// std::thread hands over an object with a virtual function to run. Where its
/// constructor is inlined, the object's table is stored to it here; where not,
/// the constructor around Start refers to it, itself or by what it calls.
Function *ThreadForm::runOfState(const CallBase &Start) {
  SmallSetVector<const GlobalVariable *, 2> Tables;
  for (const User *U : Start.getArgOperand(1)->users())
    if (const auto *Holds = dyn_cast<StoreInst>(U);
        Holds && Holds->getPointerOperand() == Start.getArgOperand(1) &&
        !isa<Constant>(Holds->getValueOperand()))
      for (const User *W : Holds->getValueOperand()->users())
        if (const auto *S = dyn_cast<StoreInst>(W);
            S && S->getPointerOperand() == Holds->getValueOperand())
          if (const GlobalVariable *G = stateTable(S->getValueOperand()))
            Tables.insert(G);
  SmallSetVector<const Function *, 8> Look;
  if (Tables.empty())
    Look.insert(Start.getFunction());
  for (unsigned Next = 0; Next < Look.size() && Look.size() < 64; ++Next)
    for (const Instruction &I : instructions(*Look[Next])) {
      for (const Value *V : I.operands())
        if (const GlobalVariable *G = stateTable(V))
          Tables.insert(G);
      if (const auto *C = dyn_cast<CallBase>(&I); C && Next < 8)
        if (const Function *Callee = C->getCalledFunction();
            Callee && !Callee->isDeclaration())
          Look.insert(Callee);
    }
  if (Tables.size() != 1 || !Tables[0]->hasInitializer())
    return nullptr;
  // Offset, type, two destructors, _M_run.
  const Constant *Entries =
      Tables[0]->getInitializer()->getAggregateElement(0u);
  auto Entry = [&](unsigned I) {
    Constant *C = Entries ? Entries->getAggregateElement(I) : nullptr;
    return C ? dyn_cast<Function>(C->stripPointerCasts()) : nullptr;
  };
  Function *Delete = Entry(3), *Run = Entry(4);
  if (!Delete || !Run || Delete->isDeclaration() || Run->isDeclaration())
    return nullptr;
  std::string Name = ("rg.run." + Run->getName()).str();
  if (Function *Known = M.getFunction(Name))
    return Known;
  IRBuilder<> B(M.getContext());
  Function *F =
      Function::Create(FunctionType::get(B.getPtrTy(), {B.getPtrTy()}, false),
                       GlobalValue::InternalLinkage, Name, M);
  F->setAttributes(AttributeList::get(
      M.getContext(), AttributeList::FunctionIndex,
      AttrBuilder(M.getContext(), Run->getAttributes().getFnAttrs())));
  F->removeFnAttr(Attribute::NoInline);
  F->removeFnAttr(Attribute::OptimizeNone);
  F->setDoesNotThrow(); // what leaves a thread ends the program
  B.SetInsertPoint(BasicBlock::Create(M.getContext(), "", F));
  B.CreateCall(Run, {F->getArg(0)});
  B.CreateCall(Delete, {F->getArg(0)});
  B.CreateRet(ConstantPointerNull::get(B.getPtrTy()));
  Made.push_back(F);
  return F;
}

/// The variable of the thread that V is the address of.
static const GlobalVariable *threadVariable(const Value *V) {
  if (const auto *C = dyn_cast<IntrinsicInst>(V);
      C && C->getIntrinsicID() == Intrinsic::threadlocal_address)
    V = C->getArgOperand(0);
  return dyn_cast<GlobalVariable>(V);
}

/// std::call_once leaves the object to call, and a function that calls it, in
/// variables of the thread, for a function of its library to find. The store to
/// the variable Name in front of Call; null if that is not seen.
static StoreInst *leftFor(CallBase &Call, StringRef Name) {
  StoreInst *Found = nullptr;
  for (Instruction &I : *Call.getParent()) {
    if (&I == &Call)
      return Found;
    auto *S = dyn_cast<StoreInst>(&I);
    const GlobalVariable *G =
        S ? threadVariable(S->getPointerOperand()) : nullptr;
    if (G && G->getName() == Name)
      Found = S;
  }
  return nullptr;
}

/// Invoker, which takes nothing, calls the object in the thread's variable. The
/// same as a function that takes the object; null where that is not seen.
Function *ThreadForm::invokerOf(Function &Invoker, StringRef Variable) {
  std::string Name = ("rg.once." + Invoker.getName()).str();
  if (Function *Known = M.getFunction(Name))
    return Known;
  constexpr unsigned Deep = 8;
  IRBuilder<> B(M.getContext());
  Function *F = makeWrapper(Invoker, Name, B.getVoidTy());
  if (Invoker.hasPersonalityFn())
    F->setPersonalityFn(Invoker.getPersonalityFn());
  B.SetInsertPoint(BasicBlock::Create(M.getContext(), "", F));
  B.CreateCall(&Invoker);
  B.CreateRetVoid();
  for (unsigned Round = 0; Round != Deep; ++Round) {
    SmallVector<LoadInst *, 2> Loads;
    CallBase *Inner = nullptr;
    for (Instruction &I : instructions(*F)) {
      if (auto *L = dyn_cast<LoadInst>(&I);
          L && threadVariable(L->getPointerOperand()) &&
          threadVariable(L->getPointerOperand())->getName() == Variable)
        Loads.push_back(L);
      auto *C = dyn_cast<CallBase>(&I);
      if (C && !Inner && C->getCalledFunction() &&
          !C->getCalledFunction()->isDeclaration())
        Inner = C;
    }
    if (!Loads.empty()) {
      for (LoadInst *L : Loads) {
        L->replaceAllUsesWith(F->getArg(0));
        L->eraseFromParent();
      }
      return F;
    }
    InlineFunctionInfo Info;
    if (!Inner || !InlineFunction(*Inner, Info).isSuccess())
      return nullptr;
  }
  return nullptr;
}

/// Call is pthread_once(flag, f): what f is, called here. Null if it is not
/// known (yet).
CallInst *ThreadForm::callOnce(CallBase &Call, IRBuilderBase &B) {
  auto *F = dyn_cast<Function>(Call.getArgOperand(1)->stripPointerCasts());
  if (!F)
    return nullptr;
  if (F->getName() != OnceProxy)
    return F->isDeclaration() || !F->arg_empty() ||
                   !F->getReturnType()->isVoidTy()
               ? nullptr
               : B.CreateCall(F);
  StoreInst *Callable = leftFor(Call, OnceObject);
  StoreInst *Invokes = leftFor(Call, OnceInvoker);
  auto *Invoker =
      Invokes ? dyn_cast<Function>(Invokes->getValueOperand()) : nullptr;
  if (!Callable || !Invoker || Invoker->isDeclaration())
    return nullptr;
  Function *Run = invokerOf(*Invoker, OnceObject);
  if (!Run)
    return nullptr;
  CallInst *Inner = B.CreateCall(Run, {Callable->getValueOperand()});
  // Nobody looks for it any more.
  for (Instruction &I : make_early_inc_range(instructions(*Call.getFunction())))
    if (auto *S = dyn_cast<StoreInst>(&I))
      if (const GlobalVariable *G = threadVariable(S->getPointerOperand());
          G && (G->getName() == OnceObject || G->getName() == OnceInvoker) &&
          (S == Callable || S == Invokes ||
           isa<ConstantPointerNull>(S->getValueOperand())))
        S->eraseFromParent();
  return Inner;
}
