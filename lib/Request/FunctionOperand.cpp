//===- FunctionOperand.cpp - which function does a value name -------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A walk against the flow of values that collects functions. Anything it does
// not know makes the answer incomplete, and the user is told: guessing here
// would differentiate the wrong function.
//
// What a parameter of a function with local linkage may be is what its callers
// pass, all of which are visible. A linkonce function (an instance of a C++
// template) has callers in other translation units, and the linker keeps just
// one of its copies, so nothing may be concluded from the callers seen here;
// Entry/SpecializeWrappers gives the callers seen here a private copy instead.
//
//===----------------------------------------------------------------------===//

#include "Request/FunctionOperand.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace retrograd;

namespace {

class Resolver {
public:
  FunctionOperand Result;
  void visit(Value *V);

private:
  SmallPtrSet<Value *, 16> Seen;

  void visitLoad(LoadInst &Load);
  void visitParameter(Argument &A);
  void visitResultOf(CallBase &Call);
  void fail() { Result.Complete = false; }
};

} // namespace

void Resolver::visit(Value *V) {
  V = V->stripPointerCastsAndAliases();
  if (!Seen.insert(V).second)
    return;
  if (Seen.size() > 256)
    return fail();
  if (auto *F = dyn_cast<Function>(V)) {
    Result.Functions.insert(F);
    return;
  }
  if (isa<UndefValue>(V) && !isa<PoisonValue>(V))
    return fail();
  if (isa<PoisonValue>(V))
    return; // a path that cannot be taken
  if (auto *Cast = dyn_cast<Operator>(V);
      Cast && (Cast->getOpcode() == Instruction::PtrToInt ||
               Cast->getOpcode() == Instruction::IntToPtr ||
               Cast->getOpcode() == Instruction::BitCast ||
               Cast->getOpcode() == Instruction::Freeze))
    return visit(Cast->getOperand(0));
  if (auto *Select = dyn_cast<SelectInst>(V)) {
    visit(Select->getTrueValue());
    return visit(Select->getFalseValue());
  }
  if (auto *Phi = dyn_cast<PHINode>(V)) {
    for (Value *Incoming : Phi->incoming_values())
      visit(Incoming);
    return;
  }
  if (auto *Load = dyn_cast<LoadInst>(V))
    return visitLoad(*Load);
  if (auto *A = dyn_cast<Argument>(V))
    return visitParameter(*A);
  if (auto *Call = dyn_cast<CallBase>(V))
    return visitResultOf(*Call);
  // A function passed by reference arrives as the address of its variable.
  if (auto *Slot = dyn_cast<AllocaInst>(V)) {
    Result.ByReference = true;
    for (User *U : Slot->users())
      if (auto *Store = dyn_cast<StoreInst>(U);
          Store && Store->getPointerOperand() == Slot)
        visit(Store->getValueOperand());
    if (Result.Functions.empty())
      fail();
    return;
  }
  fail();
}

/// A load of a variable that only loads and stores touch (-O0), or of a
/// constant.
void Resolver::visitLoad(LoadInst &Load) {
  const DataLayout &DL = Load.getDataLayout();
  Value *From = Load.getPointerOperand();
  APInt Offset(DL.getIndexTypeSizeInBits(From->getType()), 0);
  Value *Base = From->stripAndAccumulateConstantOffsets(
      DL, Offset, /*AllowNonInbounds=*/true);

  if (auto *G = dyn_cast<GlobalVariable>(Base)) {
    bool NeverStored = G->isConstant() ||
                       (G->hasLocalLinkage() && all_of(G->users(), [](User *U) {
                          auto *L = dyn_cast<LoadInst>(U);
                          return L && !L->isVolatile();
                        }));
    if (NeverStored && G->hasDefinitiveInitializer())
      if (Constant *C = ConstantFoldLoadFromConst(G->getInitializer(),
                                                  Load.getType(), Offset, DL))
        return visit(C);
    return fail();
  }

  auto *Slot = dyn_cast<AllocaInst>(Base);
  if (!Slot || Offset != 0)
    return fail();
  SmallVector<Value *, 4> Stored;
  for (User *U : Slot->users()) {
    if (auto *Store = dyn_cast<StoreInst>(U);
        Store && Store->getPointerOperand() == Slot && !Store->isVolatile()) {
      Stored.push_back(Store->getValueOperand());
      continue;
    }
    if (isa<LoadInst>(U) || isa<DbgInfoIntrinsic>(U) ||
        (isa<IntrinsicInst>(U) &&
         cast<IntrinsicInst>(U)->isLifetimeStartOrEnd()))
      continue;
    return fail(); // its address goes elsewhere
  }
  if (Stored.empty())
    return fail();
  for (Value *V : Stored)
    visit(V);
}

void Resolver::visitParameter(Argument &A) {
  Function *F = A.getParent();
  if (!Result.Parameter && Result.Functions.empty())
    Result.Parameter = &A;
  if (!F->hasLocalLinkage() || F->use_empty())
    return fail();
  for (Use &U : F->uses()) {
    auto *Call = dyn_cast<CallBase>(U.getUser());
    if (!Call || !Call->isCallee(&U) || Call->arg_size() <= A.getArgNo())
      return fail();
    visit(Call->getArgOperand(A.getArgNo()));
  }
}

/// The conversion of a captureless lambda to a function pointer is, at -O0, a
/// call of a function that returns a constant.
void Resolver::visitResultOf(CallBase &Call) {
  Function *F = Call.getCalledFunction();
  if (!F || F->isDeclaration() || F->isInterposable())
    return fail();
  bool Returns = false;
  for (Instruction &I : instructions(*F))
    if (auto *Ret = dyn_cast<ReturnInst>(&I); Ret && Ret->getReturnValue()) {
      Returns = true;
      // A callee that returns what it was given: look at what it was given
      // here.
      if (auto *A =
              dyn_cast<Argument>(Ret->getReturnValue()->stripPointerCasts()))
        visit(Call.getArgOperand(A->getArgNo()));
      else
        visit(Ret->getReturnValue());
    }
  if (!Returns)
    fail();
}

FunctionOperand retrograd::resolveFunction(Value *V) {
  Resolver R;
  R.visit(V);
  if (R.Result.Functions.empty())
    R.Result.Complete = false;
  return std::move(R.Result);
}
