//===- ModuleSession.cpp - one module and its requests --------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pass/ModuleSession.h"
#include "Entry/Hints.h"
#include "Entry/Precision.h"
#include "Entry/PrepareEntryCalls.h"
#include "Entry/SparseViews.h"
#include "Guard/InactiveValues.h"
#include "Polish/PolishSteps.h"
#include "Primal/PrimalSteps.h"
#include "Target/Target.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/TimeProfiler.h"

using namespace llvm;
using namespace retrograd;

SmallVector<const EntryCall *, 4> retrograd::alike(ArrayRef<EntryCall> Calls,
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

ModuleSession::ModuleSession(Module &M, ModuleAnalysisManager &MAM,
                             const Options &Opts, DiagnosticEngine::Voice How)
    : M(M), MAM(MAM), Opts(Opts), Diags(M, How), Cat(M, Diags) {}

EntryCalls ModuleSession::requests() {
  TimeTraceScope Scope("rg-requests");
  markInactiveValues(M, Cat.get());
  if (Opts.EmptyFunctionsInactive)
    Cat.silenceUnknown(M);
  rewriteHints(M, Diags); // some stand in functions that are to be copied
  lowerFolds(M);
  lowerPrecisionCalls(M, Cat.get(), Diags);
  EntryCalls Entries = prepareEntryCalls(M, MAM, Diags, Cat);
  lowerViews(/*Last=*/false); // those of code that is to be differentiated
  noteViews(M, MAM, Entries.Calls);
  findTapeMemory(M, Entries.Calls, Opts);
  return Entries;
}

void ModuleSession::lowerViews(bool Last) {
  retrograd::lowerViews(M, MAM, Diags, Opts, Last);
}

void ModuleSession::reportOptions() {
  RequestTrail Nowhere;
  for (const auto &[Name, Why] : Opts.Meaningless)
    Diags.report(DiagId::OptionWithoutMeaning, nullptr, Nowhere, {Name, Why});
  for (const std::string &Name : Opts.Unsupported)
    Diags.report(DiagId::OptionNotYet, nullptr, Nowhere, {Name});
  for (const std::string &Name : Opts.DisabledSteps) {
    const PipelineStep *S = stepNamed(primalSteps(), Name);
    if (!S)
      S = stepNamed(polishSteps(), Name);
    if (!S || S->Kind == PipelineStep::Needed)
      Diags.report(DiagId::CannotDisable, nullptr, Nowhere,
                   {Name, S ? "derivatives need it" : "nothing has this name"});
  }
}

void ModuleSession::finish() { Diags.finish(); }
