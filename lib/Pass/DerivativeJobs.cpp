//===- DerivativeJobs.cpp - one attempt at a request ----------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pass/DerivativeJobs.h"
#include "Analysis/LoopShape.h"
#include "Analysis/OverwriteAnalysis.h"
#include "Emit/ConstantMemory.h"
#include "Emit/FormatWatch.h"
#include "Emit/ForwardEmitter.h"
#include "Emit/FunctionShell.h"
#include "Emit/PrimalEmitter.h"
#include "Emit/ReplayEmitter.h"
#include "Emit/ReverseEmitter.h"
#include "Emit/RuleEmitter.h"
#include "Emit/StrictFloat.h"
#include "Parallel/TeamEmitter.h"
#include "Pass/ShadowGlobals.h"
#include "Plan/DerivativePlan.h"
#include "Plan/PlanRemarks.h"
#include "Plan/TypeQuestions.h"
#include "Polish/CleanUp.h"
#include "Polish/EmptyTapes.h"
#include "Polish/LeaveDerivative.h"
#include "Polish/MergeCopies.h"
#include "Polish/PolishSteps.h"
#include "Support/CallBinding.h"
#include "Support/DispatchMarks.h"
#include "Support/ExceptionMarks.h"
#include "Target/Target.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/TimeProfiler.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace retrograd;

static TrackingStatistic JobsPlanned("retrograd", "JobsPlanned",
                                     "Number of jobs planned");
static TrackingStatistic JobsEmitted("retrograd", "DerivativesEmitted",
                                     "Number of derivatives emitted");

void retrograd::printJobStats(raw_ostream &OS) {
  OS << JobsPlanned.getValue() << " jobs planned, " << JobsEmitted.getValue()
     << " derivatives emitted\n";
  JobsPlanned = 0;
  JobsEmitted = 0;
}

/// What is true of a primal, and what will be done. Later members refer to
/// earlier ones.
struct DerivativeJobs::Planned {
  Function &F; ///< prepared
  LoopShape Shape;
  ActivityAnalysis Activity;
  std::optional<OverwriteAnalysis> Overwrite;
  std::optional<DerivativePlan> Plan;

  /// For emission, which begins when all of this is there.
  const DerivativePlan &plan() const {
    assert(Plan && "emitted before it was planned");
    return *Plan;
  }
  const OverwriteAnalysis &overwrite() const {
    assert(Overwrite && "emitted before it was analysed");
    return *Overwrite;
  }

  Planned(Function &F, FunctionAnalysisManager &FAM, const Job &J,
          const ProgramFacts &Facts, const Options &Opts)
      : F(F), Shape(F, FAM.getResult<LoopAnalysis>(F),
                    FAM.getResult<ScalarEvolutionAnalysis>(F)),
        Activity(F, J.Request.Args,
                 J.Request.ActiveReturn || J.Request.ShadowReturn, Facts, Shape,
                 J.Callers,
                 Opts.InvariantShifts && Target(*F.getParent()).manyThreads()) {
  }
};

DerivativeJobs::Job::Job(const DerivativeRequest &R, const RequestTrail &Trail)
    : Request(R), Trail(Trail) {}
DerivativeJobs::Job::Job(Job &&) = default;
DerivativeJobs::Job::~Job() = default;

DerivativeJobs::DerivativeJobs(const House &H, const Evidence &E,
                               const DerivativeRequest &R,
                               const RequestTrail &Trail)
    : H(H), E(E) {
  Jobs.emplace_back(R, Trail);
}

DerivativeJobs::~DerivativeJobs() = default;

/// Of a dispatcher: how many functions the address may be. 0: F is none.
static unsigned alternatives(const Function &F) {
  unsigned N = 0;
  F.getFnAttribute(DispatchesCalls).getValueAsString().getAsInteger(10, N);
  return N;
}

//===----------------------------------------------------------------------===//
// Planning
//===----------------------------------------------------------------------===//

DerivativeJobs::Outcome DerivativeJobs::plan() {
  const DerivativeRequest &R = Jobs.front().Request;
  // A small struct of floats may come back packed into an integer, which the
  // request, made from the prototype alone, took to be inactive.
  if (!R.ActiveReturn && !R.ShadowReturn &&
      E.Root.getReturnType()->isIntegerTy())
    for (Instruction &I : instructions(E.Root))
      if (auto *Ret = dyn_cast<ReturnInst>(&I);
          Ret && Ret->getReturnValue() &&
          Ret->getReturnValue()->getType()->isIntegerTy() &&
          E.Facts.carriesFloat(Ret->getReturnValue())) {
        std::string Type;
        raw_string_ostream(Type) << "a struct of numbers packed into "
                                 << *Ret->getReturnValue()->getType();
        H.Diags.report(DiagId::ReturnNotNumbers, nullptr, Jobs.front().Trail,
                       {DiagArg(R.Primal), Type});
        return Outcome::Failed;
      }

  for (size_t Next = 0; Next != Jobs.size(); ++Next)
    if (Outcome Result = plan(Jobs[Next]); Result != Outcome::Planned)
      return Result;
    else if (TooManyKinds && E.MayNarrow && H.Prepare.callsThroughPointers())
      return Outcome::Wide;
  return settleRefusals(/*Finally=*/true);
}

const OperationRecord *DerivativeJobs::ruleOf(const Job &J) const {
  const OperationRecord *Rule = H.Cat.lookupFunction(*J.Request.Primal);
  return Rule && Rule->Class == RuleClass::Rule ? Rule : nullptr;
}

DerivativeJobs::Outcome DerivativeJobs::plan(Job &J) {
  if (ruleOf(J)) {
    if (!J.Request.FromTape)
      return Outcome::Planned;
    H.Diags.report(DiagId::ForwardFromTape, nullptr, J.Trail,
                   {DiagArg(J.Request.Primal),
                    "its rule computes values and tangents together"});
    return Outcome::Failed;
  }
  Function &F = *H.Prepare.preparedOf(J.Request.Primal);
  FunctionAnalysisManager &FAM =
      H.MAM.getResult<FunctionAnalysisManagerModuleProxy>(H.M).getManager();
  const bool OfRoot = &J == &Jobs.front();
  const bool Forward = J.Request.Mode == DerivativeMode::Forward;
  const bool Split = J.Request.Mode == DerivativeMode::Augment;

  // What is true.
  std::optional<TimeTraceScope> Stage;
  Stage.emplace("rg-analyse", F.getName());
  auto P = std::make_unique<Planned>(F, FAM, J, E.Facts, H.Opts);
  const ActivityAnalysis &Activity = P->Activity;
  J.Own = Activity.origins();
  OverwriteAnalysis::When Reversed =
      Jobs.front().Request.Mode == DerivativeMode::Augment
          ? OverwriteAnalysis::AnyTime
      : Split ? OverwriteAnalysis::AfterReturn
              : OverwriteAnalysis::AtOnce;
  P->Overwrite.emplace(F, E.Root, Reversed, FAM.getResult<AAManager>(F),
                       Activity, P->Shape, H.Opts);
  raw_ostream &Printed =
      errs(); // layering: the printers that the user asked for
  if (H.Opts.PrintLoops)
    P->Shape.print(Printed);
  if (H.Opts.PrintActivity)
    Activity.print(Printed);
  if (H.Opts.PrintOverwrite)
    P->Overwrite->print(Printed);

  // What will be done.
  Stage.emplace("rg-plan", F.getName());
  const DerivativePlan &Plan =
      P->Plan.emplace(F, J.Request, Activity, *P->Overwrite, P->Shape,
                      FAM.getResult<DominatorTreeAnalysis>(F), Split, H.Opts,
                      OfRoot ? std::optional(E.Uniform) : std::nullopt);
  if (H.Opts.PrintPlan)
    Plan.print(Printed);

  // Would more evidence change it?
  const bool Unknown = any_of(Plan.refusals(), [](const Refusal &R) {
    return R.Kind == RefusalKind::UnknownType;
  });
  if ((!E.LastTry && Unknown) ||
      (!E.CallersAsked && callersMayKnow(F, Activity)) ||
      (!E.LastTry && !Forward && isKnownByIndex(F, Activity)))
    return Outcome::Untyped;
  for (const Instruction &I : instructions(F))
    if (const auto *C = dyn_cast<CallBase>(&I))
      if (const Function *Callee = C->getCalledFunction();
          Callee && H.Prepare.preparedOf(Callee) &&
          !H.Prepare.isInlinedEverywhere(*Callee) && isContested(*Callee)) {
        Mingles = Callee;
        return Outcome::Mingled;
      }
  if (&F != &E.Root && !H.Prepare.isInlinedEverywhere(*J.Request.Primal) &&
      (Unknown || movesContested(F, Activity))) {
    Mingles = J.Request.Primal;
    return Outcome::Mingled;
  }

  if (!Plan.refusals().empty()) {
    J.Refusals.assign(Plan.refusals().begin(), Plan.refusals().end());
    return settleRefusals(/*Finally=*/false);
  }
  if (Forward && E.Layout && E.Layout->conflicts(F, Activity))
    return Outcome::Apart;
  if (!Forward)
    if (std::optional<std::string> Problem = Plan.verify()) {
      H.Diags.report(DiagId::InvalidPlan, nullptr, J.Trail,
                     {DiagArg(J.Request.Primal), *Problem});
      return Outcome::Failed;
    }
  for (BasicBlock &Block : F)
    if (P->Shape.isLive(&Block))
      for (Instruction &I : Block)
        if (auto *C = dyn_cast<CallBase>(&I);
            C && Plan.action(*C) == CallAction::Derivative)
          ask(J, Plan.calleeRequest(*C));
  J.Plan = std::move(P);
  ++JobsPlanned;
  return Outcome::Planned;
}

bool DerivativeJobs::isContested(const Function &Callee) {
  auto [It, New] = Contested.try_emplace(&Callee, false);
  if (New)
    It->second = any_of(Callee.args(), [&](const Argument &A) {
      return isContestedArgument(A, E.Facts.types());
    });
  return It->second;
}

/// The sweep of an Augment belongs to the same job.
static DerivativeRequest jobKey(DerivativeRequest R) {
  if (R.Mode == DerivativeMode::Sweep)
    R.Mode = DerivativeMode::Augment;
  return R;
}

size_t DerivativeJobs::asked(const Job &J, const DerivativeRequest &R) const {
  const auto *At =
      find_if(J.Asks, [&](size_t N) { return Jobs[N].Request == R; });
  return At == J.Asks.end() ? Jobs.size() : *At;
}

void DerivativeJobs::ask(Job &J, const DerivativeRequest &R) {
  // Each is planned once per kind of caller. Where candidates of calls through
  // pointers call each other, kinds multiply without end: from here on, callers
  // are those of all kinds so far and this one, which only grow.
  constexpr unsigned MostKinds = 32;
  DerivativeRequest Key = jobKey(R);
  if (asked(J, Key) < Jobs.size())
    return;
  ShadowOrigins Callers = J.Own;
  SmallVectorImpl<size_t> &Known = JobsOf[Key.Primal];
  const auto OfRequest = make_filter_range(
      Known, [&](size_t N) { return Jobs[N].Request == Key; });
  auto Same = find_if(Known, [&](size_t N) {
    return Jobs[N].Request == Key && Jobs[N].Callers == Callers;
  });
  if (Same == Known.end() && range_size(OfRequest) >= MostKinds) {
    TooManyKinds = true;
    for (size_t N : OfRequest)
      Callers |= Jobs[N].Callers;
    Same = find_if(Known, [&](size_t N) {
      return Jobs[N].Request == Key && Jobs[N].Callers == Callers;
    });
  }
  if (Same != Known.end()) {
    J.Asks.insert(*Same);
    return;
  }
  Known.push_back(Jobs.size());
  J.Asks.insert(Jobs.size());
  Job &New = Jobs.emplace_back(Key, J.Trail);
  New.Callers = std::move(Callers);
  // The trail of a callee leads over the first call that asked for it.
  for (Instruction &I : instructions(*H.Prepare.preparedOf(J.Request.Primal)))
    if (auto *C = dyn_cast<CallBase>(&I); C && directCallee(*C) == R.Primal) {
      // The user knows nothing of dispatchers.
      if (R.Primal->hasFnAttribute(DispatchesCalls))
        New.Through = SourcePlace(*C);
      else if (J.Request.Primal->hasFnAttribute(DispatchesCalls))
        New.Trail = J.Trail.through(J.Through, *R.Primal);
      else
        New.Trail = J.Trail.through(*C, *R.Primal);
      break;
    }
}

void DerivativeJobs::report(ArrayRef<Refusal> Refusals,
                            const RequestTrail &Trail) {
  for (const Refusal &R : Refusals)
    tell(R, Jobs.front().Request.Mode == DerivativeMode::Forward,
         [&](DiagId Id, ArrayRef<DiagArg> Args) {
           H.Diags.report(Id, R.At, Trail, Args);
         });
}

/// The addresses of what I accesses, and of what the integers that it takes
/// were loaded from.
static void collectAddresses(const Instruction &I,
                             SmallVectorImpl<const Value *> &Addresses) {
  constexpr unsigned Most = 64;
  SmallVector<const Instruction *, 8> Work{&I};
  SmallPtrSet<const Instruction *, 16> Seen{&I};
  while (!Work.empty() && Seen.size() < Most) {
    const Instruction *At = Work.pop_back_val();
    for (const Value *Operand : At->operands()) {
      if (Operand->getType()->isPtrOrPtrVectorTy() &&
          (isa<LoadInst, StoreInst, CallBase>(At)))
        Addresses.push_back(Operand);
      else if (const auto *From = dyn_cast<Instruction>(Operand);
               From && Operand->getType()->isIntOrIntVectorTy() &&
               Seen.insert(From).second)
        Work.push_back(From);
    }
  }
}

/// Refused for what the memory holds that At works on.
static bool isOfMemory(const Refusal &R) {
  return R.At &&
         (R.Kind == RefusalKind::Instruction ||
          R.Kind == RefusalKind::UnknownType || R.Kind == RefusalKind::Format ||
          R.Kind == RefusalKind::Unshadowed);
}

SmallVector<Function *, 8>
DerivativeJobs::mergingCalls(ArrayRef<const Job *> Refused) const {
  SmallVector<const Value *, 16> Addresses;
  for (const Job *J : Refused)
    for (const Refusal &R : J->Refusals)
      if (isOfMemory(R))
        collectAddresses(*R.At, Addresses);
  if (Addresses.empty())
    return {};
  const TypeAnalysis Kept(
      H.Prepare.reachable(E.Root),
      [this](const Function *F) { return H.Prepare.preparedOf(F); }, H.Cat,
      /*Outside=*/nullptr, /*KeepJournal=*/true);
  return Kept.mergedByCallsOf(Addresses);
}

/// What is passed for a parameter of F, a prepared function, may come from
/// outside of the call graph. An address through which nobody looks has an
/// object of its own in each function, so that it is followed to where it was
/// read.
bool DerivativeJobs::mayBeGiven(const Function &F, unsigned Parameter) const {
  const SmallVector<Function *, 8> Functions = H.Prepare.reachable(E.Root);
  SmallVector<const Argument *, 4> Work{F.getArg(Parameter)};
  SmallPtrSet<const Argument *, 4> Seen{Work.front()};
  while (!Work.empty()) {
    const Argument &A = *Work.pop_back_val();
    if (A.getParent() == &E.Root)
      return true;
    for (const Function *Caller : Functions)
      for (const Instruction &I : instructions(*Caller)) {
        const auto *C = dyn_cast<CallBase>(&I);
        const Function *Callee = C ? directCallee(*C) : nullptr;
        if (!Callee || H.Prepare.preparedOf(Callee) != A.getParent())
          continue;
        const Value *Passed = C->getArgOperand(A.getArgNo());
        const auto *Handed = dyn_cast<Argument>(Passed);
        if (!Handed && E.Facts.mayBeGiven(*Passed))
          return true;
        if (Handed && Seen.insert(Handed).second)
          Work.push_back(Handed);
      }
  }
  return false;
}

DerivativeJobs::Outcome DerivativeJobs::settleRefusals(bool Finally) {
  auto IsRefused = [](const Job &J) { return !J.Refusals.empty(); };
  if (none_of(Jobs, IsRefused))
    return Outcome::Planned;
  // What the root needs whichever way calls through pointers go.
  SmallSetVector<size_t, 16> Certain;
  Certain.insert(0);
  for (size_t Next = 0; Next < Certain.size(); ++Next) {
    const Job &J = Jobs[Certain[Next]];
    const Function &Primal = *J.Request.Primal;
    unsigned N = alternatives(Primal);
    // No function here can be called, and nobody can have given one (a hook
    // that is null, a class of which there are no objects): the program ends if
    // it gets there.
    const bool IsAbsent =
        !N && Primal.hasFnAttribute(DispatchesCalls) &&
        !mayBeGiven(*H.Prepare.preparedOf(&Primal), Primal.arg_size() - 1);
    if (!N && !IsAbsent) {
      Certain.insert(J.Asks.begin(), J.Asks.end());
      continue;
    }
    // Without its last parameter: what an address that is none of them gets is
    // no alternative.
    SmallPtrSet<const Function *, 8> Refused;
    for (size_t Asked : J.Asks)
      if (!Jobs[Asked].Refusals.empty())
        Refused.insert(Jobs[Asked].Request.Primal);
    bool NoneLeft =
        N == 1 || (Finally && count_if(Refused, [&](const Function *F) {
                                return F->arg_size() + 1 == Primal.arg_size();
                              }) == N);
    if (NoneLeft)
      for (size_t Asked : J.Asks)
        if (Jobs[Asked].Request.Primal->arg_size() + 1 == Primal.arg_size())
          Certain.insert(Asked);
  }
  bool Answerable =
      none_of(Certain, [&](size_t At) { return IsRefused(Jobs[At]); });
  // Threads of one program are candidates of those of another, so that types
  // meet; of the candidates that the root itself names, one has no derivative.
  const Function &Root = *Jobs.front().Request.Primal;
  const bool MayBeMet =
      Answerable && E.MayNarrow && E.Facts.startsThreads() &&
      any_of(Jobs, [&](const Job &J) {
        return IsRefused(J) && H.Prepare.refersTo(Root, *J.Request.Primal);
      });
  if ((!Answerable || MayBeMet) && E.MayNarrow &&
      H.Prepare.callsThroughPointers())
    return Outcome::Wide;
  // What ends the program where it is reached may be reached.
  if (Finally || !Answerable) {
    SmallVector<const Job *, 4> Refused;
    for (const auto &[At, J] : enumerate(Jobs))
      if (IsRefused(J) && (Answerable || Certain.contains(At)))
        Refused.push_back(&J);
    Merging = mergingCalls(Refused);
    if (H.Prepare.maySeparateCalls(Merging))
      return Outcome::Mingled;
    for (const Job *J : Refused)
      if (any_of(J->Refusals, [](const Refusal &R) { return isOfMemory(R); }))
        Moving.push_back(J->Request.Primal);
    if (H.Prepare.mayKeepWordsInMemory(Moving))
      return Outcome::Moved;
  }
  if (!Answerable && !E.Facts.movesUnknownBytes() &&
      all_of(Certain, [&](size_t At) {
        return all_of(Jobs[At].Refusals,
                      [](const Refusal &R) { return R.MayMoveBytes; });
      }))
    return Outcome::Bytes;
  for (size_t At : Certain)
    if (const Job &J = Jobs[At]; IsRefused(J))
      report(J.Refusals, J.Trail);
  return Answerable ? Outcome::Planned : Outcome::Failed;
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

DerivativeJobs::Job &DerivativeJobs::jobOf(const DerivativeRequest &R) {
  size_t N = asked(*Current, jobKey(R));
  assert(N < Jobs.size() && "the plan did not ask for it");
  return Jobs[N];
}

Function *DerivativeJobs::derivative(const DerivativeRequest &R) {
  Job &J = jobOf(R);
  Function *D = R.Mode == DerivativeMode::Sweep ? J.Sweep : J.Made;
  if (!runsElsewhere(*R.Primal))
    return D;
  Function *&Team = TeamOf[D];
  if (!Team)
    Team = forkDerivative(*D, J.Sweep, R, E.Facts, H.Runtime,
                          H.Opts.Deterministic, OfTeams);
  return Team;
}

Function *DerivativeJobs::recorder(const DerivativeRequest &R) {
  return jobOf(R).Recorder;
}

GlobalVariable *DerivativeJobs::shadowOf(GlobalVariable &G, unsigned Lane) {
  return H.Shadows.of(G, Lane);
}

GlobalVariable *DerivativeJobs::shadowTable(GlobalVariable &G,
                                            Constant &Shadows) {
  return H.Shadows.table(G, Shadows);
}

void DerivativeJobs::declare(Job &J) {
  J.Made = declareDerivative(J.Request, H.M);
  if (J.Request.FromTape)
    J.Recorder = declareRecorder(J.Request, H.M);
  if (J.Request.Mode == DerivativeMode::Augment) {
    DerivativeRequest S = J.Request;
    S.Mode = DerivativeMode::Sweep;
    J.Sweep = declareDerivative(S, H.M);
  }
  // Exceptions that leave a watched primal are in the variable when it returns.
  // Were its derivative to seem to throw, a derivative of that would watch it
  // again, and take what is in the variable for its own.
  const Function *Prepared = H.Prepare.preparedOf(J.Request.Primal);
  if (Prepared && Prepared->hasFnAttribute(ReturnsExceptions))
    for (Function *D : {J.Made, J.Recorder, J.Sweep})
      if (D)
        D->setDoesNotThrow();
}

bool DerivativeJobs::emit(SmallVectorImpl<Function *> &Finished) {
  for (Job &J : Jobs)
    declare(J);
  for (Job &J : Jobs) {
    Current = &J;
    if (!J.Refusals.empty())
      writeRefusal(J);
    else if (!emit(J)) {
      discard();
      return false;
    }
    J.Plan.reset();
  }
  Current = nullptr;
  if (!complete()) {
    discard();
    return false;
  }
  append_range(Finished, Emitted);
  return true;
}

bool DerivativeJobs::emit(Job &J) {
  ++JobsEmitted;
  if (const OperationRecord *Rule = ruleOf(J))
    return emitByRule(J, *Rule);
  const DerivativePlan &Plan = J.Plan->plan();
  TimeTraceScope Stage("rg-emit", J.Plan->F.getName());
  if (J.Request.Mode == DerivativeMode::Forward) {
    ForwardEmitter Tangents(Plan, E.Layout, *J.Made, *this);
    Tangents.run();
    if (J.Recorder)
      emitReplay(Plan, Tangents, *J.Made, *J.Recorder, *this);
    return verified(J);
  }
  if (!E.Rare)
    remark(Plan, J.Plan->overwrite());
  PrimalEmitter Primal(Plan, *J.Made, *this);
  if (!Primal.run()) {
    H.Diags.report(DiagId::InternalError, nullptr, J.Trail,
                   {"the clone of " + userName(*J.Request.Primal) +
                    " differs from its plan"});
    return false;
  }
  ReverseEmitter Reverse(Plan, Primal, J.Sweep ? *J.Sweep : *J.Made, *this);
  Reverse.run();
  if (J.Sweep)
    Primal.returnTape();
  return verified(J);
}

/// The primal is not looked into: its derivatives are functions already.
bool DerivativeJobs::emitByRule(Job &J, const OperationRecord &Rule) {
  OperationRecord Own = Rule;
  if (H.Launches)
    H.Launches->specialise(J.Request, Own);
  if (emitRule(J.Request, Own, *J.Made, J.Sweep, H.Runtime))
    return verified(J);
  H.Diags.report(DiagId::InternalError, nullptr, J.Trail,
                 {"the runtime's rule of " + userName(*J.Request.Primal) +
                  " does not fit its record"});
  return false;
}

/// Last step of a derivative that was written.
bool DerivativeJobs::verified(Job &J) {
  raw_ostream &Printed =
      errs(); // layering: the printers that the user asked for
  for (Function *D : {J.Made, J.Sweep, J.Recorder}) {
    if (!D)
      continue;
    settleStrict(*D);
    std::string Problem;
    raw_string_ostream OS(Problem);
    if (verifyFunction(*D, &OS)) {
      if (H.Opts.PrintDerivative)
        D->print(Printed);
      H.Diags.report(DiagId::InvalidDerivative, nullptr, J.Trail,
                     {DiagArg(J.Request.Primal),
                      StringRef(Problem).split('\n').first.str()});
      return false;
    }
    Emitted.push_back(D);
  }
  return true;
}

void DerivativeJobs::writeRefusal(Job &J) {
  const Refusal &R = J.Refusals.front();
  std::string Text = "'" + userName(*J.Request.Primal) +
                     "' was called through a pointer and has no derivative: ";
  SourcePlace Place(*R.At);
  if (std::string Line = Place.str(); !Line.empty())
    Text += Line + ": ";
  tell(R, Jobs.front().Request.Mode == DerivativeMode::Forward,
       [&](DiagId Id, ArrayRef<DiagArg> Args) { Text += textOf(Id, Args); });
  for (Function *F : {J.Made, J.Sweep, J.Recorder}) {
    if (!F)
      continue;
    IRBuilder<> B(BasicBlock::Create(H.M.getContext(), "", F));
    Constant *&Told = RefusalTexts[Text]; // one, so that such bodies are equal
    if (!Told)
      Told = B.CreateGlobalString(Text);
    B.CreateCall(H.Runtime.require("rg_refused_callee"), {Told});
    B.CreateUnreachable();
    Emitted.push_back(F);
  }
}

/// What the runtime keeps for as long as the derivative D runs, whose own it
/// is.
static void tellBounds(Function &D, ArrayRef<StringRef> Keeping,
                       StringRef Begin, StringRef End,
                       RuntimeLibrary &Runtime) {
  if (none_of(Keeping, [&](StringRef Name) {
        const Function *F = D.getParent()->getFunction(Name);
        return F && !F->use_empty();
      }))
    return;
  IRBuilder<> B(&*D.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  if (DISubprogram *SP = D.getSubprogram())
    B.SetCurrentDebugLocation(DILocation::get(D.getContext(), 0, 0, SP));
  Value *Depth = B.CreateCall(Runtime.require(Begin), {});
  for (BasicBlock &Block : D)
    if (isa<ReturnInst>(Block.getTerminator())) {
      B.SetInsertPoint(Block.getTerminator());
      B.CreateCall(Runtime.require(End), {Depth});
    }
}

bool DerivativeJobs::complete() {
  const Job &Top = Jobs.front();
  if (Top.Request.FromTape)
    if (GlobalVariable *G = H.Shadows.pointers(E.Facts.types())) {
      H.Diags.report(DiagId::ForwardFromTape, nullptr, Top.Trail,
                     {DiagArg(Top.Request.Primal),
                      "the global variable '" + G->getName().str() +
                          "' points to active memory, and may point elsewhere "
                          "when the tape is read"});
      return false;
    }
  const TypeAnalysis &Types = E.Facts.types();
  H.Shadows.reset(*Top.Made, /*Pointers=*/true, Types, H.Runtime);
  // Between the halves of a split derivative others may have used them.
  if (Top.Sweep)
    H.Shadows.reset(*Top.Sweep, /*Pointers=*/false, Types, H.Runtime);
  // Shadows of device memory; graphs; persistent requests.
  tellBounds(*Top.Made, {"rg_gpu_shadow_of"}, "rg_gpu_begin", "rg_gpu_end",
             H.Runtime);
  tellBounds(*Top.Made, {"rg_graph_alloc"}, "rg_graphs_begin", "rg_graphs_end",
             H.Runtime);
  SmallVector<StringRef, 32> Standing;
  for (const Function &F : *Top.Made->getParent())
    if (F.getName().starts_with("rg_mpi_") && F.getName().ends_with("_init"))
      Standing.push_back(F.getName());
  tellBounds(*Top.Made, Standing, "rg_mpi_begin", "rg_mpi_end", H.Runtime);
  beginWatch(*Top.Made, H.Runtime);
  beginFormatWatch(*Top.Made, H.Runtime);
  // What is repeated ended well.
  letExceptionsLeave(Top.Recorder ? *Top.Recorder : *Top.Made, E.Root,
                     *Top.Request.Primal);
  append_range(Emitted, OfTeams);
  const StepRunner Steps(H.Opts);
  Steps.run(step::MergeCopies, *Top.Made, [&] {
    auto &FAM =
        H.MAM.getResult<FunctionAnalysisManagerModuleProxy>(H.M).getManager();
    return mergeCopies(Emitted, {Top.Made, Top.Sweep, Top.Recorder}, FAM) != 0;
  });
  raw_ostream &Printed =
      errs(); // layering: the printers that the user asked for
  for (Function *F : Emitted) {
    if (H.Opts.PrintDerivative)
      F->print(Printed);
    if (H.Opts.CleanUp)
      cleanUp(*F, H.MAM, H.Opts);
  }
  Steps.run(step::EmptyTapes, *Top.Made, [&] {
    auto &FAM =
        H.MAM.getResult<FunctionAnalysisManagerModuleProxy>(H.M).getManager();
    const auto Changed =
        dropEmptyTapes(Emitted, {Top.Made, Top.Sweep, Top.Recorder});
    for (Function *F : Changed)
      FAM.invalidate(*F, PreservedAnalyses::none());
    return !Changed.empty();
  });
  return true;
}

/// What was begun refers to what was not: takes all of it away.
void DerivativeJobs::discard() {
  auto &FAM =
      H.MAM.getResult<FunctionAnalysisManagerModuleProxy>(H.M).getManager();
  SmallVector<Function *, 16> Begun(OfTeams.begin(), OfTeams.end());
  for (Job &J : Jobs)
    for (Function *F : {J.Made, J.Sweep, J.Recorder})
      if (F)
        Begun.push_back(F);
  for (Function *F : Begun) {
    FAM.clear(*F, F->getName());
    F->deleteBody();
  }
  for (Function *F : Begun)
    F->eraseFromParent();
}
