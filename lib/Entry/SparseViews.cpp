//===- SparseViews.cpp - memory that is a pair of functions ---------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pointer into a view is known by its offset in bytes and by the extra
// arguments of the call that made the view. Both are followed as values from
// that call on: an addition to the pointer is one to the offset, a phi of
// pointers is a phi of each, a callee that is given such a pointer gets a copy
// that is given these values instead. What uses the pointer as an address
// becomes a call of the view's functions; what cannot be followed is told at
// its line.
//
//
//===----------------------------------------------------------------------===//

#include "Entry/SparseViews.h"
#include "Entry/LowerEntryCalls.h"
#include "Entry/ViewFlow.h"
#include "Entry/ViewLowering.h"
#include "Polish/CleanUp.h"
#include "Request/EntryCalls.h"
#include "Request/EntryFamilies.h"
#include "Request/FunctionOperand.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace retrograd;

bool Views::refuse(const Instruction &At, unsigned Kind, const Twine &Why) {
  if (Told.insert(&At).second)
    Diags.report(DiagId::ViewLost, &At, RequestTrail(),
                 {Kinds[Kind].Name, Why.str()});
  return false;
}

/// Reads the operands of a call that makes a view; none if they were diagnosed.
std::optional<unsigned> Views::kindOf(CallBase &Call) {
  ViewKind K;
  K.Name = isNowhere(Call) ? "__enzyme_todense"
                           : userName(*Call.getCalledFunction());
  auto Malformed = [&](const Twine &What) {
    Diags.report(DiagId::ViewForm, &Call, RequestTrail(Call, nullptr),
                 {K.Name, What.str()});
    return std::nullopt;
  };
  K.Attributes = Call.getAttributes();
  if (!isNowhere(Call)) {
    if (Call.arg_size() < 2 || !Call.getType()->isPointerTy())
      return Malformed(
          "a function that loads and one that stores, and return a pointer");
    for (unsigned N : {0, 1}) {
      FunctionOperand Named = resolveFunction(Call.getArgOperand(N));
      if (!Named.Complete || Named.Functions.size() != 1 || Named.ByReference)
        return Malformed("a function that loads and one that stores, which are "
                         "known when this is compiled");
      (N ? K.Store : K.Load) = Named.Functions[0];
    }
    for (const Use &U : drop_begin(Call.args(), 2))
      K.Extras.push_back(U->getType());
    K.Element = K.Load->getReturnType();
    auto Fits = [&](Function &F, unsigned First) {
      if (F.isVarArg() || F.arg_size() <= First ||
          !F.getArg(First)->getType()->isIntegerTy() ||
          F.arg_size() > First + 1 + K.Extras.size())
        return false;
      for (unsigned N = First + 1; N != F.arg_size(); ++N) {
        Type *From = K.Extras[N - First - 1], *To = F.getArg(N)->getType();
        bool Same = From == To && F.hasParamAttribute(N, Attribute::ByVal) ==
                                      K.Attributes.hasParamAttr(
                                          N - First + 1, Attribute::ByVal);
        if (!Same && !(From->isFloatingPointTy() && To->isFloatingPointTy()) &&
            !(From->isIntegerTy() && To->isIntegerTy()))
          return false;
      }
      return true;
    };
    bool IsNumber = K.Element->isFloatingPointTy() || K.Element->isIntegerTy();
    if (!IsNumber || !Fits(*K.Load, 0))
      return Malformed("a function that returns a number for an offset in "
                       "bytes and what follows here, and not '" +
                       userName(*K.Load) + "'");
    // Who only reads may name anything: a function that stops the program, of
    // whatever form.
    K.ReadOnly = !K.Store->arg_size() ||
                 K.Store->getArg(0)->getType() != K.Element ||
                 !Fits(*K.Store, 1);
  } else {
    K.Extras.push_back(Call.getArgOperand(0)->getType());
  }
  auto Same = find(Kinds, K);
  if (Same != Kinds.end())
    return Same - Kinds.begin();
  Kinds.push_back(K);
  return Kinds.size() - 1;
}

/// Functions that return a pointer into a view are inlined where they are
/// called, and those that are given a local variable with one in it: a closure,
/// or a struct, that only unoptimised code has in memory.
void Views::exposeReturned(Function &F,
                           function_ref<SmallVector<Value *, 4>()> Roots) {
  constexpr unsigned MostInlined = 1000;
  auto InlineOne = [&] {
    Flow Here;
    SmallPtrSet<Value *, 4> Variables;
    for (Value *V : Roots())
      Here.add(V);
    for (size_t N = 0; N != Here.Values.size(); ++N)
      for (User *U : Here.Values[N]->users()) {
        if (isa<GetElementPtrInst, PHINode, SelectInst, CastInst, FreezeInst>(
                U)) {
          Here.add(U);
          continue;
        }
        Value *Variable = nullptr;
        if (auto *S = dyn_cast<StoreInst>(U);
            S && S->getValueOperand() == Here.Values[N])
          Variable = getUnderlyingObject(S->getPointerOperand());
        else if (auto *T = dyn_cast<MemTransferInst>(U);
                 T &&
                 Variables.contains(getUnderlyingObject(T->getRawSource())))
          Variable = getUnderlyingObject(T->getRawDest());
        if (isa_and_nonnull<AllocaInst>(Variable) &&
            Variables.insert(Variable).second)
          Here.add(Variable);
        auto *Call = dyn_cast<CallBase>(U);
        Function *Callee = Call ? Call->getCalledFunction() : nullptr;
        if (!Callee || Callee->isDeclaration() || Callee == &F ||
            (!Call->getType()->isPtrOrPtrVectorTy() &&
             !Variables.contains(getUnderlyingObject(Here.Values[N]))))
          continue;
        InlineFunctionInfo Info;
        if (InlineFunction(*Call, Info).isSuccess())
          return true;
      }
    return false;
  };
  for (unsigned Inlined = 0; Inlined != MostInlined && InlineOne(); ++Inlined)
    promote(F, MAM);
}

bool Views::lowerIn(Function &F, bool Last) {
  if (viewsOf(F).empty())
    return false;
  promote(F, MAM);
  exposeReturned(F, [&] {
    SmallVector<CallBase *, 8> Calls = viewsOf(F);
    return SmallVector<Value *, 4>(Calls.begin(), Calls.end());
  });
  MapVector<unsigned, SmallVector<CallBase *, 2>> ByKind;
  for (CallBase *Call : viewsOf(F)) {
    if (!Last && Call->use_empty())
      continue; // its user is still to be written
    Flow From;
    From.add(Call);
    From.run();
    if (!Last && !From.EntryCalls.empty())
      continue;
    if (std::optional<unsigned> Kind = kindOf(*Call))
      ByKind[*Kind].push_back(Call);
    else
      removeRefusedCall(*Call);
  }
  for (auto &[Kind, Calls] : ByKind) {
    Pointers Roots;
    for (CallBase *Call : Calls) {
      ViewPointer P;
      P.Offset = ConstantInt::get(DL.getIndexType(Call->getType()), 0);
      for (const Use &U : drop_begin(Call->args(), isNowhere(*Call) ? 0 : 2))
        P.Extras.push_back(U);
      Roots[Call] = P;
    }
    follow(F, Kind, Roots);
    for (CallBase *Call : Calls)
      removeRefusedCall(*Call);
  }
  if (ByKind.empty())
    return false;
  Changed.push_back(&F);
  return true;
}

/// Small functions of views are part of the code that uses them.
void Views::inlineAccesses() {
  constexpr unsigned MostInstructions = 100;
  for (WeakTrackingVH &V : Accesses) {
    auto *Call = dyn_cast_or_null<CallBase>(V);
    Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (!Callee || Callee->isDeclaration() || Callee->isInterposable() ||
        Callee->hasFnAttribute(Attribute::NoInline) ||
        Callee == Call->getFunction())
      continue;
    if (!Callee->hasFnAttribute(Attribute::AlwaysInline) &&
        Callee->getInstructionCount() > MostInstructions)
      continue;
    InlineFunctionInfo Info;
    InlineFunction(*Call, Info);
  }
  Accesses.clear();
}

void Views::run(bool Last) {
  // A function that makes a view for its caller belongs to the caller.
  for (unsigned Round = 0; Round != 8; ++Round) {
    SmallVector<CallBase *, 8> Returning;
    for (Function &F : M) {
      SmallVector<CallBase *, 8> Made = viewsOf(F);
      if (Made.empty() || F.getName().starts_with("rg.primal."))
        continue;
      promote(F, MAM);
      Flow From;
      for (CallBase *Call : viewsOf(F))
        From.add(Call);
      From.run();
      for (Value *V : From.Values)
        if (auto *Call = dyn_cast<CallBase>(V);
            Call && Call->getCalledFunction() == &F &&
            Call->getFunction() != &F)
          Returning.push_back(Call);
    }
    bool Any = false;
    for (CallBase *Call : Returning) {
      Function *Around = Call->getFunction();
      InlineFunctionInfo Info;
      if (InlineFunction(*Call, Info).isSuccess()) {
        Any = true;
        MAM.getResult<FunctionAnalysisManagerModuleProxy>(M)
            .getManager()
            .invalidate(*Around, PreservedAnalyses::none());
      }
    }
    if (!Any)
      break;
  }
  SmallVector<Function *, 32> Functions;
  for (Function &F : make_early_inc_range(M)) {
    if (F.isDeclaration() || F.getName().starts_with("rg.primal."))
      continue;
    // What was inlined wherever it was called.
    if (F.isDiscardableIfUnused() && F.use_empty() && !viewsOf(F).empty()) {
      if (!Last)
        continue;
      MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager().clear(
          F, F.getName());
      F.eraseFromParent();
      continue;
    }
    Functions.push_back(&F);
  }
  for (Function *F : Functions)
    lowerIn(*F, Last);
  inlineAccesses();
  auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  for (Function *F : Changed) {
    FAM.invalidate(*F, PreservedAnalyses::none());
    if (Opts.CleanUp && !F->hasFnAttribute(Attribute::OptimizeNone))
      cleanUp(*F, MAM, Opts);
  }
}

void retrograd::lowerViews(Module &M, ModuleAnalysisManager &MAM,
                           DiagnosticEngine &Diags, const Options &Opts,
                           bool Last) {
  bool Any = false;
  for (Function &F : M)
    if (F.isDeclaration() && !F.use_empty())
      for (User *U : F.users())
        Any |= isa<CallBase>(U) && makesView(*cast<CallBase>(U));
  if (Any)
    Views(M, MAM, Diags, Opts).run(Last);
}
