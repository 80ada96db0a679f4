//===- DifferentiatePass.cpp - every derivative call of a module ----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pass/DifferentiatePass.h"
#include "Emit/BatchEmitter.h"
#include "Emit/SharedAdditions.h"
#include "Entry/Hints.h"
#include "Entry/LowerEntryCalls.h"
#include "Entry/Precision.h"
#include "Entry/PrepareEntryCalls.h"
#include "Entry/SparseViews.h"
#include "Entry/UserRules.h"
#include "Guard/DeviceLibrary.h"
#include "Guard/HeldForLink.h"
#include "Guard/InactiveValues.h"
#include "Guard/KeepEqualities.h"
#include "Pass/Differentiator.h"
#include "Pass/PrintAnalysesPass.h"
#include "Polish/DynamicShared.h"
#include "Target/Target.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

/// Of a split derivative: the calls of the half that Calls are not.
static SmallVector<const EntryCall *, 4>
otherHalf(ArrayRef<const EntryCall *> Calls, ArrayRef<EntryCall> All) {
  DerivativeRequest Other = Calls.front()->Request;
  SmallVector<const EntryCall *, 4> Found;
  if (Other.FromTape || (Other.Mode != DerivativeMode::Augment &&
                         Other.Mode != DerivativeMode::Sweep))
    return Found;
  Other.Mode = Other.Mode == DerivativeMode::Augment ? DerivativeMode::Sweep
                                                     : DerivativeMode::Augment;
  for (const EntryCall &E : All)
    if (E.Request == Other && E.Call)
      Found.push_back(&E);
  return Found;
}

/// Entry N, and the later ones with an equal request: those share a derivative,
/// and what is known of its arguments.
static SmallVector<const EntryCall *, 4> alike(ArrayRef<EntryCall> Calls,
                                               size_t N) {
  SmallVector<const EntryCall *, 4> Found;
  for (const EntryCall &E : Calls.drop_front(N))
    if (E.Request == Calls[N].Request)
      Found.push_back(&E);
  return Found;
}

/// What each call has for tapes, where all of one function have something: any
/// tape of its may come to any sweep of it. On the host a tape is a pointer,
/// which can be checked, and so it is for a program that releases tapes by
/// itself, or has one half of a function elsewhere.
static void findTapeMemory(const Module &M, MutableArrayRef<EntryCall> Calls,
                           const Options &Opts) {
  const Function *Free = M.getFunction("rg_tape_free");
  if (!Opts.TapeInPlace || !Target(M).manyThreads() ||
      (Free && !Free->use_empty()))
    return;
  DenseMap<const Function *, uint64_t> Least;
  DenseMap<const Function *, unsigned> Halves;
  auto HasTape = [](const EntryCall &E) {
    return !E.Request.FromTape && (E.Request.Mode == DerivativeMode::Augment ||
                                   E.Request.Mode == DerivativeMode::Sweep);
  };
  for (const EntryCall &E : Calls)
    if (HasTape(E)) {
      auto [It, New] = Least.try_emplace(E.Request.Primal, E.OfTape.UserBytes);
      It->second = std::min(It->second, E.OfTape.UserBytes);
      Halves[E.Request.Primal] |=
          E.Request.Mode == DerivativeMode::Augment ? 1 : 2;
    }
  for (EntryCall &E : Calls)
    if (HasTape(E) && Halves.lookup(E.Request.Primal) == 3)
      E.Request.UserBytes = Least.lookup(E.Request.Primal);
}

/// What the command line says and we do not do.
static void reportOptions(Module &M, const Options &Opts,
                          DiagnosticEngine &Diags) {
  RequestTrail Nowhere;
  for (const auto &[Name, Why] : Opts.Meaningless)
    Diags.report(DiagId::OptionWithoutMeaning, nullptr, Nowhere, {Name, Why});
  for (const std::string &Name : Opts.Unsupported)
    Diags.report(DiagId::OptionNotYet, nullptr, Nowhere, {Name});
}

PreservedAnalyses DifferentiatePass::run(Module &M,
                                         ModuleAnalysisManager &MAM) {
  // Before a link, what other units may need of this one stays fit to be
  // differentiated.
  const bool Last = Stage != LinkStage::BeforeLink;
  releaseRules(M, Last);
  // Hands off what was not asked: without derivative calls nothing happens.
  if (!hasEntryCalls(M) || !Opts.Enabled) {
    releaseLibrary(M, MAM, {},
                   Opts); // held for derivatives that nobody needs any more
    if (Last)
      unmarkInactiveValues(M);
    bool Changed = Last && releaseEqualities(M);
    Changed |= Last && releaseHeld(M, MAM, Opts);
    Changed |=
        Last && Opts.Enabled && Opts.OffloadDevice.empty() && growLaunches(M);
    // But for what a program may ask the runtime itself, rg_tape_free say.
    Changed |= Last && RuntimeLibrary(M).resolveDeclarations();
    return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  switch (Stage) {
  case LinkStage::Whole:
    // The native half of a fat object, whose other half is for the linker.
    if (hasDeferredCalls(M)) {
      unmarkInactiveValues(M);
      return releaseEqualities(M) ? PreservedAnalyses::none()
                                  : PreservedAnalyses::all();
    }
    break;
  case LinkStage::BeforeLink:
    if (lacksBodies(M, MAM, Opts)) {
      deferEntryCalls(M, Opts);
      return PreservedAnalyses::none();
    }
    break;
  case LinkStage::FullLink:
  case LinkStage::ThinLink:
  case LinkStage::ByName:
    Opts = optionsAtLink(M, Opts);
    nameHeld(M);
    break;
  }

  bool AtLink = Stage == LinkStage::FullLink || Stage == LinkStage::ThinLink;
  DiagnosticEngine Diags(M, AtLink ? DiagnosticEngine::InLinker
                                   : DiagnosticEngine::Aloud);
  reportOptions(M, Opts, Diags);
  ModuleCatalogue Cat(M, Diags);
  markInactiveValues(M, Cat.get());
  if (Opts.EmptyFunctionsInactive)
    Cat.silenceUnknown(M);
  rewriteHints(M, Diags); // some stand in functions that are to be copied
  lowerFolds(M);
  lowerPrecisionCalls(M, Cat.get(), Diags);
  EntryCalls Entries = prepareEntryCalls(M, MAM, Diags, Cat);
  lowerViews(M, MAM, Diags, Opts,
             /*Last=*/false); // those of code that is to be differentiated
  noteViews(M, MAM, Entries.Calls);
  findTapeMemory(M, Entries.Calls, Opts);
  SmallVector<Function *, 8> Derivatives;
  {
    Differentiator Derive(M, MAM, Cat.get(), Diags, Opts);
    // What the program calls of the runtime may be called by a primal.
    Derive.runtime().resolveDeclarations();
    // Innermost first, so that an outer derivative sees the inner one's code.
    for (auto [N, Entry] : enumerate(Entries.Calls)) {
      if (Entry.Request.Mode == DerivativeMode::Batch)
        lowerEntryCall(Entry, *emitBatch(Entry.Request, M), Derive.runtime());
      else if (auto Same = alike(Entries.Calls, N);
               Function *D =
                   Derive.differentiate(Same, otherHalf(Same, Entries.Calls)))
        lowerEntryCall(Entry, *D, Derive.runtime());
      else
        removeRefusedCall(*Entry.Call);
      if (Entry.Again) {
        Derive.runtime().resolveDeclarations();
        lowerViews(M, MAM, Diags, Opts, /*Last=*/false);
      }
    }
    for (CallBase *Call : Entries.Refused)
      removeRefusedCall(*Call);
    Derive.finish(Last);
    Derive.runtime().resolveDeclarations();
    lowerViews(M, MAM, Diags, Opts, /*Last=*/true);
    if (Last) {
      placeDynamicShadows(M);
      if (Opts.OffloadDevice.empty())
        growLaunches(M);
    }
    Derive.runtime().resolveDeclarations();
    append_range(Derivatives, Derive.finished());
    if (Opts.GroupOnDevice && Target(M).addsFloatsByLoop())
      for (Function *D : Derivatives)
        groupSharedAdditions(*D, Derive.runtime());
  }
  unmarkInactiveValues(M);
  removeHints(M);
  removeUnusedEntryDeclarations(M);
  removeKept(M);
  if (Last) {
    releaseEqualities(M);
    releaseHeld(M, MAM, Opts);
  } else {
    holdForLink(M, Cat.get());
  }
  releaseLibrary(M, MAM, Derivatives, Opts);
  Diags.finish();
  return PreservedAnalyses::none();
}

PreservedAnalyses PrintAnalysesPass::run(Module &M,
                                         ModuleAnalysisManager &MAM) {
  if (!hasEntryCalls(M))
    return PreservedAnalyses::all();
  DiagnosticEngine Diags(M);
  ModuleCatalogue Cat(M, Diags);
  markInactiveValues(M, Cat.get());
  if (Opts.EmptyFunctionsInactive)
    Cat.silenceUnknown(M);
  rewriteHints(M, Diags); // some stand in functions that are to be copied
  lowerFolds(M);
  lowerPrecisionCalls(M, Cat.get(), Diags);
  EntryCalls Entries = prepareEntryCalls(M, MAM, Diags, Cat);
  findTapeMemory(M, Entries.Calls, Opts);
  Differentiator Derive(M, MAM, Cat.get(), Diags, Opts);
  for (size_t N = 0; N != Entries.Calls.size(); ++N)
    if (Entries.Calls[N].Request.Mode != DerivativeMode::Batch)
      Derive.plan(alike(Entries.Calls, N));
  Derive.finish();
  unmarkInactiveValues(M);
  Diags.finish();
  return PreservedAnalyses::none();
}
