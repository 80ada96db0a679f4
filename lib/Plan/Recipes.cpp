//===- Recipes.cpp - how the reverse sweep can have a value ---------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan/Recipes.h"
#include "Catalogue/Catalogue.h"
#include "Rules/Rules.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace retrograd;

Need Recipes::canonical(Need N) const {
  if (N.K == Need::Shadow && !Subject.Activity.hasShadow(N.Of))
    return {Need::Primal, N.Of};
  return N;
}

Recipe Recipes::recipe(Need N) const {
  N = canonical(N);
  switch (N.K) {
  case Need::Primal:
  case Need::Shadow:
    return valueRecipe(N.Of, N.K);
  case Need::Pred:
    if (auto J = decidedJoin(cast<BasicBlock>(N.Of))) {
      if (isa<Constant>(J->Condition))
        return {Recipe::Available, {}};
      return {Recipe::Compute, {{Need::Primal, J->Condition}}};
    }
    if (auto W = decidedWays(cast<BasicBlock>(N.Of))) {
      Recipe R{Recipe::Compute, {}};
      for (const DecidedWays::Way &Way : drop_end(W->Ways))
        R.Inputs.push_back({Need::Primal, Way.Condition});
      return R;
    }
    if (auto J = decidingBranches(cast<BasicBlock>(N.Of))) {
      Recipe R{Recipe::Compute, {}};
      for (const DecidedByBranches::Branch &Br : J->Branches)
        if (Need In{Need::Primal, Br.Condition};
            !isa<Constant>(In.Of) && !is_contained(R.Inputs, In))
          R.Inputs.push_back(In);
      return R;
    }
    return {};
  case Need::Count:
    if (auto In = countInputs(
            Subject.Shape.loops().getLoopFor(cast<BasicBlock>(N.Of))))
      return {Recipe::Compute, {In->begin(), In->end()}};
    return {};
  case Need::Tape:
  case Need::Last:
  case Need::Won:
  case Need::Final:
  case Need::Records:
  case Need::Snapshot:
    return {};
  }
  llvm_unreachable("all kinds handled");
}

bool Recipes::roundingChanges() const {
  return Subject.facts().changesRounding() ||
         (Subject.Overwrite.isUserSplit() &&
          Subject.F.hasFnAttribute(Attribute::StrictFP));
}

/// The result of I is another number in another rounding mode.
static bool isRounded(const Instruction &I, const Catalogue &Cat) {
  if (const OperationRecord *R = Cat.lookup(I); R && R->Exact)
    return false;
  switch (I.getOpcode()) {
  case Instruction::FPTrunc:
  case Instruction::SIToFP:
  case Instruction::UIToFP:
    return true;
  case Instruction::Call:
    if (const auto *C = dyn_cast<ConstrainedFPIntrinsic>(&I))
      return Intrinsic::hasConstrainedFPRoundingModeOperand(
          C->getIntrinsicID());
    return any_of(cast<CallInst>(I).args(), [](const Value *A) {
      return A->getType()->isFPOrFPVectorTy();
    });
  default:
    return I.isBinaryOp() && I.getType()->isFPOrFPVectorTy();
  }
}

/// Instructions that give the same from the same operands, whenever they run.
static bool isRepeatable(const Instruction &I, const Catalogue &Cat,
                         bool AtAnyPrice, bool RoundingChanges) {
  if (RoundingChanges && isRounded(I, Cat))
    return false;
  if (isa<CallInst>(I)) {
    const OperationRecord *R = Cat.lookup(I);
    return R && R->Pure && (R->Cheap || AtAnyPrice);
  }
  // A frozen poison may thaw into another value.
  return I.isBinaryOp() || I.isUnaryOp() || I.isCast() || isa<CmpInst>(I) ||
         isa<SelectInst>(I) || isa<GetElementPtrInst>(I) ||
         isa<ExtractElementInst>(I) || isa<InsertElementInst>(I) ||
         isa<ShuffleVectorInst>(I) || isa<ExtractValueInst>(I) ||
         isa<InsertValueInst>(I);
}

bool Recipes::isRepeatable(const Instruction &I) const {
  return ::isRepeatable(I, Subject.facts().catalogue(), /*AtAnyPrice=*/true,
                        roundingChanges());
}

bool Recipes::canRepeat(const LoadInst &L) const {
  if (Subject.Overwrite.canRepeat(L))
    return true;
  // An iteration that runs in the reverse sweep is reversed before the next one
  // runs.
  const Loop *Run = Subject.Shape.loops().getLoopFor(L.getParent());
  while (Run && !Deferred.isDeferred(Run))
    Run = Run->getParentLoop();
  return Run && Subject.Machine.prefersRecomputation() &&
         Subject.Opts.ReplayOnDevice &&
         Subject.Overwrite.canRepeatWithin(L, *Run);
}

bool Recipes::isComputedPhi(const PHINode &Phi) const {
  return Subject.Opts.RecomputePhis && Subject.Shape.affine(&Phi);
}

/// On the host, what a function keeps once per call costs a slot only where its
/// reverse runs later, and follows from its arguments where these are at hand
/// then.
bool Recipes::countsFromArguments() const {
  return Subject.Split && Subject.Request.ArgsAgain &&
         !Subject.Machine.manyThreads();
}

/// V is a number that arguments and constants alone tell, by arithmetic that
/// can be done whatever way was taken.
bool Recipes::followsFromArguments(const Value *V, unsigned &Budget) const {
  if (isa<Constant>(V))
    return true;
  if (!V->getType()->isIntegerTy() || !Budget)
    return false;
  --Budget;
  if (isa<Argument>(V))
    return recipe({Need::Primal, V}).K == Recipe::Available;
  const auto *I = cast<Instruction>(V);
  return !isa<LoadInst, PHINode, CallBase>(I) && isRepeatable(*I) &&
         isSafeToSpeculativelyExecute(I) &&
         recipe({Need::Primal, V}).K == Recipe::Compute &&
         all_of(I->operands(), [&](const Value *Op) {
           return followsFromArguments(Op, Budget);
         });
}

/// V can be had again without a slot for each iteration of Around: it does not
/// change in it, or is made of such values and of memory that stays as it is.
bool Recipes::followsWithin(const Value *V, const Loop &Around,
                            unsigned &Budget) const {
  const auto *I = dyn_cast<Instruction>(V);
  if (!I || !Around.contains(I))
    return true;
  if (!Budget)
    return false;
  --Budget;
  const Recipe How = recipe({Need::Primal, V});
  if (const auto *Load = dyn_cast<LoadInst>(I);
      Load && (originalOf(*Load) || replayOf(*Load)))
    return false;
  return How.K == Recipe::Available ||
         (How.K == Recipe::Compute && all_of(How.Inputs, [&](const Need &In) {
            return In.K == Need::Primal && followsWithin(In.Of, Around, Budget);
          }));
}

std::optional<SmallVector<Need, 4>> Recipes::countInputs(const Loop *L) const {
  const LoopFacts &Facts = Subject.Shape.facts(L);
  const bool OnDevice = Subject.Machine.prefersRecomputation() &&
                        Subject.Opts.CountOnDevice && !Subject.Split;
  if (!Facts.Exact || !L->getLoopPreheader())
    return std::nullopt;
  // A slot for each iteration of this loop is what the count would take.
  const Loop *Around = nullptr;
  if (Subject.Opts.CountAgain && Subject.Opts.Plan != PlanKind::Naive &&
      !Subject.Machine.manyThreads())
    Around = countHome(L)->getParentLoop();
  if (!OnDevice && !countsFromArguments() && !Around)
    return std::nullopt;
  auto Follows = [&](const Value *V) {
    unsigned Budget = 16;
    return (countsFromArguments() && followsFromArguments(V, Budget)) ||
           (Around && followsWithin(V, *Around, Budget = 16));
  };
  SmallVector<Need, 4> Inputs;
  SmallVector<const SCEV *, 8> Work{Facts.BackedgeBound};
  for (unsigned Steps = 0; !Work.empty(); ++Steps) {
    const SCEV *S = Work.pop_back_val();
    if (Steps == 32)
      return std::nullopt;
    switch (S->getSCEVType()) {
    case scConstant:
      continue;
    case scUnknown: {
      Value *V = cast<SCEVUnknown>(S)->getValue();
      // What an earlier loop left, of which the phi behind that loop would be
      // one value: evolutions look through it, to one value per iteration.
      const auto *I = dyn_cast<Instruction>(V);
      const Loop *Of =
          I ? Subject.Shape.loops().getLoopFor(I->getParent()) : nullptr;
      if ((Of && !Of->contains(L)) || (!OnDevice && !Follows(V)))
        return std::nullopt;
      if (!isa<Constant>(V) && !is_contained(Inputs, Need{Need::Primal, V}))
        Inputs.push_back({Need::Primal, V});
      continue;
    }
    case scUDivExpr:
      // The divisor of a loop that was not entered may be zero.
      if (!isa<SCEVConstant>(cast<SCEVUDivExpr>(S)->getRHS()))
        return std::nullopt;
      [[fallthrough]];
    case scTruncate:
    case scZeroExtend:
    case scSignExtend:
    case scAddExpr:
    case scMulExpr:
    case scUMaxExpr:
    case scSMaxExpr:
    case scUMinExpr:
    case scSMinExpr:
      if (!S->getType()->isIntegerTy())
        return std::nullopt;
      append_range(Work, S->operands());
      continue;
    case scAddRecExpr:
      // Of a loop around L, whose iteration the reverse sweep knows.
      if (const auto *Recurrence = cast<SCEVAddRecExpr>(S);
          !S->getType()->isIntegerTy() || !Recurrence->isAffine() ||
          Recurrence->getLoop() == L || !Recurrence->getLoop()->contains(L))
        return std::nullopt;
      append_range(Work, S->operands());
      continue;
    default:
      return std::nullopt;
    }
  }
  return Inputs;
}

static Recipe computeFrom(ArrayRef<Need> Inputs) {
  Recipe R;
  R.K = Recipe::Compute;
  for (Need N : Inputs)
    if (!isa<Constant>(N.Of) || N.K == Need::Shadow)
      R.Inputs.push_back(N);
  return R;
}

/// All incoming values are one value from outside of the phi's own loop level.
static const Value *trivialPhi(const PHINode &Phi, const LoopInfo &LI) {
  const Value *V = Phi.hasConstantValue();
  if (!V || V == &Phi)
    return nullptr;
  const auto *I = dyn_cast<Instruction>(V);
  const Loop *L = I ? LI.getLoopFor(I->getParent()) : nullptr;
  return !L || L->contains(Phi.getParent()) ? V : nullptr;
}

const Original *Recipes::originalOf(const LoadInst &L) const {
  const auto *It =
      find_if(Originals, [&](const Original &O) { return O.Load == &L; });
  return It == Originals.end() || isInDeferred(L) ? nullptr : It;
}

bool Recipes::isInDeferred(const LoadInst &L) const {
  const Loop *Of = Subject.Shape.loops().getLoopFor(L.getParent());
  while (Of && !Deferred.isDeferred(Of))
    Of = Of->getParentLoop();
  return Of;
}

const Snapshot *Recipes::snapshotOf(const LoadInst &L) const {
  const auto *It = find_if(
      Snapshots, [&](const Snapshot &S) { return is_contained(S.Loads, &L); });
  return It == Snapshots.end() || isInDeferred(L) ? nullptr : It;
}

const Snapshot &Recipes::snapshotWith(const Value *Of) const {
  const auto *It = find_if(
      Snapshots, [&](const Snapshot &S) { return S.Loads.front() == Of; });
  assert(It != Snapshots.end() && "no array is kept so");
  return *It;
}

/// Neither loop of it runs in the reverse sweep, where its numbers would be
/// those that they were.
bool Recipes::runsForward(const RunningPivot &R) const {
  return none_of(R.Before, [&](const PHINode *Phi) {
    return Deferred.isDeferred(
        Subject.Shape.loops().getLoopFor(Phi->getParent()));
  });
}

const RunningPivot *Recipes::settledBy(const Value *V) const {
  const auto *It = find_if(Settled, [&](const RunningPivot *R) {
    return (R->Pivot == V || is_contained(R->Before, V)) && runsForward(*R);
  });
  return It == Settled.end() ? nullptr : *It;
}

bool Recipes::isShifted(const Value *V) const {
  return any_of(Settled, [&](const RunningPivot *R) {
    return R->Shifted.contains(V) && runsForward(*R);
  });
}

/// The place of S is one of a row, whose address takes no numbers: so no number
/// that is held depends on another one.
bool Recipes::isEasyPlace(const StoreInst &S) const {
  constexpr unsigned MostSteps = 32, MostBytes = 256;
  const Loop *L = Subject.Shape.loops().getLoopFor(S.getParent());
  if (L) {
    ScalarEvolution &SE = Subject.Shape.evolution();
    const auto *Row = dyn_cast<SCEVAddRecExpr>(
        SE.getSCEV(const_cast<Value *>(S.getPointerOperand())));
    const auto *Step = Row && Row->isAffine() && Row->getLoop() == L
                           ? dyn_cast<SCEVConstant>(Row->getStepRecurrence(SE))
                           : nullptr;
    if (!Step || Step->getAPInt().abs().ugt(MostBytes))
      return false;
  }
  SmallSetVector<const Value *, 16> Seen;
  Seen.insert(S.getPointerOperand());
  for (unsigned Next = 0; Next != Seen.size(); ++Next) {
    const Value *V = Seen[Next];
    if (!V->getType()->isIntegerTy() && !V->getType()->isPointerTy())
      return false;
    for (const Need &In : recipe({Need::Primal, V}).Inputs) {
      if (In.K != Need::Primal)
        return false;
      Seen.insert(In.Of);
    }
    if (Seen.size() > MostSteps)
      return false;
  }
  return true;
}

const StoreInst *Recipes::heldBy(const Value *V) const {
  const auto *I = dyn_cast<Instruction>(V);
  // Loops of joint derivatives may wait for the reverse sweep, stores with
  // them.
  if (!I || !I->getType()->isFPOrFPVectorTy() || !Subject.Split ||
      Subject.Opts.Plan == PlanKind::Naive ||
      Subject.Machine.prefersRecomputation())
    return nullptr;
  if (const auto *L = dyn_cast<LoadInst>(I); L && canRepeat(*L))
    return nullptr;
  auto [It, New] = Held.try_emplace(I, nullptr);
  if (!New)
    return It->second;
  const StoreInst *Found = nullptr;
  for (const User *U : I->users()) {
    const auto *S = dyn_cast<StoreInst>(U);
    // What is computed is stored there, whatever way is taken.
    if (S && S->getValueOperand() == I && S->getParent() == I->getParent() &&
        Subject.Overwrite.staysStored(*S) && isEasyPlace(*S)) {
      Found = S;
      break;
    }
  }
  return Held[I] = Found;
}

const Replay *Recipes::replayOf(const LoadInst &L) const {
  return replayOfArray(
      *getUnderlyingObject(L.getPointerOperand(), /*MaxLookup=*/0));
}

const Replay *Recipes::replayOfArray(const Value &Array) const {
  const auto *It =
      find_if(Replays, [&](const Replay &R) { return R.Array == &Array; });
  return It == Replays.end() ? nullptr : It;
}

/// V has the value it has, or some value that nobody will look at, if it is
/// computed behind Decision whatever the branch there says.
bool Recipes::canSpeculate(const Value *V, const BasicBlock *Decision,
                           unsigned &Budget) const {
  const auto *I = dyn_cast<Instruction>(V);
  if (!I || Subject.DT.dominates(I->getParent(), Decision))
    return true;
  if (!Budget || Subject.Shape.loops().getLoopFor(I->getParent()) !=
                     Subject.Shape.loops().getLoopFor(Decision))
    return false;
  --Budget;
  auto All = [&](const User *U) {
    return all_of(U->operands(), [&](const Value *Op) {
      return isa<Function, BasicBlock, MetadataAsValue>(Op) ||
             canSpeculate(Op, Decision, Budget);
    });
  };
  if (const auto *Phi = dyn_cast<PHINode>(I)) {
    if (Subject.Shape.loops().isLoopHeader(Phi->getParent()))
      return false;
    auto J = decidedJoin(Phi->getParent());
    return J && isSelect(*Phi) &&
           canSpeculate(J->Condition, Decision, Budget) && All(Phi);
  }
  // Pure functions of the catalogue end for every argument; their declarations
  // need not say so.
  return isRepeatable(*I) &&
         (isa<CallInst>(I) || isSafeToSpeculativelyExecute(I)) && All(I);
}

bool Recipes::isSelect(const PHINode &Phi) const {
  if (!Subject.Machine.prefersRecomputation() || !Subject.Opts.SelectOnDevice ||
      Phi.getType()->isPtrOrPtrVectorTy() ||
      Subject.Shape.loops().isLoopHeader(Phi.getParent()))
    return false;
  auto [It, New] = Selects.try_emplace(&Phi, false);
  if (!New)
    return It->second;
  auto J = decidedJoin(Phi.getParent());
  // Two entries from one switch are one predecessor and two incoming values.
  if (!J || Phi.getNumIncomingValues() != 2 || J->OnTrueSide.size() != 2)
    return false;
  const BasicBlock *Decision =
      Subject.DT.getNode(Phi.getParent())->getIDom()->getBlock();
  // So many operations for one number are worth keeping the number.
  unsigned Budget = 2000;
  bool Can = all_of(Phi.incoming_values(), [&](const Value *V) {
    return canSpeculate(V, Decision, Budget);
  });
  return Selects[&Phi] = Can;
}

/// I was just computed when the reverse sweep asks for it, by the iteration of
/// a deferred loop that it belongs to, and takes long: so it is kept for so
/// long as the iteration lasts, in a register. The rest is computed again where
/// it is asked for, or the optimiser finds that it was there.
bool Recipes::isAtHandDear(const Instruction &I) const {
  if (!Subject.Machine.prefersRecomputation() ||
      !Subject.Opts.KeepDearOnDevice ||
      !Deferred.isDeferred(Subject.Shape.loops().getLoopFor(I.getParent())))
    return false;
  if (isa<PHINode, LoadInst>(
          I)) // both sides of a branch, or all that is stored in an array
    return true;
  return I.getOpcode() == Instruction::FDiv ||
         I.getOpcode() == Instruction::FRem ||
         (isa<CallInst>(I) &&
          !::isRepeatable(I, Subject.facts().catalogue(), /*AtAnyPrice=*/false,
                          roundingChanges()));
}

/// Primal values and shadows are made alike: a shadow by the same instruction
/// over the shadows of those operands that have one.
Recipe Recipes::valueRecipe(const Value *V, Need::Kind K) const {
  auto Input = [&](const Value *Op) {
    return Need{K == Need::Shadow && Subject.Activity.hasShadow(Op)
                    ? Need::Shadow
                    : Need::Primal,
                Op};
  };
  if (isa<Constant>(V))
    return {Recipe::Available, {}};
  if (const auto *A = dyn_cast<Argument>(V);
      A && Subject.Request.takesAgain(*A))
    return {Recipe::Available, {}};
  if (isa<Argument>(V))
    return {Subject.Split && !(K == Need::Shadow && Subject.Request.UserBytes)
                ? Recipe::Source
                : Recipe::Available,
            {}};
  const auto *I = cast<Instruction>(V);
  if (const Choice *C = K == Need::Primal ? Chosen.by(I) : nullptr)
    return {Recipe::Compute, {{Need::Last, C->Of->getHeader()}}};
  if (const auto *S = dyn_cast<SelectInst>(I);
      S && Chosen.by(S->getCondition()))
    return {};
  if (const auto *Phi = dyn_cast<PHINode>(I))
    if (const Choice *C = K == Need::Primal ? Chosen.running(Phi) : nullptr) {
      const BasicBlock *Header = C->Of->getHeader();
      return {Recipe::Compute,
              {{Need::Last, Header},
               {Need::Won, Header},
               {Need::Primal, C->Final}}};
    }
  if (const RunningPivot *R = K == Need::Primal ? settledBy(I) : nullptr) {
    SmallVector<Need, 2> In{{Need::Final, R->Pivot}};
    if (const auto *Phi = dyn_cast<PHINode>(I); Phi && !R->FromNothing)
      In.push_back({Need::Primal, Phi->getIncomingValueForBlock(
                                      Subject.Shape.loops()
                                          .getLoopFor(I->getParent())
                                          ->getLoopPreheader())});
    return computeFrom(In);
  }
  if (const StoreInst *S = K == Need::Primal ? heldBy(I) : nullptr)
    return computeFrom({{Need::Primal, S->getPointerOperand()}});
  if (const auto *A = dyn_cast<AllocaInst>(I))
    return {!Subject.Split && A->isStaticAlloca() ? Recipe::Available
                                                  : Recipe::Source,
            {}};
  if (const auto *Phi = dyn_cast<PHINode>(I)) {
    const AffinePhi *A = Subject.Shape.affine(Phi);
    if (A && Subject.Opts.RecomputePhis &&
        (K == Need::Primal || Phi->getType()->isPointerTy())) {
      SmallVector<Need, 2> In{Input(A->Start)};
      if (A->InvariantStep)
        In.push_back({Need::Primal, A->InvariantStep});
      return computeFrom(In);
    }
    if (const Value *Same = trivialPhi(*Phi, Subject.Shape.loops()))
      return computeFrom({Input(Same)});
    if (K == Need::Primal && isSelect(*Phi) && !isAtHandDear(*Phi)) {
      const auto Join = decidedJoin(Phi->getParent());
      assert(Join && "a select's join is decided");
      SmallVector<Need, 3> In{{Need::Primal, Join->Condition}};
      for (const Value *From : Phi->incoming_values())
        In.push_back({Need::Primal, From});
      return computeFrom(In);
    }
    return {};
  }
  if (const auto *L = dyn_cast<LoadInst>(I)) {
    if (K == Need::Primal ? canRepeat(*L) : Subject.Overwrite.canRepeat(*L))
      return computeFrom({Input(L->getPointerOperand())});
    if (K == Need::Primal && originalOf(*L))
      return computeFrom({{Need::Primal, L->getPointerOperand()}});
    if (const Snapshot *S = K == Need::Primal ? snapshotOf(*L) : nullptr)
      return computeFrom({{Need::Primal, L->getPointerOperand()},
                          {Need::Primal, S->Array},
                          {Need::Snapshot, S->Loads.front()}});
    const Replay *R = K == Need::Primal ? replayOf(*L) : nullptr;
    if (!R || isAtHandDear(*L))
      return {};
    SmallVector<Need, 8> In{Input(L->getPointerOperand())};
    for (const Replay::Filling &S : R->Stores) {
      In.push_back({Need::Primal, S.Store->getValueOperand()});
      In.push_back({Need::Primal, S.Store->getPointerOperand()});
      if (S.Condition)
        In.push_back({Need::Primal, S.Condition});
    }
    return computeFrom(In);
  }
  if (K == Need::Primal && isAtHandDear(*I))
    return {};
  if (!::isRepeatable(*I, Subject.facts().catalogue(),
                      Subject.Machine.prefersRecomputation() &&
                          Subject.Opts.RecomputeOnDevice,
                      roundingChanges()) ||
      (K == Need::Shadow && isa<CallBase>(I)))
    return {};
  SmallVector<Need, 4> In;
  for (const Use &U : I->operands())
    if (!isa<MetadataAsValue>(U.get()) &&
        (!isa<Function>(U.get()) || !isa<CallBase>(I)))
      In.push_back(Input(U.get()));
  return computeFrom(In);
}

SmallVector<const BasicBlock *, 4>
Recipes::predecessorsOf(const BasicBlock *B) const {
  SmallSetVector<const BasicBlock *, 4> Set;
  for (const BasicBlock *P : llvm::predecessors(B))
    if (Subject.Shape.isLive(P) && Subject.DT.isReachableFromEntry(P))
      Set.insert(P);
  return {Set.begin(), Set.end()};
}

std::optional<DecidedJoin> Recipes::decidedJoin(const BasicBlock *B) const {
  const auto *Node = Subject.DT.getNode(B);
  if (!Node || !Node->getIDom())
    return std::nullopt;
  const BasicBlock *D = Node->getIDom()->getBlock();
  const auto *Br = dyn_cast<BranchInst>(D->getTerminator());
  if (!Br || !Br->isConditional() ||
      Br->getSuccessor(0) == Br->getSuccessor(1) ||
      Subject.Shape.loops().getLoopFor(D) !=
          Subject.Shape.loops().getLoopFor(B))
    return std::nullopt;
  DecidedJoin J{Br->getCondition(), {}};
  unsigned TrueSide = 0, FalseSide = 0;
  for (const BasicBlock *P : predecessorsOf(B)) {
    auto On = [&](unsigned S) {
      if (P == D)
        return Br->getSuccessor(S) == B;
      return Subject.DT.dominates(BasicBlockEdge(D, Br->getSuccessor(S)), P);
    };
    if (On(0))
      ++TrueSide;
    else if (On(1))
      ++FalseSide;
    else
      return std::nullopt;
    J.OnTrueSide.push_back(On(0));
  }
  if (TrueSide != 1 || FalseSide != 1)
    return std::nullopt;
  return J;
}

/// A branch whose condition arguments tell separates one predecessor from the
/// others, which another such branch behind it separates further.
std::optional<DecidedWays> Recipes::decidedWays(const BasicBlock *B) const {
  if (!countsFromArguments())
    return std::nullopt;
  const LoopInfo &Loops = Subject.Shape.loops();
  SmallVector<const BasicBlock *, 4> All = predecessorsOf(B);
  SmallVector<unsigned, 4> Left = to_vector<4>(seq<unsigned>(0, All.size()));
  DecidedWays Found;
  constexpr unsigned MostWays = 4;
  if (All.size() < 3 || All.size() > MostWays)
    return std::nullopt;
  while (Left.size() > 1) {
    const BasicBlock *D = All[Left.front()];
    for (unsigned K : drop_begin(Left))
      D = Subject.DT.findNearestCommonDominator(
          const_cast<BasicBlock *>(D), const_cast<BasicBlock *>(All[K]));
    const auto *Br =
        dyn_cast_or_null<BranchInst>(D ? D->getTerminator() : nullptr);
    unsigned Budget = 16;
    if (!Br || !Br->isConditional() ||
        Br->getSuccessor(0) == Br->getSuccessor(1) ||
        Loops.getLoopFor(D) != Loops.getLoopFor(B) ||
        isa<Constant>(Br->getCondition()) ||
        !followsFromArguments(Br->getCondition(), Budget))
      return std::nullopt;
    SmallVector<unsigned, 4> On[2];
    for (unsigned K : Left) {
      auto Lies = [&](unsigned S) {
        return All[K] == D
                   ? Br->getSuccessor(S) == B
                   : Subject.DT.dominates(
                         BasicBlockEdge(D, Br->getSuccessor(S)), All[K]);
      };
      if (!Lies(0) && !Lies(1))
        return std::nullopt;
      On[Lies(0) ? 0 : 1].push_back(K);
    }
    if (On[0].size() != 1 && On[1].size() != 1)
      return std::nullopt;
    const unsigned Alone = On[0].size() == 1 ? 0 : 1;
    Found.Ways.push_back({On[Alone].front(), Br->getCondition(), Alone == 0});
    Left = On[1 - Alone];
  }
  Found.Ways.push_back({Left.front()});
  return Found;
}

std::optional<DecidedByBranches>
Recipes::decidingBranches(const BasicBlock *B) const {
  constexpr size_t Most = 8;
  const auto *Node = Subject.DT.getNode(B);
  if (!Subject.Machine.prefersRecomputation() || !Subject.Opts.AskAgain ||
      Subject.Split || !Node || !Node->getIDom())
    return std::nullopt;
  const LoopInfo &LI = Subject.Shape.loops();
  const Loop *L = LI.getLoopFor(B);
  const SmallVector<const BasicBlock *, 4> Preds = predecessorsOf(B);
  DecidedByBranches J;
  unsigned Ends = 0;
  // The branch that an edge from From leads to, or the predecessor of B.
  auto Follow = [&](auto &Self, const BasicBlock *From,
                    const BasicBlock *To) -> std::optional<int> {
    if (To == B) {
      ++Ends;
      return -1 - int(find(Preds, From) - Preds.begin());
    }
    if (From != To &&
        (LI.getLoopFor(To) != L || LI.isLoopHeader(To) ||
         !Subject.Shape.isLive(To) || To->getSinglePredecessor() != From))
      return std::nullopt;
    const auto *Br = dyn_cast<BranchInst>(To->getTerminator());
    if (!Br)
      return std::nullopt;
    if (Br->isUnconditional())
      return Self(Self, To, Br->getSuccessor(0));
    if (Br->getSuccessor(0) == Br->getSuccessor(1) || J.Branches.size() == Most)
      return std::nullopt;
    const int Here = J.Branches.size();
    J.Branches.push_back({Br->getCondition(), {}});
    for (unsigned OnTrue : {0, 1}) {
      auto Next = Self(Self, To, Br->getSuccessor(1 - OnTrue));
      if (!Next)
        return std::nullopt;
      J.Branches[Here].Next[OnTrue] = *Next;
    }
    return Here;
  };
  const BasicBlock *First = Node->getIDom()->getBlock();
  if (LI.getLoopFor(First) != L || !isa<BranchInst>(First->getTerminator()) ||
      cast<BranchInst>(First->getTerminator())->isUnconditional() ||
      !Follow(Follow, First, First) || Ends != Preds.size())
    return std::nullopt;
  return J;
}

std::optional<uint64_t> Recipes::constantCount(const Loop *L) const {
  const LoopFacts &Facts = Subject.Shape.facts(L);
  if (Facts.Exact)
    if (const auto *C = dyn_cast<SCEVConstant>(Facts.BackedgeBound))
      if (C->getAPInt().getActiveBits() <= 62)
        return C->getAPInt().getZExtValue();
  return std::nullopt;
}

const Loop *Recipes::countHome(const Loop *L) const {
  const LoopFacts &Facts = Subject.Shape.facts(L);
  if (!Facts.Exact || !Subject.Opts.OuterCounts)
    return L;
  ScalarEvolution &SE = Subject.Shape.evolution();
  SCEVExpander Expander(SE, "rg");
  const Loop *Home = L;
  for (const Loop *P = L->getParentLoop(); P; P = P->getParentLoop()) {
    if (!P->getLoopPreheader() || !SE.isLoopInvariant(Facts.BackedgeBound, P) ||
        !Expander.isSafeToExpandAt(Facts.BackedgeBound,
                                   P->getLoopPreheader()->getTerminator()))
      break;
    Home = P;
  }
  return Home;
}
