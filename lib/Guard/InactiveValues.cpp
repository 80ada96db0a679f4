//===- InactiveValues.cpp - values that carry no derivative ---------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Guard/InactiveValues.h"
#include "Request/EntryCalls.h"
#include "Request/EntryFamilies.h"
#include "Request/EntryPoints.h"
#include "Request/Registrations.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

/// A derivative of the user's function `f` is named "rg.f....": a second dot
/// keeps these names apart from those, whatever functions are called.
static constexpr StringLiteral ConstantPrefix = "rg..constant.";
static constexpr StringLiteral WrapperPrefix = "rg..inactive.";

/// Of those that globals need: "rg..constant.global.double".
static constexpr StringLiteral GlobalPrefix = "rg..constant.global.";
/// The module was looked through.
static constexpr StringLiteral Held = "rg.inactive.globals.held";

static bool isOfGlobal(const Value *V) {
  const auto *C = dyn_cast<CallBase>(V);
  const Function *F = C ? C->getCalledFunction() : nullptr;
  return F && F->getName().starts_with(GlobalPrefix);
}

/// Without a body, so that nobody looks into it.
static Function &identityOfGlobals(Module &M, Type *T) {
  std::string Name;
  raw_string_ostream(Name) << GlobalPrefix << *T;
  if (Function *F = M.getFunction(Name))
    return *F;
  Function *F = Function::Create(FunctionType::get(T, {T}, false),
                                 GlobalValue::ExternalLinkage, Name, M);
  F->setDoesNotThrow();
  F->setDoesNotAccessMemory();
  F->addFnAttr(Attribute::WillReturn);
  return *F;
}

static void holdInactiveGlobals(Module &M) {
  if (M.getNamedMetadata(Held))
    return;
  SmallPtrSet<const Value *, 4> Inactive;
  for (const Registration &R : collectRegistrations(M))
    if (R.K == Registration::InactiveGlobal)
      if (auto *G = dyn_cast_or_null<GlobalVariable>(R.Of))
        Inactive.insert(G);
  if (Inactive.empty())
    return;
  M.getOrInsertNamedMetadata(Held);
  auto IsInactive = [&](const Value *P) {
    return Inactive.contains(getUnderlyingObject(P, 0));
  };
  for (Function &F : M)
    for (Instruction &I : instructions(F)) {
      if (auto *S = dyn_cast<StoreInst>(&I)) {
        Value *V = S->getValueOperand();
        if (V->getType()->isFPOrFPVectorTy() && !isa<Constant>(V) &&
            !isOfGlobal(V) && IsInactive(S->getPointerOperand()))
          S->setOperand(0, IRBuilder<>(S).CreateCall(
                               &identityOfGlobals(M, V->getType()), {V}));
        continue;
      }
      auto *L = dyn_cast<LoadInst>(&I);
      if (!L || !L->getType()->isFPOrFPVectorTy() ||
          !IsInactive(L->getPointerOperand()))
        continue;
      IRBuilder<> B(L->getParent(), std::next(L->getIterator()));
      B.SetCurrentDebugLocation(L->getDebugLoc());
      CallInst *Same = B.CreateCall(&identityOfGlobals(M, L->getType()),
                                    {PoisonValue::get(L->getType())});
      L->replaceAllUsesWith(Same);
      Same->setArgOperand(0, L);
    }
}

PreservedAnalyses HoldInactiveGlobalsPass::run(Module &M,
                                               ModuleAnalysisManager &) {
  if (hasEntryCalls(M) || isBeforeLink(Stage))
    holdInactiveGlobals(M);
  return PreservedAnalyses::none();
}

namespace {

class Marker {
public:
  Marker(Module &M, Catalogue &Cat) : M(M), Cat(Cat) {}
  void run();

private:
  Module &M;
  Catalogue &Cat;
  DenseMap<Type *, Function *> Identities;

  void declare(Function &F, bool Pure) {
    F.addFnAttr(Attribute::NoInline);
    OperationRecord R;
    R.Id = "inactive";
    R.Class = RuleClass::Inactive;
    R.Pure = Pure;
    R.OfUser = !Pure;
    Cat.declare(F, R, true, true);
  }
  Function &identityOf(Type *T);
  void ignore(Instruction &I);
  bool ignoreArgument(CallBase &Call);
  bool callInactive(CallBase &Call);
};

} // namespace

Function &Marker::identityOf(Type *T) {
  Function *&F = Identities[T];
  if (F)
    return *F;
  F = Function::Create(FunctionType::get(T, {T}, false),
                       GlobalValue::InternalLinkage,
                       ConstantPrefix + Twine(Identities.size()), M);
  IRBuilder<>(BasicBlock::Create(M.getContext(), "", F))
      .CreateRet(F->getArg(0));
  F->setDoesNotThrow();
  F->setDoesNotAccessMemory();
  F->addFnAttr(Attribute::WillReturn);
  declare(*F, /*Pure=*/true);
  return *F;
}

/// What I computes goes through an identity.
void Marker::ignore(Instruction &I) {
  std::optional<BasicBlock::iterator> At = I.getInsertionPointAfterDef();
  if (!At || !I.getType()->isFPOrFPVectorTy())
    return;
  auto *Same = CallInst::Create(&identityOf(I.getType()),
                                {PoisonValue::get(I.getType())}, "", *At);
  Same->setDebugLoc(I.getDebugLoc());
  I.replaceAllUsesWith(Same);
  Same->setArgOperand(0, &I);
}

/// __enzyme_ignore_derivatives(x), of a number.
bool Marker::ignoreArgument(CallBase &Call) {
  if (Call.arg_size() != 1)
    return false;
  Value *V = Call.getArgOperand(0);
  Type *T = Call.getType();
  if (!T->isFPOrFPVectorTy() && !T->isIntOrIntVectorTy())
    return false;
  IRBuilder<> B(&Call);
  // A reference, in C++; float through C's variable arguments.
  if (V->getType()->isPointerTy() && Call.getParamDereferenceableBytes(0))
    V = B.CreateLoad(T, V);
  else if (V->getType()->isFloatingPointTy() && T->isFloatingPointTy() &&
           V->getType() != T)
    V = B.CreateFPCast(V, T);
  if (V->getType() != T)
    return false;
  CallInst *Same = B.CreateCall(&identityOf(T), {V});
  Call.replaceAllUsesWith(Same);
  return true;
}

/// __enzyme_call_inactive(f, a, ...): through a wrapper that is inactive.
bool Marker::callInactive(CallBase &Call) {
  auto *F = Call.arg_size()
                ? dyn_cast<Function>(
                      Call.getArgOperand(0)->stripPointerCastsAndAliases())
                : nullptr;
  if (!F || F->isVarArg() || F->arg_size() + 1 != Call.arg_size() ||
      F->getReturnType() != Call.getType())
    return false;
  IRBuilder<> B(&Call);
  SmallVector<Value *, 4> Args;
  for (Argument &P : F->args()) {
    Value *V = Call.getArgOperand(P.getArgNo() + 1);
    Type *T = P.getType();
    if (P.hasByValAttr() || P.hasStructRetAttr())
      return false;
    if (V->getType()->isFloatingPointTy() && T->isFloatingPointTy() &&
        V->getType() != T)
      V = B.CreateFPCast(V, T);
    else if (V->getType()->isPointerTy() && !T->isPointerTy() &&
             Call.getParamDereferenceableBytes(P.getArgNo() + 1))
      V = B.CreateLoad(T, V);
    if (V->getType() != T)
      return false;
    Args.push_back(V);
  }
  Function *Wrapper =
      Function::Create(F->getFunctionType(), GlobalValue::InternalLinkage,
                       WrapperPrefix + F->getName(), M);
  IRBuilder<> In(BasicBlock::Create(M.getContext(), "", Wrapper));
  SmallVector<Value *, 4> Forwarded;
  for (Argument &P : Wrapper->args())
    Forwarded.push_back(&P);
  CallInst *Inner = In.CreateCall(F, Forwarded);
  Inner->setCallingConv(F->getCallingConv());
  Inner->setAttributes(F->getAttributes());
  if (F->getReturnType()->isVoidTy())
    In.CreateRetVoid();
  else
    In.CreateRet(Inner);
  declare(*Wrapper, /*Pure=*/false);
  CallBase *New;
  if (auto *Inv = dyn_cast<InvokeInst>(&Call))
    New = B.CreateInvoke(Wrapper, Inv->getNormalDest(), Inv->getUnwindDest(),
                         Args);
  else
    New = B.CreateCall(Wrapper, Args);
  New->setDebugLoc(Call.getDebugLoc());
  Call.replaceAllUsesWith(New);
  return true;
}

void Marker::run() {
  // Those of globals stand there already, or it is late and they are made now.
  holdInactiveGlobals(M);
  // So do those that a unit made before the link for its own derivatives.
  for (Function &F : M)
    if (F.getName().starts_with(ConstantPrefix))
      declare(F, /*Pure=*/true);
    else if (F.getName().starts_with(WrapperPrefix))
      declare(F, /*Pure=*/false);
  SmallVector<Instruction *, 8> Ignored;
  SmallVector<CallBase *, 4> Ignore, Inactive;
  for (Function &F : M)
    for (Instruction &I : instructions(F)) {
      bool Says = I.hasMetadata("enzyme_inactive") ||
                  I.hasMetadata("enzyme_inactive_inst");
      auto *Call = dyn_cast<CallBase>(&I);
      if (Call && Call->getAttributes().hasFnAttr("enzyme_inactive"))
        Says = true;
      if (Says)
        Ignored.push_back(&I);
      switch (Call ? inactiveCallOf(*Call) : InactiveCall::None) {
      case InactiveCall::None:
        break;
      case InactiveCall::IgnoreDerivatives:
        Ignore.push_back(Call);
        break;
      case InactiveCall::CallInactive:
        Inactive.push_back(Call);
        break;
      }
    }
  for (Instruction *I : Ignored)
    ignore(*I);
  // What is not understood remains and is refused by name.
  for (CallBase *Call : Ignore)
    if (ignoreArgument(*Call)) {
      if (auto *Inv = dyn_cast<InvokeInst>(Call)) {
        BranchInst::Create(Inv->getNormalDest(), Inv->getIterator());
        Inv->getUnwindDest()->removePredecessor(Inv->getParent());
      }
      Call->eraseFromParent();
    }
  for (CallBase *Call : Inactive)
    if (callInactive(*Call))
      Call->eraseFromParent();
}

void retrograd::markInactiveValues(Module &M, Catalogue &Cat) {
  Marker(M, Cat).run();
}

bool retrograd::releaseInactiveValues(Module &M) {
  bool Any = false;
  if (NamedMDNode *N = M.getNamedMetadata(Held))
    N->eraseFromParent();
  for (Function &F : make_early_inc_range(M)) {
    if (F.getName().starts_with(WrapperPrefix))
      F.removeFnAttr(Attribute::NoInline);
    if (!F.getName().starts_with(ConstantPrefix))
      continue;
    Any = true;
    for (User *U : make_early_inc_range(F.users()))
      if (auto *Call = dyn_cast<CallInst>(U)) {
        Call->replaceAllUsesWith(Call->getArgOperand(0));
        Call->eraseFromParent();
      }
    if (F.use_empty())
      F.eraseFromParent();
  }
  return Any;
}
