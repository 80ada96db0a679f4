//===- Differentiator.cpp - the derivatives of one module -----------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pass/Differentiator.h"
#include "Analysis/ArgumentRanges.h"
#include "Analysis/LoopShape.h"
#include "Analysis/OverwriteAnalysis.h"
#include "Emit/ConstantMemory.h"
#include "Emit/DisjointChoice.h"
#include "Emit/ForwardEmitter.h"
#include "Emit/FunctionShell.h"
#include "Emit/PrimalEmitter.h"
#include "Emit/ReplayEmitter.h"
#include "Emit/ReverseEmitter.h"
#include "Emit/RuleEmitter.h"
#include "Emit/Shortcuts.h"
#include "Emit/SplitEmitter.h"
#include "Emit/StrictFloat.h"
#include "Parallel/TeamEmitter.h"
#include "Plan/DerivativePlan.h"
#include "Plan/PlanRemarks.h"
#include "Polish/AdditionStrips.h"
#include "Polish/CleanUp.h"
#include "Polish/DynamicShared.h"
#include "Polish/LeaveDerivative.h"
#include "Polish/PolishSteps.h"
#include "Polish/ZeroShares.h"
#include "Rules/Transfer.h"
#include "Support/DispatchMarks.h"
#include "Support/TeamMarks.h"
#include "Target/Target.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/TimeProfiler.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace retrograd;

Differentiator::Differentiator(Module &M, ModuleAnalysisManager &MAM,
                               Catalogue &Cat, DiagnosticEngine &Diags,
                               const Options &Opts)
    : M(M), MAM(MAM), Cat(Cat), Diags(Diags), Given(Opts), Opts(Opts),
      Runtime(M) {}

Differentiator::~Differentiator() = default;

/// The function around the calls, and what it can reach and be reached from by
/// direct calls: they fill and read the memory that is handed in.
static SmallVector<Function *, 8>
surroundings(ArrayRef<const EntryCall *> Calls) {
  constexpr unsigned MostInstructions = 30000;
  SmallSetVector<Function *, 8> Found;
  unsigned Size = 0;
  auto Add = [&](Function *F, bool Calls = false) {
    // Derivatives and primals are ours: only the user's functions count. What
    // calls a derivative counts, whatever its name.
    if (!F || F->isDeclaration() ||
        (!Calls && (F->getName().starts_with("rg.") ||
                    F->getName().starts_with("rg_"))) ||
        Size > MostInstructions)
      return;
    if (Found.insert(F))
      Size += F->getInstructionCount();
  };
  for (const EntryCall *E : Calls)
    Add(E->Call->getFunction(), true);
  for (unsigned Next = 0; Next < Found.size(); ++Next) {
    Function *F = Found[Next];
    for (Instruction &I : instructions(*F))
      if (auto *C = dyn_cast<CallBase>(&I))
        Add(directCallee(*C));
    for (User *U : F->users())
      if (auto *C = dyn_cast<CallBase>(U); C && C->getCalledOperand() == F)
        Add(C->getFunction());
  }
  return Found.takeVector();
}

/// What the calls pass for each parameter; a shadow is laid out as its primal.
static void collectArguments(ArrayRef<const EntryCall *> Calls, Function &Root,
                             OutsideEvidence &Outside) {
  for (const EntryCall *E : Calls)
    for (auto [Parameter, Of] : zip(Root.args(), E->Parameters)) {
      auto Hand = [&, &P = Parameter](const EntryOperand &Operand) {
        if (!Operand.V)
          return;
        std::optional<uint64_t> LoadedAt;
        if (Operand.How == EntryOperand::Load)
          LoadedAt = Operand.Offset;
        Outside.Arguments.push_back({&P, Operand.V, LoadedAt});
      };
      Hand(Of.Primal);
      for (const EntryOperand &Shadow : Of.Shadows)
        Hand(Shadow);
    }
}

/// What V is a copy of: without optimisation, a parameter is read from a
/// variable that was given it once.
static const Value *givenOnce(const Value *V) {
  V = V->stripPointerCasts();
  const auto *L = dyn_cast<LoadInst>(V);
  const auto *Variable =
      L ? dyn_cast<AllocaInst>(L->getPointerOperand()->stripPointerCasts())
        : nullptr;
  if (!Variable)
    return V;
  const Value *Given = nullptr;
  SmallVector<const Value *, 2> Work{Variable};
  while (!Work.empty())
    for (const User *U : Work.pop_back_val()->users()) {
      const auto *S = dyn_cast<StoreInst>(U);
      if (isa<AddrSpaceCastInst>(U))
        Work.push_back(U);
      else if (S && !Given && isa<Argument>(S->getValueOperand()))
        Given = S->getValueOperand();
      else if (!isa<LoadInst>(U))
        return V;
    }
  return Given ? Given : V;
}

/// Parameters for which every call hands on a parameter of the kernel around
/// it, or a constant: all threads pass the same.
static BitVector uniformParameters(ArrayRef<const EntryCall *> Calls) {
  BitVector Uniform(Calls.front()->Parameters.size(), true);
  auto IsUniform = [](const EntryOperand &Operand) {
    if (!Operand.V)
      return true;
    if (Operand.How == EntryOperand::Load)
      return false;
    if (isa<Constant>(Operand.V))
      return true;
    const auto *A = dyn_cast<Argument>(givenOnce(Operand.V));
    return A &&
           (A->getParent()->getCallingConv() == CallingConv::PTX_Kernel ||
            A->getParent()->getCallingConv() == CallingConv::AMDGPU_KERNEL);
  };
  // Another derivative in the same kernel may add to the same shadows in
  // another order.
  auto IsOther = [](const Instruction &I, const EntryCall &E) {
    const auto *C = dyn_cast<CallBase>(&I);
    const Function *Callee = C && C != E.Call ? directCallee(*C) : nullptr;
    return Callee &&
           (isEntryPoint(*Callee) || Callee->getName().starts_with("rg."));
  };
  for (const EntryCall *E : Calls) {
    if (any_of(instructions(*E->Call->getFunction()),
               [&](const Instruction &I) { return IsOther(I, *E); }))
      Uniform.reset();
    for (auto [N, P] : enumerate(E->Parameters))
      if (!IsUniform(P.Primal) || !all_of(P.Shadows, IsUniform))
        Uniform.reset(N);
  }
  return Uniform;
}

/// Functions and tables of functions among the arguments.
static SmallVector<const Constant *, 4>
constantsHandedTo(ArrayRef<const EntryCall *> Calls) {
  SmallVector<const Constant *, 4> Found;
  for (const EntryCall *E : Calls)
    for (const auto &P : E->Parameters)
      if (const Value *V = P.Primal.V)
        if (const auto *C = dyn_cast<Constant>(V))
          Found.push_back(C);
  return Found;
}

Function *Differentiator::differentiate(ArrayRef<const EntryCall *> Calls,
                                        ArrayRef<const EntryCall *> OtherHalf) {
  for (auto &[Known, D] : Answered)
    if (Known == Calls.front()->Request)
      return D;
  if (Function *Choice = preferDisjoint(Calls))
    return Choice;
  return answer(Calls, OtherHalf);
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
    return nullptr;
  Function *Copy = cloneDisjoint(F);
  DisjointCopies.push_back(Copy);
  SmallVector<EntryCall, 2> Copies;
  for (const EntryCall *E : Calls) {
    Copies.push_back(*E);
    Copies.back().Request.Primal = Copy;
  }
  SmallVector<const EntryCall *, 4> OfCopy;
  for (const EntryCall &E : Copies)
    OfCopy.push_back(&E);
  Function *Disjoint = answer(OfCopy, {});
  if (!Disjoint)
    return nullptr; // and why was told
  Rare = true;
  Function *General = answer(Calls, {});
  Rare = false;
  if (!General)
    return nullptr;
  Function *Choice = emitDisjointChoice(R, *Ranges, *Disjoint, *General);
  for (auto &[Known, D] : Answered)
    if (Known == R)
      D = Choice;
  Diags.remark("Disjoint", *F.getEntryBlock().getTerminator(),
               "has one derivative for arguments that do not overlap, and one "
               "for all others: each call compares their addresses; restrict "
               "on the pointer parameters makes it one");
  return Choice;
}

Function *Differentiator::answer(ArrayRef<const EntryCall *> Calls,
                                 ArrayRef<const EntryCall *> OtherHalf) {
  RequestTrail Trail = Calls.front()->trail();
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
  Cat.askFor(/*Forward=*/R.Mode == DerivativeMode::Forward);
  Prepare = &preparation(R.Mode);
  Reach = Candidates::All;
  Outcome Result = differentiate(R, Calls, Trail);
  while (Result == Outcome::Mingled || Result == Outcome::Wide) {
    if (Result == Outcome::Mingled) {
      Prepare->inlineEverywhere(*MinglesTypes);
    } else if (Reach == Candidates::All &&
               Prepare->narrowCalls(*R.Primal, constantsHandedTo(Calls))) {
      Reach = Candidates::Narrow;
    } else {
      if (Reach == Candidates::Narrow)
        Prepare->widenCalls();
      Reach = Candidates::AllAndTell;
    }
    Result = differentiate(R, Calls, Trail);
  }
  Function *D = Result == Outcome::Done ? Jobs.front().Made : nullptr;
  if (D && R.Mode == DerivativeMode::Augment) {
    SplitPair Pair = emitSplit(R, *D, *Jobs.front().Sweep, Runtime);
    endTapeOnUnwinding(*Pair.Begin, *R.Primal);
    if (inPlaceBytes(*Pair.Begin)) // as much the kernel's own as its tape is
      Finished.append({Pair.Begin, Pair.Finish});
    DerivativeRequest Second = R;
    Second.Mode = DerivativeMode::Sweep;
    Answered.push_back({R, Pair.Begin});
    Answered.push_back({Second, Pair.Finish});
    D = Half == DerivativeMode::Sweep ? Pair.Finish : Pair.Begin;
  } else if (D && R.FromTape) {
    SplitPair Pair = emitSplitForward(R, *Jobs.front().Recorder, *D, Runtime);
    endTapeOnUnwinding(*Pair.Begin, *R.Primal);
    Answered.push_back({augmentOf(R), Pair.Begin});
    Answered.push_back({R, Pair.Finish});
    D = Half == DerivativeMode::Augment ? Pair.Begin : Pair.Finish;
  } else if (D) {
    Answered.push_back({R, D});
  }
  Layout.reset();
  Facts.reset();
  Jobs.clear();
  if (Reach == Candidates::Narrow)
    Prepare->widenCalls();
  return D;
}

/// One attempt, from the preparation on.
Differentiator::Outcome
Differentiator::differentiate(const DerivativeRequest &R,
                              ArrayRef<const EntryCall *> Calls,
                              const RequestTrail &Trail) {
  {
    TimeTraceScope Scope("rg-prepare", R.Primal->getName());
    Root = Prepare->prepare(*R.Primal);
  }
  if (!Root) {
    Diags.report(DiagId::FunctionNotVisible, nullptr, Trail,
                 {DiagArg(R.Primal)});
    return Outcome::Failed;
  }
  SmallVector<Function *, 8> Graph = Prepare->reachable(*Root);
  ShadowLevel = levelOf(Graph);
  raw_ostream &Printed =
      errs(); // layering: the printers that the user asked for
  if (Opts.PrintPrimal)
    for (Function *F : Graph)
      F->print(Printed);

  // Types come from the primal and what it calls, most of the time. Where those
  // only move bytes, the callers are asked as well, and debug information last,
  // so that -g changes as little as possible.
  Outcome Result = Outcome::Untyped;
  std::unique_ptr<TypeAnalysis> CallerTypes;
  OutsideEvidence Outside;
  collectArguments(Calls, *Root, Outside);
  for (unsigned Try = 0; Result == Outcome::Untyped; ++Try) {
    if (Try == 1) {
      CallerTypes = std::make_unique<TypeAnalysis>(
          surroundings(Calls), [](const Function *) { return nullptr; }, Cat);
      Outside.Types = CallerTypes.get();
    } else if (Try == 2) {
      Outside.DebugInfo = true;
    }
    CallersAsked = Try != 0;
    LastTry = Try == 2 || (Try == 1 && !Root->getSubprogram());
    Facts = std::make_unique<ProgramFacts>(
        Graph, [this](const Function *F) { return Prepare->preparedOf(F); },
        Cat, Try ? &Outside : nullptr, R.ManySweeps, Outside.Arguments);
    if (Opts.PrintTypes)
      Facts->types().print(Printed);
    // Tangents of several lanes lie side by side where nothing speaks against
    // it. (A GPU has threads for that, and no vectors.)
    bool Packs = Opts.PackLanes && !Target(M).manyThreads() &&
                 R.Mode == DerivativeMode::Forward && R.Width != 1 &&
                 !R.Dependencies && !R.ErrorEstimate;
    Layout = Packs ? std::make_unique<LaneLayout>(*Facts, Graph) : nullptr;
    Result = run(R, Trail);
    if (Result == Outcome::Apart) {
      Layout.reset();
      Result = run(R, Trail);
    }
  }
  return Result;
}

Differentiator::Outcome Differentiator::run(const DerivativeRequest &R,
                                            const RequestTrail &Trail) {
  // A small struct of floats may come back packed into an integer, which the
  // request, made from the prototype alone, took to be inactive.
  if (!R.ActiveReturn && !R.ShadowReturn &&
      Root->getReturnType()->isIntegerTy())
    for (Instruction &I : instructions(*Root))
      if (auto *Ret = dyn_cast<ReturnInst>(&I);
          Ret && Ret->getReturnValue() &&
          Ret->getReturnValue()->getType()->isIntegerTy() &&
          Facts->carriesFloat(Ret->getReturnValue())) {
        std::string Type;
        raw_string_ostream(Type) << "a struct of numbers packed into "
                                 << *Ret->getReturnValue()->getType();
        Diags.report(DiagId::ReturnNotNumbers, nullptr, Trail,
                     {DiagArg(R.Primal), Type});
        return Outcome::Failed;
      }

  Jobs.clear();
  TeamOf.clear();
  OfTeams.clear();
  UsedShadows.clear();
  Emitted.clear();
  NextJob = 0;
  Jobs.push_back({R,
                  declareDerivative(R, M),
                  nullptr,
                  nullptr,
                  Trail,
                  {},
                  {},
                  {},
                  {},
                  {}});
  if (R.Mode == DerivativeMode::Augment) {
    DerivativeRequest S = R;
    S.Mode = DerivativeMode::Sweep;
    Jobs.front().Sweep = declareDerivative(S, M);
  }
  if (R.FromTape)
    Jobs.front().Recorder = declareRecorder(R, M);
  raw_ostream &Printed =
      errs(); // layering: the printers that the user asked for
  Outcome Result = Outcome::Done;
  while ((Result == Outcome::Done || Result == Outcome::Planned) &&
         NextJob != Jobs.size()) {
    Current = &Jobs[NextJob++];
    Result = emit(*Current);
  }
  Current = nullptr;
  if (Result == Outcome::Done || Result == Outcome::Planned)
    if (Outcome Settled = settleRefusals(/*Finally=*/true);
        Settled != Outcome::Done)
      Result = Settled;
  if (Result == Outcome::Done && R.FromTape)
    if (GlobalVariable *G = shadowedPointers()) {
      Diags.report(
          DiagId::ForwardFromTape, nullptr, Trail,
          {DiagArg(R.Primal),
           "the global variable '" + G->getName().str() +
               "' leads to active memory, and may lead elsewhere by then"});
      Result = Outcome::Failed;
    }
  if (Result == Outcome::Done) {
    resetShadowGlobals(*Jobs.front().Made, /*Pointers=*/true);
    // Between the halves of a split derivative others may have used them.
    if (Function *Sweep = Jobs.front().Sweep)
      resetShadowGlobals(*Sweep, /*Pointers=*/false);
    beginWatch(*Jobs.front().Made, Runtime);
    // What is repeated ended well.
    letExceptionsLeave(R.FromTape ? *Jobs.front().Recorder : *Jobs.front().Made,
                       *Root, *R.Primal);
    append_range(Emitted, OfTeams);
    for (Function *F : Emitted) {
      if (Opts.PrintDerivative)
        F->print(Printed);
      if (Opts.CleanUp)
        cleanUp(*F, MAM, Opts);
    }
    append_range(Finished, Emitted);
    return Result;
  }
  // What was begun refers to what was not: take all of it away.
  auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
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
  return Result;
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
  for (Function *F : Finished)
    Steps.run(step::InlineArena, *F, [&] { inlineFastPaths(*F, MAM); });
  if (!Target(M).manyThreads())
    for (Function *F : Finished)
      Steps.run(step::StripAdditions, *F, [&] { addInStrips(*F, MAM); });
}

PreparePrimal &Differentiator::preparation(DerivativeMode Mode) {
  bool Forward = Mode == DerivativeMode::Forward && Cat.modesDiffer();
  std::unique_ptr<PreparePrimal> &P = Forward ? PrepareForward : PrepareReverse;
  if (!P)
    P = std::make_unique<PreparePrimal>(M, MAM, Cat, Opts);
  return *P;
}

/// Of a dispatcher: how many functions the address may be. 0: F is none.
static unsigned alternatives(const Function &F) {
  unsigned N = 0;
  F.getFnAttribute(DispatchesCalls).getValueAsString().getAsInteger(10, N);
  return N;
}

Function *Differentiator::derivative(const DerivativeRequest &R) {
  Job &J = jobOf(R);
  Function *D = R.Mode == DerivativeMode::Sweep ? J.Sweep : J.Made;
  if (!R.Primal->hasFnAttribute(RunsInTeam))
    return D;
  Function *&Team = TeamOf[D];
  if (!Team)
    Team = forkDerivative(*D, J.Sweep, R, *Facts, Runtime, OfTeams);
  return Team;
}

Function *Differentiator::recorder(const DerivativeRequest &R) {
  return jobOf(R).Recorder;
}

Differentiator::Job &Differentiator::jobOf(const DerivativeRequest &R) {
  DerivativeRequest Key = R;
  if (Key.Mode == DerivativeMode::Sweep)
    Key.Mode = DerivativeMode::Augment;
  for (auto [N, J] : enumerate(Jobs))
    if (J.Request == Key && N && J.Callers == Current->Own) {
      Current->Asks.insert(N);
      return J;
    }
  Job J{Key,
        declareDerivative(Key, M),
        nullptr,
        nullptr,
        Current->Trail,
        Current->Own,
        {},
        {},
        {},
        {}};
  if (Key.FromTape)
    J.Recorder = declareRecorder(Key, M);
  if (Key.Mode == DerivativeMode::Augment) {
    DerivativeRequest S = Key;
    S.Mode = DerivativeMode::Sweep;
    J.Sweep = declareDerivative(S, M);
  }
  // The trail of a callee leads over the first call that asked for it.
  if (Function *F = Prepare->preparedOf(Current->Request.Primal))
    for (Instruction &I : instructions(*F))
      if (auto *C = dyn_cast<CallBase>(&I); C && directCallee(*C) == R.Primal) {
        if (alternatives(*R.Primal)) // the user knows nothing of dispatchers
          J.Through = SourcePlace(*C);
        else if (alternatives(*Current->Request.Primal))
          J.Trail = Current->Trail.through(Current->Through, *R.Primal);
        else
          J.Trail = Current->Trail.through(*C, *R.Primal);
        break;
      }
  Current->Asks.insert(Jobs.size());
  Jobs.push_back(J);
  return Jobs.back();
}

/// A derivative that is differentiated again uses shadows of globals itself:
/// the outer derivative's are others.
unsigned Differentiator::levelOf(ArrayRef<Function *> Graph) const {
  unsigned Level = 0;
  if (LevelOfShadow.empty())
    return Level;
  SmallVector<const Constant *, 16> Work;
  SmallPtrSet<const Constant *, 32> Seen;
  auto Visit = [&](const Value *V) {
    if (const auto *C = dyn_cast<Constant>(V);
        C && !isa<Function>(C) && Seen.insert(C).second)
      Work.push_back(C);
  };
  for (Function *F : Graph)
    for (Instruction &I : instructions(*F))
      for_each(I.operands(), Visit);
  while (!Work.empty()) {
    const Constant *C = Work.pop_back_val();
    if (auto It = LevelOfShadow.find(C); It != LevelOfShadow.end())
      Level = std::max(Level, It->second + 1);
    for_each(C->operands(), Visit);
  }
  return Level;
}

GlobalVariable *Differentiator::shadowOf(GlobalVariable &G, unsigned Lane) {
  UsedShadows.insert({&G, Lane});
  GlobalVariable *&Sh = ShadowGlobals[{&G, Lane, ShadowLevel}];
  if (Sh)
    return Sh;
  // A global that several translation units share has one shadow for all.
  // Memory of a block lives no longer than a kernel and is not initialised.
  Target Machine(M);
  bool OfBlock = Machine.space(G.getAddressSpace()) == MemorySpace::Shared;
  std::string Name = (G.getName() + ".sh" + (Lane ? std::to_string(Lane) : "") +
                      (ShadowLevel ? ".of" + std::to_string(ShadowLevel) : ""))
                         .str();
  if (OfBlock && G.isDeclaration()) {
    // All names of such memory are one place, and so are their shadows.
    if (!isDynamicShadow(G))
      for (auto &[Key, Other] : ShadowGlobals)
        if (const auto &[Of, L, Level] = Key;
            Other && L == Lane && Level == ShadowLevel &&
            isDynamicShadow(*Other) && !isDynamicShadow(*Of))
          return Sh = Other;
    Sh = declareDynamicShadow(G, Name);
    LevelOfShadow[Sh] = ShadowLevel;
    return Sh;
  }
  bool Local = G.hasLocalLinkage() || OfBlock;
  Sh = new GlobalVariable(
      M, G.getValueType(), /*isConstant=*/false,
      Local ? GlobalValue::InternalLinkage : GlobalValue::LinkOnceODRLinkage,
      OfBlock ? (Constant *)PoisonValue::get(G.getValueType())
              : Constant::getNullValue(G.getValueType()),
      Name, nullptr, G.getThreadLocalMode(),
      Machine.shadowSpace(G.getAddressSpace()));
  LevelOfShadow[Sh] = ShadowLevel;
  Sh->setAlignment(G.getAlign());
  Sh->setDSOLocal(true);
  if (!Local) {
    Sh->setVisibility(GlobalValue::HiddenVisibility);
    Sh->setComdat(M.getOrInsertComdat(Sh->getName()));
  }
  return Sh;
}

GlobalVariable *Differentiator::shadowTable(GlobalVariable &G,
                                            Constant &Shadows) {
  GlobalVariable *&Sh = ShadowTables[{&G, &Shadows}];
  if (Sh)
    return Sh;
  Sh = new GlobalVariable(M, G.getValueType(), /*isConstant=*/true,
                          GlobalValue::InternalLinkage, &Shadows,
                          G.getName() + ".sh", nullptr, G.getThreadLocalMode(),
                          G.getAddressSpace());
  LevelOfShadow[Sh] = ShadowLevel;
  Sh->setAlignment(G.getAlign());
  Sh->setDSOLocal(true);
  return Sh;
}

/// Of the globals whose shadows are used, one that holds pointers and may
/// change.
GlobalVariable *Differentiator::shadowedPointers() const {
  for (auto [G, Lane] : UsedShadows) {
    uint64_t Size =
        M.getDataLayout().getTypeAllocSize(G->getValueType()).getFixedValue();
    if (!G->isConstant() &&
        any_of(Facts->types().leavesAt(G, Size), [](const TypedLeaf &L) {
          return L.Kind.K == ByteKind::Pointer;
        }))
      return G;
  }
  return nullptr;
}

/// At its start a derivative's global shadows hold zero adjoints and, if it has
/// a primal sweep, pointers that are their own shadows.
void Differentiator::resetShadowGlobals(Function &D, bool Pointers) {
  if (UsedShadows.empty())
    return;
  IRBuilder<> B(&*D.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  if (DISubprogram *SP = D.getSubprogram())
    B.SetCurrentDebugLocation(DILocation::get(D.getContext(), 0, 0, SP));
  const DataLayout &DL = M.getDataLayout();
  auto AddressOf = [&](GlobalVariable *G) -> Value * {
    return G->isThreadLocal() ? B.CreateThreadLocalAddress(G) : (Value *)G;
  };
  Target Machine(M);
  bool Together = false;
  for (auto [G, Lane] : UsedShadows) {
    uint64_t Size = DL.getTypeAllocSize(G->getValueType()).getFixedValue();
    Value *Sh = AddressOf(ShadowGlobals[{G, Lane, ShadowLevel}]);
    SmallVector<TypedLeaf, 4> Leaves = Facts->types().leavesAt(G, Size);
    bool HasPointer = any_of(Leaves, [](const TypedLeaf &L) {
      return L.Kind.K == ByteKind::Pointer;
    });
    if (Machine.space(G->getAddressSpace()) == MemorySpace::Shared &&
        Machine.manyThreads()) {
      // Whose the memory is clears it together, and nobody goes on before all
      // have.
      Value *Bytes =
          G->isDeclaration() ? dynamicSharedBytes(B) : B.getInt64(Size);
      B.CreateCall(Runtime.require("rg_shared_zero"),
                   {inGenericSpace(B, Sh), Bytes});
      Together = true;
      continue;
    }
    auto Clear = [&](uint64_t From, uint64_t To) {
      if (From < To)
        B.CreateMemSet(B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Sh, From),
                       B.getInt8(0), To - From,
                       commonAlignment(G->getAlign().valueOrOne(), From));
    };
    if (HasPointer && !Pointers) {
      // The primal sweep left them there for others.
      uint64_t From = 0;
      for (const TypedLeaf &L : Leaves)
        if (L.Kind.K == ByteKind::Pointer) {
          Clear(From, L.Offset);
          From = L.Offset + L.Size;
        }
      Clear(From, Size);
      continue;
    }
    Clear(0, Size);
    if (!HasPointer)
      continue;
    Value *P = AddressOf(G);
    for (const TypedLeaf &L : Leaves)
      if (L.Kind.K == ByteKind::Pointer)
        B.CreateMemCpy(
            B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Sh, L.Offset),
            MaybeAlign(),
            B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), P, L.Offset),
            MaybeAlign(), L.Size);
  }
  if (Together) {
    B.CreateCall(Runtime.require("rg_block_barrier"), {});
    D.setConvergent();
  }
}

/// The message of a refusal.
static void tell(const Refusal &R, bool Forward,
                 function_ref<void(DiagId, ArrayRef<DiagArg>)> Tell) {
  auto Say = [&](DiagId Id, std::initializer_list<DiagArg> Args) {
    Tell(Id, ArrayRef<DiagArg>(Args.begin(), Args.size()));
  };
  switch (R.Kind) {
  case RefusalKind::NoBody:
    Say(DiagId::CallWithoutBody, {userName(R.Detail)});
    break;
  case RefusalKind::RuleWithoutResult:
    Say(DiagId::RuleWithoutResult, {userName(R.Detail)});
    break;
  case RefusalKind::RuleOfOneLane:
    Say(DiagId::RuleOfOneLane, {userName(R.Detail)});
    break;
  case RefusalKind::RuleOfOtherMode:
    Say(DiagId::RuleOfOtherMode,
        {userName(R.Detail), Forward ? "forward" : "reverse",
         Forward ? "__enzyme_register_derivative"
                 : "__enzyme_register_gradient"});
    break;
  case RefusalKind::IndirectCall:
    Say(DiagId::IndirectCall, {R.Detail});
    break;
  case RefusalKind::InlineAsm:
    Say(DiagId::InlineAssembly, {R.Detail});
    break;
  case RefusalKind::UnknownType:
    Say(DiagId::TypeUnknown,
        {userName(R.At->getFunction()->getName()), R.Detail});
    break;
  case RefusalKind::Instruction:
    if (R.At->isAtomic())
      Say(DiagId::AtomicOperation, {R.Detail});
    else
      Say(DiagId::UnsupportedInstruction, {R.At->getOpcodeName(), R.Detail});
    break;
  case RefusalKind::Unshadowed:
    Say(DiagId::ShadowNotAvailable, {R.Detail});
    break;
  case RefusalKind::NoErrorBound:
    Say(DiagId::ErrorEstimateRefused,
        {userName(R.At->getFunction()->getName()), R.Detail});
    break;
  case RefusalKind::ExceptionPath:
    Say(DiagId::ExceptionPath, {});
    break;
  case RefusalKind::VarArg:
    Say(DiagId::VariadicCall, {userName(R.Detail)});
    break;
  case RefusalKind::Device:
    Say(DiagId::DeviceOperation, {R.Detail});
    break;
  case RefusalKind::Threads:
    Say(DiagId::ParallelConstruct, {R.Detail});
    break;
  case RefusalKind::Launch:
    Say(DiagId::HostLaunch, {R.Detail});
    break;
  case RefusalKind::FromTape:
    Say(DiagId::ForwardFromTape,
        {userName(R.At->getFunction()->getName()), R.Detail});
    break;
  case RefusalKind::Memory:
    Say(DiagId::TapeTooLarge,
        {userName(R.At->getFunction()->getName()), R.Detail});
    break;
  case RefusalKind::ControlFlow:
    Say(DiagId::UnsupportedControlFlow, {R.Detail});
    break;
  }
}

void Differentiator::report(ArrayRef<Refusal> Refusals,
                            const RequestTrail &Trail) {
  for (const Refusal &R : Refusals)
    tell(R, Jobs.front().Request.Mode == DerivativeMode::Forward,
         [&](DiagId Id, ArrayRef<DiagArg> Args) {
           Diags.report(Id, R.At, Trail, Args);
         });
}

Differentiator::Outcome Differentiator::settleRefusals(bool Finally) {
  auto IsRefused = [](const Job &J) { return !J.Refusals.empty(); };
  if (none_of(Jobs, IsRefused))
    return Outcome::Done;
  // What the root needs whichever way calls through pointers go.
  SmallSetVector<size_t, 16> Certain;
  Certain.insert(0);
  for (size_t Next = 0; Next < Certain.size(); ++Next) {
    const Job &J = Jobs[Certain[Next]];
    const Function &Primal = *J.Request.Primal;
    unsigned N = alternatives(Primal);
    if (!N) {
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
  if (!Answerable && Reach != Candidates::AllAndTell &&
      Prepare->callsThroughPointers())
    return Outcome::Wide;
  for (size_t At : Certain)
    if (const Job &J = Jobs[At]; IsRefused(J))
      report(J.Refusals, J.Trail);
  if (Answerable && Finally && !PlanOnly)
    for (Job &J : Jobs)
      if (IsRefused(J))
        writeRefusal(J);
  return Answerable ? Outcome::Done : Outcome::Failed;
}

/// The derivative of what cannot be differentiated says so when it is called.
void Differentiator::writeRefusal(Job &J) {
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
    IRBuilder<> B(BasicBlock::Create(M.getContext(), "", F));
    B.CreateCall(Runtime.require("rg_refused_callee"),
                 {B.CreateGlobalString(Text)});
    B.CreateUnreachable();
  }
}

/// I moves what this program takes for integers to where something active
/// depends on it, and nothing declares that it is: callers may know of floats
/// there.
static bool callersMayKnow(const Instruction &I, const ActivityAnalysis &A) {
  const ProgramFacts &Facts = A.facts();
  if (const auto *S = dyn_cast<StoreInst>(&I))
    return A.isUsefulMemory(S->getPointerOperand()) &&
           Facts.types().isBareMove(I);
  const auto *C = dyn_cast<CallBase>(&I);
  if (!C || I.hasMetadata("rg.layout") ||
      I.hasMetadata(LLVMContext::MD_tbaa_struct))
    return false;
  const OperationRecord *R = Facts.catalogue().lookup(I);
  if (!isa<AnyMemTransferInst>(C) &&
      !(R && (R->Handler == HandlerKind::MemCpy ||
              R->Handler == HandlerKind::MemMove)))
    return false;
  Transfer T = transferOf(*C, Facts.catalogue());
  auto Visible = [&](const Value *P) {
    TypeAnalysis::ObjectId O = Facts.types().objectOf(P);
    return O != TypeAnalysis::NoObject && Facts.visible().test(O);
  };
  if (!A.isUsefulMemory(T.Dest) || !A.isVariedMemory(T.Source) ||
      !(Visible(T.Dest) || Visible(T.Source)))
    return false;
  TransferShape Shape = transferShape(I, T.Dest, T.Source, T.Length, Facts);
  return any_of(Shape.Leaves, [](const TypedLeaf &L) {
    return L.Kind.K == ByteKind::Integer && L.Size >= 4;
  });
}

/// I moves bytes that are integers to some callers of this function and floats
/// to others (or to one of them by turns). Whatever I takes them for, the
/// callers see one object.
static bool isContestedMove(const Instruction &I, const ActivityAnalysis &A) {
  const ProgramFacts &Facts = A.facts();
  constexpr unsigned Smallest = 4; // bytes: half of a double
  auto Contested = [&](const Value *P, ArrayRef<TypedLeaf> Leaves) {
    return P && any_of(Leaves, [&](const TypedLeaf &L) {
             return L.Kind.K != ByteKind::Unknown && L.Size >= Smallest &&
                    Facts.types().isContested(P, L.Offset, L.Size);
           });
  };
  if (const Value *P = getLoadStorePointerOperand(&I)) {
    Type *T = getLoadStoreType(&I);
    if (!T->isIntOrIntVectorTy() || TypeAnalysis::isDeclaredInteger(I))
      return false;
    auto Carries = [](const User *U) {
      return isa<StoreInst, InsertValueInst, ReturnInst, PHINode, SelectInst>(
          U);
    };
    bool Moves = isa<StoreInst>(I)
                     ? !isa<Constant>(I.getOperand(0)) && A.isUsefulMemory(P)
                     : all_of(I.users(), Carries) && A.isVariedMemory(P);
    return Moves &&
           Contested(P, Facts.types().leavesOfAccess(
                            &I, P, I.getDataLayout().getTypeStoreSize(T)));
  }
  const auto *C = dyn_cast<CallBase>(&I);
  if (!C)
    return false;
  const OperationRecord *R = Facts.catalogue().lookup(I);
  if (!isa<AnyMemTransferInst>(C) &&
      !(R && (R->Handler == HandlerKind::MemCpy ||
              R->Handler == HandlerKind::MemMove)))
    return false;
  Transfer T = transferOf(*C, Facts.catalogue());
  if (!A.isUsefulMemory(T.Dest) || !T.Source || !A.isVariedMemory(T.Source))
    return false;
  TransferShape Shape = transferShape(I, T.Dest, T.Source, T.Length, Facts);
  return Contested(T.Dest, Shape.Leaves) || Contested(T.Source, Shape.Leaves);
}

/// Of the calls of A's function, which the user wrote, some pass integers for
/// bytes of A, and others pass floats for them.
static bool isContestedArgument(const Argument &A, const TypeAnalysis &Types) {
  if (!A.getType()->isIntOrIntVectorTy())
    return false;
  SmallVector<TypedLeaf, 8> Floats, Integers;
  for (const User *U : A.getParent()->users()) {
    const auto *C = dyn_cast<CallBase>(U);
    if (!C || C->getCalledFunction() != A.getParent() ||
        A.getArgNo() >= C->arg_size() || !Types.analysed(*C->getFunction()))
      continue;
    const Value *V = C->getArgOperand(A.getArgNo());
    // What one call passes, the operands of the others seem to be as well: the
    // memory that they were read from knows better.
    const auto *Read = dyn_cast<LoadInst>(V);
    for (const TypedLeaf &L :
         Read ? Types.leavesAt(Read->getPointerOperand(),
                               A.getParent()->getDataLayout().getTypeStoreSize(
                                   V->getType()))
              : Types.leavesOf(V))
      if (L.Kind.K == ByteKind::Float)
        Floats.push_back(L);
      else if (L.Kind.K == ByteKind::Integer && !isa<Constant>(V))
        Integers.push_back(L);
  }
  return any_of(Floats, [&](const TypedLeaf &F) {
    return any_of(Integers, [&](const TypedLeaf &L) {
      return L.Offset < F.Offset + F.Size && F.Offset < L.Offset + L.Size;
    });
  });
}

/// I copies a struct or two, without a word on their types, and of some of
/// their floats only indices tell that perhaps do not go so far.
static bool isKnownByIndex(const Instruction &I, const ActivityAnalysis &A) {
  constexpr uint64_t Largest = 1024; // bytes
  const auto *C = dyn_cast<AnyMemTransferInst>(&I);
  const auto *Length = C ? dyn_cast<ConstantInt>(C->getLength()) : nullptr;
  return Length && Length->getZExtValue() <= Largest &&
         !I.hasMetadata("rg.layout") &&
         !I.hasMetadata(LLVMContext::MD_tbaa_struct) &&
         A.isUsefulMemory(C->getRawDest()) &&
         A.isVariedMemory(C->getRawSource()) &&
         A.facts().types().knowsByIndexOnly(C->getRawDest(),
                                            Length->getZExtValue());
}

Differentiator::Outcome Differentiator::emit(Job &J) {
  if (const OperationRecord *Rule = Cat.lookupFunction(*J.Request.Primal);
      Rule && Rule->Class == RuleClass::Rule) {
    if (!J.Request.FromTape)
      return emitByRule(J, *Rule);
    Diags.report(DiagId::ForwardFromTape, nullptr, J.Trail,
                 {DiagArg(J.Request.Primal),
                  "its rule computes values and tangents together"});
    return Outcome::Failed;
  }
  Function &F = *Prepare->preparedOf(J.Request.Primal);
  FunctionAnalysisManager &FAM =
      MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  bool Split = J.Request.Mode == DerivativeMode::Augment;

  // What is true.
  std::optional<TimeTraceScope> Stage;
  Stage.emplace("rg-analyse", F.getName());
  LoopInfo &LI = FAM.getResult<LoopAnalysis>(F);
  DominatorTree &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  LoopShape Shape(F, LI, FAM.getResult<ScalarEvolutionAnalysis>(F));
  ActivityAnalysis Activity(F, J.Request.Args,
                            J.Request.ActiveReturn || J.Request.ShadowReturn,
                            *Facts, Shape, J.Callers);
  J.Own = Activity.origins();
  OverwriteAnalysis::When Reversed = Jobs.front().Sweep
                                         ? OverwriteAnalysis::AnyTime
                                     : Split ? OverwriteAnalysis::AfterReturn
                                             : OverwriteAnalysis::AtOnce;
  OverwriteAnalysis Overwrite(F, *Root, Reversed, FAM.getResult<AAManager>(F),
                              Activity, Shape, Opts);
  raw_ostream &Printed =
      errs(); // layering: the printers that the user asked for
  if (Opts.PrintLoops)
    Shape.print(Printed);
  if (Opts.PrintActivity)
    Activity.print(Printed);
  if (Opts.PrintOverwrite)
    Overwrite.print(Printed);

  // What will be done.
  Stage.emplace("rg-plan", F.getName());
  DerivativePlan Plan(F, J.Request, Activity, Overwrite, Shape, DT, Split, Opts,
                      &J == &Jobs.front() ? std::optional(RootUniform)
                                          : std::nullopt);
  if (Opts.PrintPlan)
    Plan.print(Printed);
  if (!LastTry && any_of(Plan.refusals(), [](const Refusal &R) {
        return R.Kind == RefusalKind::UnknownType;
      }))
    return Outcome::Untyped;
  if (!CallersAsked && any_of(instructions(F), [&](const Instruction &I) {
        return callersMayKnow(I, Activity);
      }))
    return Outcome::Untyped;
  if (!LastTry && J.Request.Mode != DerivativeMode::Forward &&
      any_of(instructions(F),
             [&](const Instruction &I) { return isKnownByIndex(I, Activity); }))
    return Outcome::Untyped;
  for (const Instruction &I : instructions(F))
    if (const auto *C = dyn_cast<CallBase>(&I))
      if (const Function *Callee = C->getCalledFunction();
          Callee && Prepare->preparedOf(Callee) &&
          !Prepare->isInlinedEverywhere(*Callee) &&
          any_of(Callee->args(), [&](const Argument &A) {
            return isContestedArgument(A, Facts->types());
          })) {
        MinglesTypes = Callee;
        return Outcome::Mingled;
      }
  if (&F != Root && !Prepare->isInlinedEverywhere(*J.Request.Primal) &&
      (any_of(Plan.refusals(),
              [](const Refusal &Why) {
                return Why.Kind == RefusalKind::UnknownType;
              }) ||
       any_of(instructions(F), [&](const Instruction &I) {
         return isContestedMove(I, Activity);
       }))) {
    MinglesTypes = J.Request.Primal;
    return Outcome::Mingled;
  }
  if (!Plan.refusals().empty()) {
    J.Refusals.assign(Plan.refusals().begin(), Plan.refusals().end());
    if (Outcome Settled = settleRefusals(/*Finally=*/false);
        Settled != Outcome::Done)
      return Settled;
    return PlanOnly ? Outcome::Planned : Outcome::Done;
  }
  if (J.Request.Mode != DerivativeMode::Forward)
    if (std::optional<std::string> Problem = Plan.verify()) {
      Diags.report(DiagId::InvalidPlan, nullptr, J.Trail,
                   {DiagArg(J.Request.Primal), *Problem});
      return Outcome::Failed;
    }

  if (PlanOnly) {
    for (Instruction &I : instructions(F))
      if (auto *C = dyn_cast<CallBase>(&I);
          C && Plan.action(*C) == CallAction::Derivative)
        derivative(Plan.calleeRequest(*C));
    return Outcome::Planned;
  }

  if (J.Request.Mode != DerivativeMode::Forward && !Rare)
    remark(Plan, Overwrite);

  // Do it. Every plan here was verified and cannot be refused any more.
  Stage.emplace("rg-emit", F.getName());
  if (J.Request.Mode == DerivativeMode::Forward) {
    if (Layout && Layout->conflicts(F, Activity))
      return Outcome::Apart;
    ForwardEmitter Tangents(Plan, Layout.get(), *J.Made, *this);
    Tangents.run();
    if (J.Recorder)
      emitReplay(Plan, Tangents, *J.Made, *J.Recorder, *this);
  } else {
    PrimalEmitter Primal(Plan, *J.Made, *this);
    if (!Primal.run()) {
      Diags.report(DiagId::InternalError, nullptr, J.Trail,
                   {"the clone of " + userName(*J.Request.Primal) +
                    " differs from its plan"});
      return Outcome::Failed;
    }
    ReverseEmitter Reverse(Plan, Primal, Split ? *J.Sweep : *J.Made, *this);
    Reverse.run();
    if (Split)
      Primal.returnTape();
  }
  return verified(J);
}

/// The primal is not looked into: its derivatives are functions already.
Differentiator::Outcome
Differentiator::emitByRule(Job &J, const OperationRecord &Rule) {
  if (PlanOnly)
    return Outcome::Planned;
  OperationRecord Own = Rule;
  if (Launches)
    Launches->specialise(J.Request, Own);
  if (!emitRule(J.Request, Own, *J.Made, J.Sweep, Runtime)) {
    Diags.report(DiagId::InternalError, nullptr, J.Trail,
                 {"the runtime's rule of " + userName(*J.Request.Primal) +
                  " does not fit its record"});
    return Outcome::Failed;
  }
  return verified(J);
}

/// Last step of a derivative that was written.
Differentiator::Outcome Differentiator::verified(Job &J) {
  raw_ostream &Printed =
      errs(); // layering: the printers that the user asked for
  for (Function *D : {J.Made, J.Sweep, J.Recorder}) {
    if (!D)
      continue;
    settleStrict(*D);
    std::string Problem;
    raw_string_ostream OS(Problem);
    if (verifyFunction(*D, &OS)) {
      if (Opts.PrintDerivative)
        D->print(Printed);
      Diags.report(DiagId::InvalidDerivative, nullptr, J.Trail,
                   {DiagArg(J.Request.Primal),
                    StringRef(Problem).split('\n').first.str()});
      return Outcome::Failed;
    }
    Emitted.push_back(D);
  }
  return Outcome::Done;
}
