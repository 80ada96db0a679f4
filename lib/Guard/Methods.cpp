//===- Methods.cpp - parallel loops that are methods of libraries ---------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Guard/Methods.h"
#include "Bitcode/RuntimeLibrary.h"
#include "Catalogue/Catalogue.h"
#include "Catalogue/ParallelMethods.h"
#include "Diagnostics/DiagnosticEngine.h"
#include "Diagnostics/RequestTrail.h"
#include "Guard/MethodSubstitute.h"
#include "Support/CallBinding.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include <optional>

using namespace llvm;
using namespace retrograd;

/// On methods: the substitute. Metadata, since linkers rename functions.
static constexpr StringLiteral SubstituteMetadata = "rg.substitute";
/// Variables of the program that hold the qualified name of a method of its own
/// (RG_PARALLEL_FOR in retrograd.h), a loop over indices.
static constexpr StringLiteral Marker = "__rg_parallel_for";

namespace {
/// What a method is called. Record is null for those of the program.
struct MethodName {
  StringRef Scope, Base;
  const ParallelMethodRecord *Record;
};
} // namespace

/// All names that methods of M may have.
static SmallVector<MethodName, 8> methodNames(Module &M) {
  SmallVector<MethodName, 8> Names;
  for (const ParallelMethodRecord &R : parallelMethods())
    Names.push_back({R.Scope, R.Base, &R});
  for (GlobalVariable &G : M.globals()) {
    StringRef Name;
    if (!G.getName().contains(Marker) || !G.hasInitializer() ||
        !getConstantStringInfo(&G, Name))
      continue;
    auto [Scope, Base] = Name.rsplit("::");
    if (Base.empty())
      Names.push_back({"", Name, nullptr});
    else
      Names.push_back({Scope, Base, nullptr});
  }
  return Names;
}

/// Null if something that has to be known of the method F is not.
static Function *makeSubstitute(Function &F, const CxxName &Name,
                                const ParallelMethodRecord *Known,
                                const CxxMembers &All) {
  if (!Known)
    return substituteOfIndices(F, Name, All);
  if (Known->Kind == ParallelMethodKind::Calls)
    return substituteOfCalls(F, Name, All);
  if (Known->Kind == ParallelMethodKind::StepScan ||
      Known->Kind == ParallelMethodKind::StepWhole)
    return substituteOfSteps(F, Name, *Known, All);
  if (!Known->Policy.empty())
    return substituteOfPolicy(F, Name, *Known, All);
  return substituteOfRange(F, Name, *Known, All);
}

static void warn(DiagnosticEngine &Diags, const Function &F,
                 const MethodName &Mark) {
  const std::string Name =
      (Mark.Scope.empty() ? Mark.Base : Mark.Scope + "::" + Mark.Base).str();
  Diags.report(DiagId::MarkWithoutEffect, &F.getEntryBlock().front(), {},
               {Name, F.getReturnType()->isVoidTy()
                          ? "its parameters are not those of a loop"
                          : "it returns something"});
}

SmallVector<Function *, 4>
retrograd::substituteMethods(Module &M, DiagnosticEngine &Diags) {
  const SmallVector<MethodName, 8> Methods = methodNames(M);
  // Demangling costs: first, the last part of the scope and the name itself.
  SmallVector<std::pair<Function *, const MethodName *>, 8> Candidates;
  for (Function &F : M)
    if (!F.isDeclaration() && F.getName().starts_with("_Z"))
      for (const MethodName &K : Methods)
        if ((!K.Record || F.getReturnType()->isVoidTy()) &&
            F.getName().contains(K.Base) &&
            F.getName().contains(K.Scope.rsplit("::").second))
          Candidates.push_back({&F, &K});
  SmallVector<Function *, 4> Made;
  std::optional<CxxMembers> All;
  for (auto [F, K] : Candidates) {
    std::optional<CxxName> N = demangle(*F);
    if (!N || N->Base != K->Base ||
        StringRef(N->Class).substr(0, N->Class.find('<')) != K->Scope)
      continue;
    if (!All)
      All.emplace(M);
    Function *S = F->getReturnType()->isVoidTy()
                      ? makeSubstitute(*F, *N, K->Record, *All)
                      : nullptr;
    if (!S) {
      // What a library calls so, derivatives look into. Of the program's own
      // loops they were told not to.
      if (!K->Record)
        warn(Diags, *F, *K);
      continue;
    }
    F->setMetadata(SubstituteMetadata,
                   MDNode::get(M.getContext(), ValueAsMetadata::get(S)));
    // Nobody changes the parameters of either.
    appendToCompilerUsed(M, {F, S});
    Made.push_back(F);
  }
  return Made;
}

Function *retrograd::substituteOf(const Function &F) {
  const MDNode *N = F.getMetadata(SubstituteMetadata);
  return N && N->getNumOperands()
             ? mdconst::dyn_extract_or_null<Function>(N->getOperand(0))
             : nullptr;
}

/// What refers to itself, directly or not, by way of Body.
static SmallSetVector<const Constant *, 32>
closure(ArrayRef<const Constant *> From,
        function_ref<const Function *(const Function &)> Body) {
  SmallSetVector<const Constant *, 32> Found(From.begin(), From.end());
  auto Visit = [&](const Value *V) {
    if (const auto *C = dyn_cast<Constant>(V))
      Found.insert(C);
  };
  for (unsigned Next = 0; Next < Found.size(); ++Next) {
    const Constant *C = Found[Next];
    for_each(C->operands(), Visit); // an initialiser, an aliasee, a personality
    if (const auto *F = dyn_cast<Function>(C))
      for (const Instruction &I : instructions(*Body(*F)))
        for_each(I.operands(), Visit);
  }
  return Found;
}

static const Function *bodyInPrimals(const Function &F) {
  const Function *S = substituteOf(F);
  return S ? S : &F;
}

SmallSetVector<const Constant *, 32>
retrograd::referredTo(ArrayRef<const Constant *> From) {
  return closure(From, bodyInPrimals);
}

SmallPtrSet<const Function *, 32>
retrograd::usedByMethodsOnly(const Module &M) {
  SmallVector<const Constant *, 8> Methods, Others;
  for (const Function &F : M)
    if (substituteOf(F))
      Methods.push_back(&F);
  if (Methods.empty())
    return {};
  auto Theirs = closure(Methods, [](const Function &F) { return &F; });
  for (const GlobalObject &G : M.global_objects())
    if (!Theirs.contains(&G))
      Others.push_back(&G);
  for (const Constant *C : referredTo(Others))
    Theirs.remove(C);
  SmallPtrSet<const Function *, 32> Only;
  for (const Constant *C : Theirs)
    if (const auto *F = dyn_cast<Function>(C))
      Only.insert(F);
  return Only;
}

static SmallVector<CallBase *, 4> callsOf(const Function &F) {
  SmallVector<CallBase *, 4> Calls;
  for (const User *U : F.users())
    if (auto *Call = dyn_cast<CallBase>(U);
        Call && Call->getCalledOperand() == &F &&
        Call->getFunctionType() == F.getFunctionType())
      Calls.push_back(const_cast<CallBase *>(Call));
  return Calls;
}

/// Calls become calls of a function that calls Ours in a team of ours, else
/// Theirs.
static void chooseWhereItRuns(ArrayRef<CallBase *> Calls, Function &Theirs,
                              Function &Ours, Function &IsInPool) {
  if (Calls.empty())
    return;
  Module &M = *Theirs.getParent();
  LLVMContext &C = M.getContext();
  Function *F =
      Function::Create(Theirs.getFunctionType(), GlobalValue::InternalLinkage,
                       "rg.either." + Theirs.getName(), M);
  F->setAttributes(Theirs.getAttributes().removeFnAttributes(C));
  F->setCallingConv(Theirs.getCallingConv());
  IRBuilder<> B(BasicBlock::Create(C, "", F));
  BasicBlock *In = BasicBlock::Create(C, "", F),
             *Out = BasicBlock::Create(C, "", F);
  B.CreateCondBr(B.CreateCall(&IsInPool), In, Out);
  for (auto [Block, Callee] : {std::pair{In, &Ours}, std::pair{Out, &Theirs}}) {
    B.SetInsertPoint(Block);
    SmallVector<Value *, 4> Args(make_pointer_range(F->args()));
    CallInst *Call = B.CreateCall(Callee, Args);
    Call->setAttributes(F->getAttributes());
    Call->setCallingConv(Callee->getCallingConv());
    if (F->getReturnType()->isVoidTy())
      B.CreateRetVoid();
    else
      B.CreateRet(Call);
  }
  for (CallBase *Call : Calls) {
    Call->setCalledFunction(F);
    Call->setCallingConv(F->getCallingConv());
  }
}

/// Derivatives call loops in which nothing is active, and functions that have
/// such loops. On its own threads the library runs them as ever. Where a team
/// of ours runs the caller, the library would take our threads for threads from
/// elsewhere, and give them numbers that others of the team have.
static void runLibraryOutside(Module &M, ArrayRef<Function *> Methods) {
  RuntimeLibrary Runtime(M);
  Function &IsInPool = *Runtime.require("rg_pool_here");
  for (Function *F : Methods) {
    Function *S = substituteOf(*F);
    SmallVector<CallBase *, 4> Calls = callsOf(*F);
    append_range(Calls, callsOf(*S));
    chooseWhereItRuns(Calls, *F, *S, IsInPool);
  }
  forEachInPool([&](StringRef Name, StringRef Routine) {
    Function *Theirs = M.getFunction(Name);
    if (!Theirs || !Theirs->isDeclaration())
      return;
    SmallVector<CallBase *, 4> Calls = callsOf(*Theirs);
    erase_if(Calls, [](const CallBase *Call) {
      const Function &In = *Call->getFunction();
      return In.hasHiddenVisibility() && In.getName().starts_with("rg_");
    });
    if (Calls.empty())
      return;
    if (Function *Ours = Runtime.require(Routine);
        Ours && Ours->getFunctionType() == Theirs->getFunctionType())
      chooseWhereItRuns(Calls, *Theirs, *Ours, IsInPool);
  });
  Runtime.resolveDeclarations();
}

bool retrograd::dropSubstitutes(Module &M) {
  SmallPtrSet<Constant *, 8> Kept;
  SmallVector<Function *, 8> Methods;
  bool Any = false;
  for (Function &F : M)
    if (Function *S = substituteOf(F)) {
      Methods.push_back(&F);
      Kept.insert(&F);
      Kept.insert(S);
      Any |= !callsOf(*S).empty();
    }
  if (Kept.empty())
    return false;
  // The sweeps of the pool, in the module if some derivative has a team.
  for (StringRef Sweep : {"rg_pool_augment", "rg_pool_forward"})
    if (Function *F = M.getFunction(Sweep))
      Any |= !F->use_empty();
  if (Any)
    runLibraryOutside(M, Methods);
  for (Function *F : Methods)
    F->setMetadata(SubstituteMetadata, nullptr);
  removeFromUsedLists(
      M, [&](Constant *C) { return Kept.contains(C->stripPointerCasts()); });
  return true;
}

void retrograd::useSubstitutes(Function &Clone, const Function &Original) {
  const bool OfTeam = bindingOf(Original) == CallBinding::Team;
  for (Instruction &I : make_early_inc_range(instructions(Clone))) {
    auto *Call = dyn_cast<CallBase>(&I);
    Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (!Callee)
      continue;
    if (Function *S = substituteOf(*Callee);
        S && S->getFunctionType() == Call->getFunctionType()) {
      Call->setCalledFunction(S);
      continue;
    }
    if (!OfTeam || Callee->getName() != PoolRoutine)
      continue;
    // One thread of the team.
    IRBuilder<> B(Call);
    B.CreateCall(cast<Function>(Call->getArgOperand(1)->stripPointerCasts()),
                 {Call->getArgOperand(2)});
    Call->eraseFromParent();
  }
}
