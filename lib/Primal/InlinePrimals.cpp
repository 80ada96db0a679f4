//===- InlinePrimals.cpp - brings callees into their callers --------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Callees first: small ones are inlined, and what that makes simple is
// simplified, in a few rounds. What has become a direct call is cloned and goes
// the same way.
//
//===----------------------------------------------------------------------===//

#include "Primal/ClonePrimal.h"
#include "Primal/DeadEndUnwinding.h"
#include "Primal/Language/PrimalEvidence.h"
#include "Primal/PrimalSet.h"
#include "Primal/ReplaceBarriers.h"
#include "Support/CallBinding.h"
#include "Support/DispatchMarks.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/InlineCost.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include <map>

using namespace llvm;
using namespace retrograd;

/// Callees up to this size (in instructions) are inlined.
constexpr unsigned SmallCallee = 300;
/// Callees with one call site, up to this, also where unrolling has made
/// several of it: together.
constexpr unsigned OnlyCallee = 3000;
/// Callees up to `Always` are inlined at any number of calls, larger ones where
/// that makes no more than `Together` of them. One body for all calls would
/// make one object of the memory that they hand over, so where they do it may
/// cost more.
struct InlineLimits {
  unsigned Always, Together;
};
constexpr InlineLimits LimitsOfNumbers{60, 1500}, LimitsOfMemory{150, 4000};
/// Nothing grows beyond this by inlining.
constexpr unsigned LargestCaller = 20000;

/// Inlines into and simplifies new clones, callees first.
void PreparePrimal::Impl::shrink(ArrayRef<Primal *> New) {
  Primal Root;
  for (Primal *P : New) {
    Root.Callees.push_back(P);
    P->Callees.clear();
    for (auto [Call, Callee] : directCalls(*P->Clone))
      if (Primal *C = primalOf(Callee)) {
        ++C->CallSites;
        P->Callees.push_back(C);
      }
  }
  // Finish the walk before anything changes: shrinking may find new callees and
  // walk over those.
  SmallVector<Primal *, 16> CalleesFirst;
  for (auto SCC = scc_begin(&Root); !SCC.isAtEnd(); ++SCC)
    for (Primal *P : *SCC) {
      if (SCC.hasCycle())
        P->Recursive = true;
      if (P->Clone && P->State == Primal::Cloned)
        CalleesFirst.push_back(P);
    }
  for (Primal *P : CalleesFirst)
    shrinkOne(*P);
}

void PreparePrimal::Impl::shrinkOne(Primal &P) {
  for (unsigned Round = 0; Round < MostRounds; ++Round) {
    bool Inlined = inlineCalls(P);
    if (!Inlined && Round)
      break;
    if (Inlined && P.Unoptimised)
      makeCopiesTyped(*P.Clone);
    dropEmptyAssembly(*P.Clone);
    Simplifier.simplifyQuickly(*P.Clone, FAM);
    resolveCalls(*P.Clone);
    verify(*P.Clone, "shrinking");
    // What has become direct: a function pointer that was an argument, a
    // virtual call of an object made here.
    cloneNewCallees(P);
  }
  noteNoUnwind(P);
  if (P.State == Primal::Cloned)
    P.State = Primal::Shrunk;
}

bool PreparePrimal::Impl::cloneNewCallees(Primal &P) {
  SmallVector<Primal *, 4> New;
  watch(P);
  const size_t Blocks = P.Clone->size();
  Exceptions.checkCalls(
      *P.Clone, [this](const Function &F) { return Watched.contains(&F); });
  if (P.Clone->size() != Blocks) // a check of a call begins another one
    FAM.invalidate(*P.Clone, PreservedAnalyses::none());
  for (auto [Call, Callee] : directCalls(*P.Clone))
    if (isTransparent(*Callee) && !primalOf(Callee))
      cloneReachable(*Callee, New);
  if (New.empty())
    return false;
  lowerExceptions(New);
  shrink(New);
  return true;
}

bool PreparePrimal::Impl::wantInline(CallBase &Call, const Primal &Caller,
                                     const Primal &Callee, unsigned CallerSize,
                                     CallCounts Here) {
  if (runsElsewhere(*Callee.Original))
    return false; // a call of it is many
  unsigned Size = Callee.Clone->getInstructionCount();
  // The body is only read where the answer matters. Calls that work on the same
  // memory need no body each.
  bool Together = Inseparable.contains(Callee.Original) ||
                  ((Callee.KeepApart || Size > SmallCallee ||
                    Call.getAttributes().hasFnAttr(Attribute::NoInline)) &&
                   (Here.Alike == 1 || Here.Alike * Size <= OnlyCallee) &&
                   movesBytesOfItsCaller(*Callee.Clone));
  if (&Caller == &Callee || Callee.State == Primal::Cloned ||
      Callee.Recursive || (Callee.KeepApart && !Together) ||
      (Call.getAttributes().hasFnAttr(Attribute::NoInline) && !Together) ||
      Call.isMustTailCall() || Call.hasOperandBundles())
    return false;
  for (auto [Inner, Name] : directCalls(*Callee.Clone))
    if (Name == Callee.Original || Name == Caller.Original)
      return false; // turned out to be recursive
  // What cannot be differentiated must not drag down the other candidates.
  if ((Caller.Original->hasFnAttribute(DispatchesCalls) &&
       !Dispatch.isHarmless(*Callee.Clone)) ||
      (Callee.Original->hasFnAttribute(DispatchesCalls) &&
       !Dispatch.isClosed(*Callee.Clone)))
    return false;
  bool IsOnly = Callee.CallSites == 1 && Here.All * Size <= OnlyCallee;
  bool MayBeLarge = IsOnly || Callee.InlineAlways || Together;
  if (Size > (MayBeLarge ? OnlyCallee : SmallCallee) ||
      Size + CallerSize > LargestCaller)
    return false;
  if (!MayBeLarge) {
    auto Memory = placesHandedBy(Call, /*Exactly=*/false);
    const InlineLimits &Limits =
        Memory && Memory->empty() ? LimitsOfNumbers : LimitsOfMemory;
    if (Size > Limits.Always &&
        std::max(Callee.CallSites, Here.All) * Size > Limits.Together)
      return false;
  }
  auto &TTI = FAM.getResult<TargetIRAnalysis>(*Caller.Clone);
  return AttributeFuncs::areInlineCompatible(*Caller.Clone, *Callee.Clone) &&
         TTI.areInlineCompatible(Caller.Clone, Callee.Clone) &&
         isInlineViable(*Callee.Clone).isSuccess();
}

bool PreparePrimal::Impl::inlineCalls(Primal &Caller) {
  Function &F = *Caller.Clone;
  bool Changed = false;
  unsigned Size = F.getInstructionCount();
  auto Assumptions = [this](Function &G) -> AssumptionCache & {
    return FAM.getResult<AssumptionAnalysis>(G);
  };
  const auto Calls = directCalls(F);
  std::map<std::pair<Function *, std::optional<SmallVector<const Value *, 4>>>,
           SmallVector<CallBase *, 2>>
      Alike;
  SmallDenseMap<Function *, unsigned, 8> All;
  for (auto [Call, Original] : Calls) {
    if (!primalOf(Original))
      continue;
    ++All[Original];
    Alike[{Original, placesHandedBy(*Call, /*Exactly=*/true)}].push_back(Call);
  }
  SmallDenseMap<CallBase *, unsigned, 8> CallsAlike;
  for (auto &[Places, Together] : Alike)
    for (CallBase *Call : Together)
      CallsAlike[Call] = Places.second ? Together.size() : 1;
  for (auto [Call, Original] : Calls) {
    Primal *Callee = primalOf(Original);
    if (!Callee)
      continue;
    if (Callee->State != Primal::Cloned && Callee->Clone->doesNotThrow())
      Call->setDoesNotThrow();
    if (!wantInline(*Call, Caller, *Callee, Size,
                    {All[Original], CallsAlike[Call]}))
      continue;
    // Inlined instructions hang their places below that of the call.
    if (!Call->getDebugLoc())
      if (DISubprogram *SP = F.getSubprogram())
        Call->setDebugLoc(DILocation::get(F.getContext(), 0, 0, SP));
    InlineFunctionInfo Info(Assumptions);
    Call->setCalledFunction(Callee->Clone);
    if (InlineFunction(*Call, Info, /*MergeAttributes=*/true,
                       /*CalleeAAR=*/nullptr, /*InsertLifetime=*/false)
            .isSuccess()) {
      Size += Callee->Clone->getInstructionCount();
      Changed = true;
    } else {
      Call->setCalledFunction(Original);
    }
  }
  if (Changed) {
    dropDeadEndUnwinding(F, Cat);
    FAM.invalidate(F, PreservedAnalyses::none());
  }
  return Changed;
}
