//===- DifferentiatePass.cpp - every derivative call of a module ----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pass/DifferentiatePass.h"
#include "Emit/BatchEmitter.h"
#include "Emit/GatherTiles.h"
#include "Emit/GroupAdditions.h"
#include "Entry/Hints.h"
#include "Entry/LowerEntryCalls.h"
#include "Guard/HeldForLink.h"
#include "Guard/HostGuard.h"
#include "Guard/InactiveValues.h"
#include "Guard/KeepRules.h"
#include "Pass/Differentiator.h"
#include "Pass/KernelHalf.h"
#include "Pass/ModuleSession.h"
#include "Pass/PrintAnalysesPass.h"
#include "Pass/WatchedCalls.h"
#include "Polish/DynamicShared.h"
#include "Polish/LaunchMemory.h"
#include "Polish/PolishSteps.h"
#include "Primal/PrimalSteps.h"
#include "Target/Target.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

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

PreservedAnalyses DifferentiatePass::run(Module &M,
                                         ModuleAnalysisManager &MAM) {
  // Before a link, what other units may need of this one stays fit to be
  // differentiated.
  GuardedModule Guarded{.M = M, .MAM = MAM, .Opts = Opts, .Stage = Stage};
  const bool Last = Guarded.isLast();
  const bool AtLink = Guarded.isInLinker();
  releaseForRequests(Guarded);
  const bool Watched = Opts.Enabled && !AtLink && watchCalls(M);
  // Hands off what was not asked: without derivative calls nothing happens.
  if (!hasEntryCalls(M) || !Opts.Enabled) {
    if (Opts.Enabled && Last &&
        is_contained(Opts.Unsupported, "-enzyme-truncate-all")) {
      // It is said of the whole program, whatever that differentiates.
      ModuleSession Session(M, MAM, Opts, DiagnosticEngine::Aloud);
      Session.reportOptions();
      Session.finish();
    }
    bool Changed = Watched;
    Changed |= Last && Opts.Enabled && unboxHandles(M);
    Changed |= releaseGuards(Guarded);
    Changed |= Last && Opts.Enabled && Opts.OffloadDevice.empty() &&
               growLaunches(M, Opts);
    // But for what a program may ask the runtime itself, rg_tape_free say.
    Changed |= Last && RuntimeLibrary(M).resolveDeclarations();
    return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  switch (Stage) {
  case LinkStage::Whole:
    // The native half of a fat object, whose other half is for the linker.
    if (hasDeferredCalls(M))
      return releaseGuards(Guarded) ? PreservedAnalyses::none()
                                    : PreservedAnalyses::all();
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

  ModuleSession Session(M, MAM, Opts,
                        AtLink ? DiagnosticEngine::InLinker
                               : DiagnosticEngine::Aloud);
  Session.reportOptions();
  EntryCalls Entries = Session.requests();
  SmallVector<Function *, 8> Derivatives;
  KernelHalf Kernels(M, Session.catalogue(), Session.diagnostics(), Opts);
  {
    Differentiator Derive(M, MAM, Session.catalogue(), Session.diagnostics(),
                          Opts);
    Derive.setLaunches(Kernels.launches());
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
      else {
        removeRefusedCall(*Entry.Call);
        Entry.Call = nullptr; // the other half of a split derivative looks here
      }
      if (Entry.Again) {
        Derive.runtime().resolveDeclarations();
        Session.lowerViews(/*Last=*/false);
      }
    }
    for (Value *Call : Entries.Refused)
      if (Call)
        removeRefusedCall(*cast<CallBase>(Call));
    Derive.finish(Last);
    Derive.runtime().resolveDeclarations();
    Session.lowerViews(/*Last=*/true);
    if (Last) {
      placeDynamicShadows(M);
      if (Opts.OffloadDevice.empty())
        growLaunches(M, Opts);
    }
    Derive.runtime().resolveDeclarations();
    append_range(Derivatives, Derive.finished());
    Kernels.finish();
    const StepRunner Steps(Opts);
    if (Target(M).addsFloatsByLoop()) {
      auto &FAM =
          MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
      for (Function *D : Derivatives) {
        FAM.invalidate(*D, PreservedAnalyses::none());
        Steps.run(step::JoinAdditions, *D,
                  [&] { joinAdditions(*D, FAM.getResult<AAManager>(*D)); });
        Steps.run(step::GatherTiles, *D, [&] { return gatherTiles(*D, FAM); });
        auto &AA = FAM.getResult<AAManager>(*D);
        Steps.run(step::WarpProducts, *D,
                  [&] { return warpProducts(*D, Derive.runtime(), AA); });
        Steps.run(step::GroupAdditions, *D,
                  [&] { groupAdditions(*D, Derive.runtime(), AA); });
        Steps.run(step::NeighbourLanes, *D,
                  [&] { neighbourLanes(*D, Derive.runtime(), AA); });
        Steps.run(step::MergePlaces, *D,
                  [&] { mergePlaces(*D, Derive.runtime(), AA); });
        Steps.run(step::MergeInLine, *D,
                  [&] { mergeInLine(*D, Derive.runtime()); });
      }
    }
  }
  Session.finish();
  removeHints(M);
  removeUnusedEntryDeclarations(M);
  removeKept(M);
  if (Last)
    unboxHandles(M);
  else
    holdForLink(M, Session.catalogue());
  Guarded.Derivatives = Derivatives;
  releaseGuards(Guarded);
  if (Opts.Stats) {
    raw_ostream &Printed =
        errs(); // layering: the printers that the user asked for
    printJobStats(Printed);
    Printed << "functions changed by each step:\n";
    printStats(primalSteps(), Printed);
    printStats(polishSteps(), Printed);
  }
  return PreservedAnalyses::none();
}

PreservedAnalyses PrintAnalysesPass::run(Module &M,
                                         ModuleAnalysisManager &MAM) {
  if (!hasEntryCalls(M))
    return PreservedAnalyses::all();
  ModuleSession Session(M, MAM, Opts, DiagnosticEngine::Aloud);
  EntryCalls Entries = Session.requests();
  KernelHalf Kernels(M, Session.catalogue(), Session.diagnostics(), Opts);
  Differentiator Derive(M, MAM, Session.catalogue(), Session.diagnostics(),
                        Opts);
  Derive.setLaunches(Kernels.launches());
  for (size_t N = 0; N != Entries.Calls.size(); ++N)
    if (Entries.Calls[N].Request.Mode != DerivativeMode::Batch)
      Derive.plan(alike(Entries.Calls, N));
  Derive.finish();
  Session.finish();
  releaseInactiveValues(M);
  return PreservedAnalyses::none();
}
