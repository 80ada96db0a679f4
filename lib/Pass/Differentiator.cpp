//===- Differentiator.cpp - the derivatives of one module -----------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pass/Differentiator.h"
#include "Analysis/ArgumentRanges.h"
#include "Emit/DisjointChoice.h"
#include "Emit/FieldChoice.h"
#include "Emit/Shortcuts.h"
#include "Emit/SplitEmitter.h"
#include "Loops/LoopNests.h"
#include "Pass/CallSites.h"
#include "Pass/Pipelines.h"
#include "Polish/CleanUp.h"
#include "Polish/InlineArena.h"
#include "Polish/LeaveDerivative.h"
#include "Polish/OwnReaches.h"
#include "Polish/PolishSteps.h"
#include "Polish/StripAdditions.h"
#include "Polish/VectorColumns.h"
#include "Polish/ZeroShares.h"
#include "Target/Target.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Support/TimeProfiler.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace retrograd;

Differentiator::Differentiator(Module &M, ModuleAnalysisManager &MAM,
                               Catalogue &Cat, DiagnosticEngine &Diags,
                               const Options &Opts)
    : M(M), MAM(MAM), Cat(Cat), Diags(Diags), Given(Opts), Opts(Opts),
      Runtime(M), Shadows(M) {}

Differentiator::~Differentiator() = default;

Function *Differentiator::differentiate(ArrayRef<const EntryCall *> Calls,
                                        ArrayRef<const EntryCall *> OtherHalf) {
  for (auto &[Known, D] : Answered)
    if (Known == Calls.front()->Request)
      return D;
  if (std::optional<Function *> Promised = promisedApart(Calls))
    return *Promised;
  if (Function *Choice = preferDisjoint(Calls))
    return Choice;
  return answer(Calls, OtherHalf);
}

/// F's numbers, asked for in E's way.
static EntryCall askedOf(Function &F, const EntryCall &E) {
  EntryCall Copy = E;
  Copy.Request.Primal = &F;
  return Copy;
}

Function *Differentiator::answerOf(Function &Copy,
                                   ArrayRef<const EntryCall *> Calls) {
  SmallVector<EntryCall, 2> Copies;
  for (const EntryCall *E : Calls)
    Copies.push_back(askedOf(Copy, *E));
  SmallVector<const EntryCall *, 4> OfCopy;
  for (const EntryCall &E : Copies)
    OfCopy.push_back(&E);
  return answer(OfCopy, {});
}

std::optional<Function *>
Differentiator::promisedApart(ArrayRef<const EntryCall *> Calls) {
  const DerivativeRequest &R = Calls.front()->Request;
  Function &F = *R.Primal;
  if (!Opts.RestrictByCallers || PlanOnly || !Target(M).manyThreads() ||
      R.Mode != DerivativeMode::ReverseJoint || F.isDeclaration() ||
      Cat.lookupFunction(F) ||
      any_of(Calls, [](const EntryCall *E) { return E->Again; }))
    return std::nullopt;
  BitVector Apart = apartParameters(Calls);
  for (const Argument &A : F.args())
    if (!A.getType()->isPointerTy() || A.hasNoAliasAttr())
      Apart.reset(A.getArgNo());
  if (Apart.none())
    return std::nullopt;
  Function *Copy = cloneApart(F);
  DisjointCopies.push_back(Copy);
  for (unsigned N : Apart.set_bits())
    Copy->getArg(N)->addAttr(Attribute::NoAlias);
  Function *D = answerOf(*Copy, Calls);
  if (D)
    Answered.push_back({R, D});
  return D;
}

Function *Differentiator::preferApart(ArrayRef<const EntryCall *> Calls) {
  const DerivativeRequest &R = Calls.front()->Request;
  Function &F = *R.Primal;
  if (F.isDeclaration() || F.hasOptNone())
    return nullptr;
  auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  Cat.askFor(/*Forward=*/false);
  PreparePrimal &Prepare = preparation(R.Mode);
  auto RangesOf = [&](Function *Of) -> std::optional<FieldRanges> {
    Function *Prepared = Prepare.prepare(*Of);
    if (!Prepared)
      return std::nullopt;
    return FieldRanges::of(*Prepared,
                           FAM.getResult<ScalarEvolutionAnalysis>(*Prepared),
                           FAM.getResult<LoopAnalysis>(*Prepared));
  };
  if (!RangesOf(&F))
    return nullptr;
  Function *Copy = cloneApart(F);
  DisjointCopies.push_back(Copy);
  std::optional<FieldRanges> Ranges = RangesOf(Copy);
  if (!Ranges)
    return nullptr;
  Function *Prepared = Prepare.preparedOf(Copy);
  Function *Question = emitFieldQuestion(
      R, *Prepared, *Ranges, FAM.getResult<ScalarEvolutionAnalysis>(*Prepared));
  markApart(*Prepared, *Ranges);
  widenIndices(Ranges->Wide, FAM.getResult<ScalarEvolutionAnalysis>(*Prepared));
  FAM.invalidate(*Prepared, PreservedAnalyses::none());
  Function *Choice =
      chooseBetween(Calls, *Copy, [&](Function &Disjoint, Function &General) {
        return emitFieldChoice(*Question, Disjoint, General);
      });
  if (Choice)
    Diags.remark("Disjoint", *F.getEntryBlock().getTerminator(),
                 "has one derivative for arrays that do not overlap, and one "
                 "for all others: each call compares where the pointers in its "
                 "arguments lead");
  return Choice;
}

/// With more instructions, the derivative for arguments that overlap is made
/// for size. Else its loops would have two forms each, with questions in front
/// of them that say no where it runs at all, and LLVM would spend more time on
/// it than on the one that calls usually take.
static constexpr unsigned LargeGeneral = 1000;

/// One derivative of Copy, one of what Calls ask for, and Choose's choice.
Function *Differentiator::chooseBetween(
    ArrayRef<const EntryCall *> Calls, Function &Copy,
    function_ref<Function *(Function &, Function &)> Choose) {
  const DerivativeRequest &R = Calls.front()->Request;
  Function *Disjoint = answerOf(Copy, Calls);
  if (!Disjoint)
    return nullptr; // and why was told
  Rare = true;
  Function *General = answer(Calls, {});
  Rare = false;
  if (!General)
    return nullptr;
  Function *Choice = Choose(*Disjoint, *General);
  if (General->getInstructionCount() > LargeGeneral)
    General->addFnAttr(Attribute::OptimizeForSize);
  for (auto &[Known, D] : Answered)
    if (Known == R)
      D = Choice;
  return Choice;
}

Function *Differentiator::preferDisjoint(ArrayRef<const EntryCall *> Calls) {
  const DerivativeRequest &R = Calls.front()->Request;
  Function &F = *R.Primal;
  if (!Opts.DisjointArguments || !Opts.AliasScopes || PlanOnly ||
      R.Mode != DerivativeMode::ReverseJoint || R.WholeAdditions ||
      Target(M).manyThreads() || Cat.lookupFunction(F) ||
      any_of(Calls, [](const EntryCall *E) { return E->Again; }))
    return nullptr;
  auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  std::optional<ArgumentRanges> Ranges =
      ArgumentRanges::of(F, FAM.getResult<ScalarEvolutionAnalysis>(F),
                         FAM.getResult<LoopAnalysis>(F));
  if (!Ranges)
    return preferApart(Calls);
  Function *Copy = cloneApart(F);
  DisjointCopies.push_back(Copy);
  if (!Ranges->Wide.empty()) {
    auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(*Copy);
    if (auto OfCopy =
            ArgumentRanges::of(*Copy, SE, FAM.getResult<LoopAnalysis>(*Copy)))
      widenIndices(OfCopy->Wide, SE);
    FAM.invalidate(*Copy, PreservedAnalyses::none());
  }
  promiseDisjoint(*Copy);
  Function *Choice =
      chooseBetween(Calls, *Copy, [&](Function &Disjoint, Function &General) {
        return emitDisjointChoice(R, *Ranges, Disjoint, General);
      });
  if (!Choice)
    return nullptr;
  Diags.remark("Disjoint", *F.getEntryBlock().getTerminator(),
               "has one derivative for arguments that do not overlap, and one "
               "for all others: each call compares their addresses; with "
               "restrict on the pointer parameters there is only the first");
  return Choice;
}

Function *Differentiator::answer(ArrayRef<const EntryCall *> Calls,
                                 ArrayRef<const EntryCall *> OtherHalf) {
  // Both halves of a split derivative are made at once, whichever is met first.
  DerivativeRequest R = Calls.front()->Request;
  const DerivativeMode Half = R.Mode;
  if (R.FromTape)
    R = Calls.front()->Tangents;
  else if (Half == DerivativeMode::Sweep)
    R.Mode = DerivativeMode::Augment;
  RootUniform = uniformParameters(Calls);
  if (!OtherHalf.empty())
    RootUniform &= uniformParameters(OtherHalf);
  // What moves numbers as bits, or exchanges them, is not differentiated again.
  bool Again = any_of(Calls, [](const EntryCall *E) { return E->Again; });
  Opts.MergeOnDevice = Given.MergeOnDevice && !Again;
  Opts.ExchangeOnDevice = Given.ExchangeOnDevice && !Again;
  Opts.SumsAtEnd = Given.SumsAtEnd && !Again;
  Opts.LoopsInStep = Given.LoopsInStep && !Again;
  Cat.askFor(/*Forward=*/R.Mode == DerivativeMode::Forward);
  PreparePrimal &Prepare = preparation(R.Mode);
  Candidates Reach = Candidates::All;
  std::optional<Written> Made;
  for (bool Ended = false; !Ended;) {
    const Function *Mingles = nullptr;
    SmallVector<Function *, 8> Merging;
    SmallVector<const Function *, 4> Moving;
    switch (attempt(R, Calls, Prepare, Reach, Made, Mingles, Merging, Moving)) {
    case DerivativeJobs::Outcome::Mingled:
      if (Mingles)
        Prepare.inlineEverywhere(*Mingles);
      else
        Prepare.separateCalls(Merging);
      break;
    case DerivativeJobs::Outcome::Moved:
      Prepare.keepWordsInMemory(Moving);
      break;
    case DerivativeJobs::Outcome::Wide:
      if (Reach == Candidates::All &&
          Prepare.narrowCalls(*R.Primal, constantsHandedTo(Calls))) {
        Reach = Candidates::Narrow;
        break;
      }
      if (Reach == Candidates::Narrow)
        Prepare.widenCalls();
      Reach = Candidates::AllAndTell;
      break;
    default:
      Ended = true;
    }
  }
  Function *D = Made ? Made->Made : nullptr;
  if (Made && D && R.Mode == DerivativeMode::Augment) {
    SplitPair Pair = emitSplit(R, *D, *Made->Sweep, Runtime);
    endTapeOnUnwinding(*Pair.Begin, *R.Primal);
    if (inPlaceBytes(*Pair.Begin)) // as much the kernel's own as its tape is
      Finished.append({Pair.Begin, Pair.Finish});
    DerivativeRequest Second = R;
    Second.Mode = DerivativeMode::Sweep;
    Answered.push_back({R, Pair.Begin});
    Answered.push_back({Second, Pair.Finish});
    D = Half == DerivativeMode::Sweep ? Pair.Finish : Pair.Begin;
  } else if (Made && D && R.FromTape) {
    SplitPair Pair = emitSplitForward(R, *Made->Recorder, *D, Runtime);
    endTapeOnUnwinding(*Pair.Begin, *R.Primal);
    Answered.push_back({augmentOf(R), Pair.Begin});
    Answered.push_back({R, Pair.Finish});
    D = Half == DerivativeMode::Augment ? Pair.Begin : Pair.Finish;
  } else if (D) {
    Answered.push_back({R, D});
  }
  if (Reach == Candidates::Narrow)
    Prepare.widenCalls();
  return D;
}

/// One attempt, from the preparation on.
DerivativeJobs::Outcome Differentiator::attempt(
    const DerivativeRequest &R, ArrayRef<const EntryCall *> Calls,
    PreparePrimal &Prepare, Candidates Reach, std::optional<Written> &Made,
    const Function *&Mingles, SmallVectorImpl<Function *> &Merging,
    SmallVectorImpl<const Function *> &Moving) {
  const RequestTrail Trail = Calls.front()->trail();
  Function *Root;
  {
    TimeTraceScope Scope("rg-prepare", R.Primal->getName());
    Root = Prepare.prepare(*R.Primal);
  }
  if (!Root) {
    Diags.report(DiagId::FunctionNotVisible, nullptr, Trail,
                 {DiagArg(R.Primal)});
    return DerivativeJobs::Outcome::Failed;
  }
  SmallVector<Function *, 8> Graph = Prepare.reachable(*Root);
  Shadows.begin(Graph);
  raw_ostream &Printed =
      errs(); // layering: the printers that the user asked for
  if (Opts.PrintPrimal)
    for (Function *F : Graph)
      F->print(Printed);

  // Types come from the primal and what it calls, most of the time. Where those
  // only move bytes, the callers are asked as well, and debug information last,
  // so that -g changes as little as possible.
  std::unique_ptr<TypeAnalysis> CallerTypes;
  OutsideEvidence Outside;
  collectArguments(Calls, *Root, Outside);
  const DerivativeJobs::House House{M,       MAM,     Cat,     Diags,   Opts,
                                    Prepare, Runtime, Shadows, Launches};
  for (unsigned Try = 0;; ++Try) {
    if (Try == 1) {
      CallerTypes = std::make_unique<TypeAnalysis>(
          surroundings(Calls), [](const Function *) { return nullptr; }, Cat);
      Outside.Types = CallerTypes.get();
    } else if (Try == 2) {
      Outside.DebugInfo = true;
    }
    ProgramFacts Facts(
        Graph, [&Prepare](const Function *F) { return Prepare.preparedOf(F); },
        Cat, Try ? &Outside : nullptr, R.ManySweeps, Outside.Arguments);
    if (Opts.PrintMerges)
      TypeAnalysis(
          Graph,
          [&Prepare](const Function *F) { return Prepare.preparedOf(F); }, Cat,
          Try ? &Outside : nullptr, /*KeepJournal=*/true)
          .printMerges(Printed);
    if (Opts.PrintTypes)
      Facts.types().print(Printed);
    // Tangents of several lanes lie side by side where nothing speaks against
    // it. (A GPU has threads for that, and no vectors.)
    bool Packs = Opts.PackLanes && !Target(M).manyThreads() &&
                 R.Mode == DerivativeMode::Forward && R.Width != 1 &&
                 !R.Dependencies && !R.ErrorEstimate;
    for (;; Packs = false) {
      std::unique_ptr<LaneLayout> Layout =
          Packs ? std::make_unique<LaneLayout>(Facts, Graph) : nullptr;
      const bool LastTry = Try == 2 || (Try == 1 && !Root->getSubprogram());
      DerivativeJobs Jobs(House,
                          {*Root, Facts, Layout.get(), RootUniform,
                           /*CallersAsked=*/Try != 0, LastTry,
                           /*MayNarrow=*/Reach != Candidates::AllAndTell, Rare},
                          R, Trail);
      DerivativeJobs::Outcome Result = Jobs.plan();
      if (Result == DerivativeJobs::Outcome::Apart)
        continue;
      if (Result == DerivativeJobs::Outcome::Bytes) {
        Facts.moveUnknownBytes();
        continue;
      }
      if (Result == DerivativeJobs::Outcome::Untyped)
        break;
      Mingles = Jobs.mingles();
      append_range(Merging, Jobs.merging());
      append_range(Moving, Jobs.moving());
      if (Result == DerivativeJobs::Outcome::Planned && !PlanOnly &&
          Jobs.emit(Finished))
        Made = {Jobs.made(), Jobs.sweep(), Jobs.recorder()};
      return Result;
    }
  }
}

void Differentiator::plan(ArrayRef<const EntryCall *> Calls) {
  PlanOnly = true;
  differentiate(Calls);
  PlanOnly = false;
}

bool Differentiator::callsThroughPointers() const {
  return any_of(
      ArrayRef{PrepareReverse.get(), PrepareForward.get()},
      [](const PreparePrimal *P) { return P && P->callsThroughPointers(); });
}

void Differentiator::finish(bool Last) {
  for (PreparePrimal *P : {PrepareReverse.get(), PrepareForward.get()})
    if (P)
      P->dispose();
  auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  for (Function *F : DisjointCopies) {
    FAM.clear(*F, F->getName());
    F->eraseFromParent();
  }
  DisjointCopies.clear();
  if (!Last)
    return;
  takeShortcuts(M);
  if (Opts.ZerosOnDevice && Target(M).manyThreads())
    markAdditions(M);
  if (!Opts.CleanUp)
    return;
  const StepRunner Steps(Opts);
  const bool OnHost = !Target(M).manyThreads();
#define FUNCTION(NAME, ...) NAME(__VA_ARGS__)
#define CODE(...) __VA_ARGS__
#define FINISHED_STEP(ID, NAME, DEMAND, RUN, WHY)                              \
  for (Function *Derivative : Finished) {                                      \
    Function &F = *Derivative;                                                 \
    Steps.run(step::ID, F, [&] { return RUN; });                               \
  }
#define HOST_STEP(ID, NAME, DEMAND, RUN, WHY)                                  \
  if (OnHost)                                                                  \
  FINISHED_STEP(ID, NAME, DEMAND, RUN, WHY)
#include "Polish/Polish.def"
#undef FUNCTION
#undef CODE
}

PreparePrimal &Differentiator::preparation(DerivativeMode Mode) {
  bool Forward = Mode == DerivativeMode::Forward && Cat.modesDiffer();
  std::unique_ptr<PreparePrimal> &P = Forward ? PrepareForward : PrepareReverse;
  if (!P)
    P = std::make_unique<PreparePrimal>(M, MAM, Cat, Opts);
  return *P;
}
