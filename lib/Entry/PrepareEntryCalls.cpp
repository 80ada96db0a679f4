//===- PrepareEntryCalls.cpp - from a module to its requests --------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What stands between a call and its request, and what is done about it:
//
//   wrappers that must be inlined   inline them: clang did so already, `opt` on
//                                   plain -O0 IR did not
//   a function kept in a variable   SROA of the function around the call, when
//   or closure of -O0               the operand cannot be read otherwise
//   a function that is a parameter  private copies, SpecializeWrappers.cpp
//   one of several functions        a call for each, SeparateFunctions.cpp
//   callbacks of the primal         a private copy of the primal that calls
//                                   them by name, so that their bodies can be
//                                   seen
//   a library function              a forwarder that calls it
//
//===----------------------------------------------------------------------===//

#include "Entry/PrepareEntryCalls.h"
#include "Diagnostics/DiagnosticEngine.h"
#include "Entry/ComputedGotos.h"
#include "Entry/Hints.h"
#include "Entry/LowerEntryCalls.h"
#include "Request/EntryFamilies.h"
#include "Request/EntryPoints.h"
#include "Request/FunctionOperand.h"
#include "Request/Markers.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/Scalar/InstSimplifyPass.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace retrograd;

static bool isKnown(Value *V) {
  FunctionOperand Named = resolveFunction(V);
  return Named.Complete && Named.Functions.size() == 1;
}

/// Does F call its parameter A, as far as its own text tells?
static bool callsParameter(const Argument &A) {
  SmallVector<const Value *, 4> Work = {&A};
  SmallPtrSet<const Value *, 8>
      Seen; // variables are stored to one another in circles
  while (!Work.empty()) {
    const Value *V = Work.pop_back_val();
    for (const User *U : V->users()) {
      if (auto *Call = dyn_cast<CallBase>(U);
          Call && Call->getCalledOperand() == V)
        return true;
      if (auto *Store = dyn_cast<StoreInst>(U))
        if (auto *Slot = dyn_cast<AllocaInst>(Store->getPointerOperand());
            Slot && Store->getValueOperand() == V)
          for (const User *OfSlot : Slot->users())
            if (isa<LoadInst>(OfSlot) && Seen.insert(OfSlot).second)
              Work.push_back(cast<Instruction>(OfSlot));
    }
  }
  return false;
}

/// A reference to a marker that -O0 keeps in a variable: what an inlined
/// wrapper leaves of `std::forward<T>(marker)`.
static bool hidesMarker(const Value *V) {
  for (unsigned Depth = 0; Depth < 2; ++Depth) {
    auto *Load = dyn_cast<LoadInst>(V);
    if (!Load)
      return false;
    V = Load->getPointerOperand();
    if (isa<AllocaInst>(V))
      return any_of(V->users(), [](const User *U) {
        auto *Store = dyn_cast<StoreInst>(U);
        return Store && isa<GlobalVariable>(Store->getValueOperand()) &&
               isMarker(Store->getValueOperand());
      });
  }
  return false;
}

/// Is there a value at this call that would have to be a known function or a
/// marker, is not, and comes from memory?
static bool hidesFunction(CallBase &Call) {
  Use *Operand = functionOperandOf(Call);
  if (!Operand)
    return false;
  if (any_of(Call.args(), [](const Use &U) { return hidesMarker(U.get()); }))
    return true;
  FunctionOperand Named = resolveFunction(Operand->get());
  if (!Named.Complete)
    return !isa<Argument>(Operand->get());
  if (Named.Functions.size() != 1 ||
      none_of(Named.Functions[0]->args(), callsParameter))
    return false;
  for (unsigned I = Operand->getOperandNo() + 1; I < Call.arg_size(); ++I) {
    Value *V = Call.getArgOperand(I);
    if (V->getType()->isPointerTy() && !isa<Constant>(V) && !isa<Argument>(V) &&
        !isKnown(V))
      return true;
  }
  return false;
}

/// Brings functions that -O0 keeps in memory into registers, where they are
/// hidden from us otherwise. The rest of the module keeps its -O0 form.
static void uncoverFunctions(Module &M, ModuleAnalysisManager &MAM) {
  auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  for (Function &F : M) {
    if (F.isDeclaration() || none_of(instructions(F), [](Instruction &I) {
          auto *Call = dyn_cast<CallBase>(&I);
          return Call && hidesFunction(*Call);
        }))
      continue;
    FAM.invalidate(F, SROAPass(SROAOptions::PreserveCFG).run(F, FAM));
    FAM.invalidate(F, InstSimplifyPass().run(F, FAM));
  }
}

void retrograd::specializePrimal(EntryCall &Entry) {
  Function *Primal = Entry.Request.Primal;
  SmallVector<std::pair<unsigned, Constant *>, 2> Known;
  // The halves of split mode have to mean one function.
  bool Whole = Entry.Request.Mode == DerivativeMode::Forward ||
               Entry.Request.Mode == DerivativeMode::ReverseJoint;
  std::string Name = (Primal->getName() + ".rg").str();
  for (unsigned I = 0; I < Entry.Parameters.size(); ++I) {
    const EntryOperand &Operand = Entry.Parameters[I].Primal;
    if (Entry.Request.Args[I] != ArgActivity::Const ||
        Operand.How != EntryOperand::Direct ||
        !Operand.V->getType()->isPointerTy() || Primal->getArg(I)->use_empty())
      continue;
    if (isa<ConstantPointerNull>(Operand.V)) {
      const Argument *A = Primal->getArg(I);
      if (Whole && !Entry.Request.FromTape && !A->hasByValAttr() &&
          !A->hasNonNullAttr() && A->getType() == Operand.V->getType()) {
        Known.push_back({I, cast<Constant>(Operand.V)});
        Name += "." + std::to_string(I) + ".null";
      }
      continue;
    }
    FunctionOperand Named = resolveFunction(Operand.V);
    if (!Named.Complete || Named.Functions.size() != 1 || Named.ByReference ||
        Named.Functions[0]->getType() != Primal->getArg(I)->getType())
      continue;
    Known.push_back({I, Named.Functions[0]});
    Name += "." + std::to_string(I) + "." + Named.Functions[0]->getName().str();
  }
  if (Known.empty())
    return;
  Module &M = *Primal->getParent();
  Function *Copy = M.getFunction(Name);
  if (!Copy) {
    ValueToValueMapTy Map;
    Copy = CloneFunction(Primal, Map);
    Copy->setName(Name);
    Copy->setLinkage(GlobalValue::InternalLinkage);
    Copy->setVisibility(GlobalValue::DefaultVisibility);
    Copy->setDSOLocal(true);
    Copy->setComdat(nullptr);
    for (auto [I, Passed] : Known)
      Copy->getArg(I)->replaceAllUsesWith(Passed);
  }
  Entry.Request.Primal = Copy;
}

Function *retrograd::makeForwarder(Function &Known) {
  Module &M = *Known.getParent();
  std::string Name = ("rg.call." + Known.getName()).str();
  if (Function *Made = M.getFunction(Name))
    return Made;
  Function *F = Function::Create(Known.getFunctionType(),
                                 GlobalValue::InternalLinkage, Name, M);
  IRBuilder<> Builder(BasicBlock::Create(M.getContext(), "", F));
  SmallVector<Value *, 4> Arguments;
  for (Argument &A : F->args())
    Arguments.push_back(&A);
  CallInst *Call = Builder.CreateCall(&Known, Arguments);
  Call->setCallingConv(Known.getCallingConv());
  Call->setAttributes(Known.getAttributes());
  if (Call->getType()->isVoidTy())
    Builder.CreateRetVoid();
  else
    Builder.CreateRet(Call);
  return F;
}

/// What no derivative can be made of, wherever it stands below an entry call:
/// returning twice, coroutines, computed goto by labels from elsewhere, and a
/// function that needs its own derivative. True if something was diagnosed.
static bool refuseForms(const EntryCall &Entry, const EntryCalls &All,
                        DiagnosticEngine &Diags) {
  struct Visit {
    const Function *F;
    RequestTrail Trail;
  };
  SmallVector<Visit, 8> Work = {{Entry.Request.Primal, Entry.trail()}};
  SmallPtrSet<const Function *, 16> Seen = {Entry.Request.Primal};
  while (!Work.empty()) {
    Visit V = Work.pop_back_val();
    if (V.F->hasFnAttribute(Attribute::PresplitCoroutine)) {
      Diags.report(DiagId::Coroutine, nullptr, V.Trail, {V.F});
      return true;
    }
    for (const Instruction &I : instructions(*V.F)) {
      if ((isa<IndirectBrInst>(I) && !findComputedGotos(*V.F)) ||
          isa<CallBrInst>(I)) {
        Diags.report(DiagId::UnsupportedControlFlow, &I, V.Trail,
                     {isa<IndirectBrInst>(I)
                          ? "computed goto by labels that others may hold, too"
                          : "asm goto"});
        return true;
      }
      auto *Call = dyn_cast<CallBase>(&I);
      if (!Call)
        continue;
      if (Call == Entry.Call) {
        Diags.report(DiagId::RecursiveDerivative, Call, V.Trail,
                     {Entry.Request.Primal});
        return true;
      }
      if (Call->hasFnAttr(Attribute::ReturnsTwice)) {
        Diags.report(DiagId::NonLocalJump, Call, V.Trail,
                     {Call->getCalledOperand()});
        return true;
      }
      // Below a nested derivative call lies what it differentiates.
      const Function *Callee = Call->getCalledFunction();
      for (const EntryCall &Nested : All.Calls)
        if (Nested.Call == Call)
          Callee = Nested.Request.Primal;
      if (Callee && !Callee->isDeclaration() && Seen.insert(Callee).second)
        Work.push_back({Callee, V.Trail.through(*Call, *Callee)});
    }
  }
  return false;
}

/// The shadow of a virtual table or of a function is itself: calls through
/// pointers look at the primal address alone.
static void replaceVirtualReverse(Module &M) {
  for (Function &F : M) {
    if (!isItsArgument(F))
      continue;
    for (User *U : make_early_inc_range(F.users())) {
      auto *Call = dyn_cast<CallBase>(U);
      if (!Call || Call->getCalledOperand() != &F || Call->arg_size() != 1)
        continue;
      Value *Itself = Call->getArgOperand(0);
      auto IsAddress = [](Type *T) {
        return T->isPointerTy() || T->isIntegerTy(64);
      };
      if (!IsAddress(Itself->getType()) || !IsAddress(Call->getType()))
        continue; // diagnosed like an entry call that we do not have
      IRBuilder<> B(Call);
      Call->replaceAllUsesWith(
          B.CreateBitOrPointerCast(Itself, Call->getType()));
      if (auto *Inv = dyn_cast<InvokeInst>(Call)) {
        B.CreateBr(Inv->getNormalDest());
        Inv->getUnwindDest()->removePredecessor(Inv->getParent());
      }
      Call->eraseFromParent();
    }
  }
}

/// The size of a tape in memory of the user's is a constant.
static void replaceTapeSizes(Module &M) {
  for (Function &F : M)
    for (Instruction &I : make_early_inc_range(instructions(F)))
      if (auto *Call = dyn_cast<CallBase>(&I);
          Call && isTapeSizeCall(*Call) && Call->getType()->isIntegerTy()) {
        Call->replaceAllUsesWith(
            ConstantInt::get(Call->getType(), TapeHandleBytes));
        removeRefusedCall(*Call);
      }
}

EntryCalls
retrograd::prepareEntryCalls(Module &M, ModuleAnalysisManager &MAM,
                             DiagnosticEngine &Diags,
                             function_ref<bool(const Function &)> HasRule) {
  if (!hasEntryCalls(M))
    return {};
  rewriteHints(M, Diags);
  replaceVirtualReverse(M);
  MAM.invalidate(M, AlwaysInlinerPass(/*InsertLifetime=*/false).run(M, MAM));
  replaceTapeSizes(M);
  uncoverFunctions(M, MAM);
  if (specializeWrappers(M)) {
    MAM.invalidate(M, PreservedAnalyses::none());
    uncoverFunctions(M, MAM);
  }
  if (separateFunctions(M))
    MAM.invalidate(M, PreservedAnalyses::none());
  // A copy of a primal that holds entry calls itself adds entry calls. Its
  // callbacks are known now, so each round gets further in; equal copies are
  // made once.
  EntryCalls Found;
  for (unsigned Round = 0; Round < 8; ++Round) {
    Found = collectEntryCalls(M, Diags, HasRule);
    for (EntryCall &Entry : Found.Calls)
      if (!HasRule(*Entry.Request.Primal))
        specializePrimal(Entry);
    if (none_of(Found.Calls, [&](const EntryCall &Entry) {
          return any_of(
              instructions(*Entry.Request.Primal), [&](Instruction &I) {
                auto *Call = dyn_cast<CallBase>(&I);
                return Call && functionOperandOf(*Call) && !makesView(*Call) &&
                       none_of(Found.Calls, [&](const EntryCall &E) {
                         return E.Call == Call;
                       });
              });
        }))
      break;
  }
  SmallVector<EntryCall, 4> Accepted;
  for (EntryCall &Entry : Found.Calls) {
    // A rule speaks of calls, so a call is made.
    if (HasRule(*Entry.Request.Primal))
      Entry.Request.Primal = makeForwarder(*Entry.Request.Primal);
    if (refuseForms(Entry, Found, Diags))
      Found.Refused.push_back(Entry.Call);
    else
      Accepted.push_back(Entry);
  }
  Found.Calls = std::move(Accepted);
  return Found;
}
