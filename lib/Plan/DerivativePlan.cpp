//===- DerivativePlan.cpp - everything decided for one derivative ---------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan/DerivativePlan.h"
#include "Analysis/KeptNumber.h"
#include "Catalogue/Catalogue.h"
#include "Diagnostics/RequestTrail.h"
#include "Plan/DeferredLoops.h"
#include "Plan/MinCut.h"
#include "Rules/Rules.h"
#include "Rules/Transfer.h"
#include "Support/ExceptionMarks.h"
#include "Support/TeamMarks.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace retrograd;

static bool isRepeatable(const Instruction &I, const Catalogue &Cat,
                         bool AtAnyPrice, bool RoundingChanges);

DerivativePlan::DerivativePlan(Function &F, const DerivativeRequest &Request,
                               const ActivityAnalysis &Activity,
                               const OverwriteAnalysis &Overwrite,
                               const LoopShape &Shape, DominatorTree &DT,
                               bool Split, const Options &Opts,
                               BitVector Uniform)
    : F(F), Request(Request), Activity(Activity), Overwrite(Overwrite),
      Shape(Shape), DT(DT), Split(Split), Opts(Opts), Machine(*F.getParent()),
      Threads(F, Activity.facts(), Opts), Uniform(std::move(Uniform)) {
  collectRefusals();
  // A tangent sweep runs along with the primal and needs nothing kept.
  if (!Refusals.empty() || Request.Mode == DerivativeMode::Forward)
    return;
  findOwnWork();
  findUnneededStores();
  findReplays();
  findChoices();
  collectNeeds();
  collectCounts();
  choose();
  if (Opts.Plan != PlanKind::Naive)
    defer();
  checkMemory();
}

/// Which adjoints need no atomic addition though threads share the memory.
void DerivativePlan::findOwnWork() {
  if (Threads.company() != ThreadModel::Team || !Opts.PlainWhereOwn ||
      Opts.SharedShadows)
    return;
  SmallVector<const LoadInst *, 16> Loads;
  bool AlsoElsewhere = false;
  for (const BasicBlock &B : F)
    for (const Instruction &I : B) {
      if (!Shape.isLive(&B) || !hasReverse(I, Activity))
        continue;
      if (const auto *L = dyn_cast<LoadInst>(&I);
          L && !isThreadsOwn(L->getPointerOperand()))
        Loads.push_back(L);
      if (const auto *C = dyn_cast<CallBase>(&I))
        AlsoElsewhere |= action(*C) == CallAction::Derivative ||
                         action(*C) == CallAction::Memory;
    }
  OwnWork.emplace(F, facts(), Shape, DT, Loads, AlsoElsewhere);
}

/// What the user does not need (DupNoNeed), and the function itself never
/// reads: stores through a parameter whose memory nothing else leads to, and
/// that does nothing else.
void DerivativePlan::findUnneededStores() {
  if (Split)
    return;
  for (const Argument &A : F.args()) {
    if (Request.Args[A.getArgNo()] != ArgActivity::DupNoNeed ||
        !A.hasNoAliasAttr())
      continue;
    SmallVector<const StoreInst *, 8> Stores;
    SmallVector<const Value *, 8> Work{&A};
    bool OnlyStores = true;
    while (OnlyStores && !Work.empty()) {
      const Value *P = Work.pop_back_val();
      for (const User *U : P->users()) {
        if (isa<GetElementPtrInst>(U) || isa<AddrSpaceCastInst>(U)) {
          Work.push_back(U);
          continue;
        }
        const auto *S = dyn_cast<StoreInst>(U);
        OnlyStores = S && S->isSimple() && S->getValueOperand() != P &&
                     S->getValueOperand()->getType()->isFPOrFPVectorTy();
        if (!OnlyStores)
          break;
        Stores.push_back(S);
      }
    }
    if (OnlyStores)
      Unneeded.insert_range(Stores);
  }
}

/// What is kept, and where.
void DerivativePlan::choose() {
  Keep.clear();
  Scopes.clear();
  SlotIndex.clear();
  for (Replay &R : Replays)
    R.Used = false;
  if (Opts.Plan == PlanKind::Naive)
    keepAll();
  else
    cut();
  markUsedReplays();
  layOut();
}

/// What the reverse sweep may look up, whatever is kept.
DenseSet<Need> DerivativePlan::readable() const {
  DenseSet<Need> Read;
  SmallVector<Need, 0> Work(needs());
  while (!Work.empty()) {
    Need N = canonical(Work.pop_back_val());
    if (isa<Constant>(N.Of) || !Read.insert(N).second)
      continue;
    append_range(Work, recipe(N).Inputs);
  }
  return Read;
}

bool DerivativePlan::roundingChanges() const {
  return facts().changesRounding() ||
         (Overwrite.isUserSplit() && F.hasFnAttribute(Attribute::StrictFP));
}

bool DerivativePlan::isRepeatable(const Instruction &I) const {
  return ::isRepeatable(I, facts().catalogue(), /*AtAnyPrice=*/true,
                        roundingChanges());
}

bool DerivativePlan::canRepeat(const LoadInst &L) const {
  if (Overwrite.canRepeat(L))
    return true;
  // An iteration that runs in the reverse sweep is reversed before the next one
  // runs.
  const Loop *Run = Shape.loops().getLoopFor(L.getParent());
  while (Run && !isDeferred(Run))
    Run = Run->getParentLoop();
  return Run && Machine.prefersRecomputation() && Opts.ReplayOnDevice &&
         Overwrite.canRepeatWithin(L, *Run);
}

bool DerivativePlan::isComputedPhi(const PHINode &Phi) const {
  return Opts.RecomputePhis && Shape.affine(&Phi);
}

void DerivativePlan::needWhatIterationsStartFrom(const Loop &L) {
  for (const PHINode &Phi : L.getHeader()->phis()) {
    if (!isComputedPhi(Phi))
      continue;
    for (Need::Kind K : {Need::Primal, Need::Shadow}) {
      Need N{K, &Phi};
      if (canonical(N).K != K)
        continue;
      for (Need In : recipe(N).Inputs)
        if (In = canonical(In); !isa<Constant>(In.Of))
          Needs[In].insert(L.getHeader());
    }
  }
}

/// Where some storage within a deferred loop has not one size for the whole
/// run, all of it is an iteration's own.
void DerivativePlan::shareStorage() {
  Rewinding.clear();
  auto Within = [&](const Loop *L) -> const Loop * {
    return L && !isDeferred(L) && isDeferred(L->getOutermostLoop())
               ? L->getOutermostLoop()
               : nullptr;
  };
  for (auto &[L, S] : Scopes)
    if (const Loop *Outer = Within(L); Outer && !S.Slots.empty() && !S.Reused)
      Rewinding.insert(Outer);
  for (auto &[L, S] : Scopes)
    S.Reused = S.Reused && !Rewinding.contains(Within(L));
}

/// Loops whose iterations keep something, and that may as well run in the
/// reverse sweep. An innermost loop can be vectorised in the primal sweep, as
/// it is or for its longer part, and hardly beside its reverse, which adds to
/// memory: that is worth more than the tape, unless memory is what is short. On
/// a machine with many threads nothing is vectorised, and what is not kept is
/// computed, and read, a second time.
bool DerivativePlan::isWorthDeferring(const Loop &L) const {
  if (Machine.manyThreads())
    return any_of(L.blocks(), [&](const BasicBlock *B) {
      return Shape.isLive(B) && any_of(*B, [&](const Instruction &I) {
               return hasReverse(I, Activity);
             });
    });
  return (!L.isInnermost() || Opts.Memory) &&
         any_of(Scopes, [&](const auto &Entry) {
           return Entry.first && L.contains(Entry.first) &&
                  !Entry.second.Slots.empty();
         });
}

void DerivativePlan::defer() {
  if (!Opts.DeferLoops || Split)
    return;
  DenseSet<Need> Read = readable();
  LoopDeferral Deferral(*this, Overwrite, DT, Read);
  SmallPtrSet<const StoreInst *, 8> Late;
  auto Try = [&](const Loop &L) {
    LateUses Uses;
    if (!isWorthDeferring(L) || !Deferral.isDeferrable(L, Uses))
      return false;
    Deferred.insert(&L);
    if (Uses.any())
      Carrying.insert(&L);
    Late.insert_range(Uses.Stores);
    LateReturn |= Uses.Return;
    needWhatIterationsStartFrom(L);
    Read = readable();
    choose();
    return true;
  };
  for (const Loop *L : reverse(Shape.loops())) { // in the order of the program
    if (!Try(*L) || !Opts.DeferNests)
      continue;
    for (const Loop *Inner : reverse(*L)) {
      auto Before = Needs;
      LateUses Uses;
      if (!Try(*Inner) || Deferral.isDeferrable(*L, Uses))
        continue;
      // What the inner loop starts from is nothing that the reverse sweep may
      // ask for.
      Deferred.remove(Inner);
      Carrying.erase(Inner);
      Needs = std::move(Before);
      Read = readable();
      choose();
    }
  }
  for (const BasicBlock *B : ReversePostOrderTraversal<const Function *>(&F))
    for (const Instruction &I : *B)
      if (const auto *S = dyn_cast<StoreInst>(&I); S && Late.contains(S))
        LateStores.push_back(S);
}

/// What is certain to be kept, in loops whose counts are constants and that
/// surely run. The rest is watched at run time.
uint64_t DerivativePlan::certainBytes() const {
  uint64_t Sum = 0;
  for (auto &[L, S] : Scopes) {
    if (!L || S.Slots.empty())
      continue;
    const BasicBlock *Last = nullptr;
    for (const BasicBlock &B : F)
      if (isa<ReturnInst>(B.getTerminator()))
        Last = &B;
    uint64_t Bytes = S.Bytes;
    for (const Loop *K = L; K && Bytes && !isDeferred(K);
         K = K->getParentLoop()) {
      const BasicBlock *Next =
          K->getParentLoop() ? K->getParentLoop()->getLoopLatch() : Last;
      std::optional<uint64_t> Count = constantCount(K);
      bool Runs = Count && Next && K->getLoopPreheader() &&
                  DT.dominates(K->getLoopPreheader(), Next);
      Bytes = Runs ? SaturatingMultiply<uint64_t>(Bytes, *Count + 1) : 0;
    }
    Sum = SaturatingAdd(Sum, Bytes);
  }
  return Sum;
}

void DerivativePlan::checkMemory() {
  if (!Opts.Memory)
    return;
  if (uint64_t Bytes = certainBytes(); Bytes > Opts.Memory)
    refuse(RefusalKind::Memory, F.getEntryBlock().front(),
           std::to_string(Bytes) + " bytes, and " +
               std::to_string(Opts.Memory) + " are allowed");
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

CallAction DerivativePlan::action(const CallBase &C) const {
  if (const OperationRecord *R = facts().catalogue().lookup(C)) {
    switch (R->Class) {
    case RuleClass::Inactive:
      return CallAction::Primal;
    case RuleClass::Formula:
      return CallAction::Formula;
    case RuleClass::Allocation:
      return Activity.hasShadow(&C) ? CallAction::Allocate : CallAction::Primal;
    case RuleClass::Deallocation:
      return Activity.hasShadow(C.getArgOperand(R->FreedArg))
                 ? CallAction::Free
                 : CallAction::Primal;
    case RuleClass::Expansion: // replaced by preparation where it has a body
    case RuleClass::Rule:
      break;
    case RuleClass::Handler:
      switch (R->Handler) {
      case HandlerKind::Ignore:
        return CallAction::Drop;
      case HandlerKind::TapeBegin:
      case HandlerKind::TapeEnd:
      case HandlerKind::TapeDeferFree:
        return CallAction::Tape;
      case HandlerKind::MemCpy:
      case HandlerKind::MemMove:
      case HandlerKind::MemSet:
        return CallAction::Memory;
      case HandlerKind::Realloc:
        return Activity.hasShadow(&C) || Activity.hasShadow(C.getArgOperand(0))
                   ? CallAction::Realloc
                   : CallAction::Primal;
      default:
        return hasReverse(C, Activity) ? CallAction::Formula
                                       : CallAction::Primal;
      }
    }
  }
  if (isa<AnyMemIntrinsic>(C))
    return CallAction::Memory;
  return Activity.isActiveCall(C) ? CallAction::Derivative : CallAction::Primal;
}

bool DerivativePlan::hasRule(const CallBase &C) const {
  const OperationRecord *R = facts().catalogue().lookup(C);
  return R && R->Class == RuleClass::Rule;
}

DerivativeRequest DerivativePlan::calleeRequest(const CallBase &C) const {
  DerivativeRequest R;
  R.Primal = directCallee(C);
  R.Width = Request.Width;
  R.Dependencies = Request.Dependencies;
  R.ErrorEstimate = Request.ErrorEstimate;
  R.WholeAdditions = Request.WholeAdditions;
  R.ReturnPrimal = !C.getType()->isVoidTy();
  if (Request.Mode == DerivativeMode::Forward) {
    R.Mode = DerivativeMode::Forward;
    // What works on numbers alone can be called as often as one likes: its rule
    // runs again with the tangents.
    R.FromTape = Request.FromTape && !hasRule(C);
    for (const Value *A : C.args())
      R.Args.push_back(Activity.hasShadow(A) || Activity.isActive(A)
                           ? ArgActivity::Dup
                           : ArgActivity::Const);
    R.ActiveReturn = Activity.isActive(&C) || Activity.hasShadow(&C);
    return R;
  }
  R.Mode = DerivativeMode::Augment;
  for (const Value *A : C.args()) {
    if (Activity.hasShadow(A))
      R.Args.push_back(ArgActivity::Dup);
    else if (Activity.isVaried(A))
      R.Args.push_back(ArgActivity::Out);
    else
      R.Args.push_back(ArgActivity::Const);
  }
  R.ActiveReturn = Activity.isActive(&C);
  R.ShadowReturn = Activity.hasShadow(&C);
  R.ArgsAgain = ArgsAgain.contains(&C);
  return R;
}

/// N is had in the reverse sweep without a slot; or, in a joint derivative,
/// with one that is there once: a register.
bool DerivativePlan::isFree(Need N, unsigned &Budget) const {
  N = canonical(N);
  if (isa<Constant>(N.Of))
    return true;
  if (!Budget || (N.K != Need::Primal && N.K != Need::Shadow))
    return false;
  --Budget;
  Recipe How = recipe(N);
  switch (How.K) {
  case Recipe::Available:
    return true;
  case Recipe::Compute:
    if (all_of(How.Inputs, [&](Need In) { return isFree(In, Budget); }))
      return true;
    [[fallthrough]];
  case Recipe::Source:
    return !Split && !scopeOf(N);
  }
  llvm_unreachable("covered switch");
}

/// The integers and pointers that C gives its callee cost nothing to have
/// again: then the caller's reverse hands them over, and no call of it keeps
/// them.
bool DerivativePlan::givesAgain(const CallBase &C) const {
  // A rule keeps what it needs by itself.
  if (!Opts.ArgsAgain ||
      (Opts.Plan == PlanKind::Naive && !Request.WholeAdditions) ||
      Machine.manyThreads() || hasRule(C))
    return false;
  unsigned Budget = 100;
  bool Any = false;
  for (const Value *A : C.args()) {
    if (!DerivativeRequest::canBeGivenAgain(*A))
      continue;
    Any = true;
    if (!isFree({Need::Primal, A}, Budget) ||
        (Activity.hasShadow(A) && !isFree({Need::Shadow, A}, Budget)))
      return false;
  }
  return Any && C.arg_size() == directCallee(C)->arg_size();
}

//===----------------------------------------------------------------------===//
// Refusals
//===----------------------------------------------------------------------===//

void DerivativePlan::refuse(RefusalKind K, const Instruction &I,
                            std::string Detail) {
  Refusals.push_back({K, &I, std::move(Detail)});
}

bool DerivativePlan::isThreadsOwn(const Value *P) const {
  if (Threads.isAlone())
    return true;
  if (!Opts.PlainWhereOwn)
    return false;
  if (Threads.company() == ThreadModel::Grid &&
      Machine.spaceOf(*P) == MemorySpace::Private)
    return true;
  return Threads.isOwn(P, &Shape.loops());
}

/// Whether threads may wait for each other in I, as far as one sees.
static bool mayWait(const Instruction &I, const Catalogue &Cat) {
  const auto *C = dyn_cast<CallBase>(&I);
  const OperationRecord *R = C ? Cat.lookup(I) : nullptr;
  return C && (R ? R->Handler == HandlerKind::Barrier : !isa<IntrinsicInst>(C));
}

bool DerivativePlan::hasBarriers() const {
  if (!WaitsSomewhere)
    WaitsSomewhere = any_of(instructions(F), [&](const Instruction &I) {
      return mayWait(I, facts().catalogue());
    });
  return *WaitsSomewhere;
}

/// The same place, where both are accessed in one iteration of the loops.
static bool isSamePlace(const Value *P, const Value *Q) {
  const auto *A = dyn_cast<Instruction>(P), *B = dyn_cast<Instruction>(Q);
  return P == Q || (A && B && !A->mayReadFromMemory() && A->isIdenticalTo(B));
}

/// The thread that stores here has read the very same place before, with no
/// barrier between: then nobody else may store there in the meantime, not even
/// the same number, since that would be a race with the read.
bool DerivativePlan::isReadBefore(const StoreInst &S) const {
  const Value *P = S.getPointerOperand();
  for (const Instruction *I = S.getPrevNode(); I; I = I->getPrevNode()) {
    if (mayWait(*I, facts().catalogue()))
      break;
    if (const auto *L = dyn_cast<LoadInst>(I);
        L && L->getType() == S.getValueOperand()->getType() &&
        isSamePlace(L->getPointerOperand(), P))
      return true;
  }
  if (Split || hasBarriers() || Shape.loops().getLoopFor(S.getParent()))
    return false;
  return any_of(instructions(F), [&](const Instruction &I) {
    const auto *L = dyn_cast<LoadInst>(&I);
    return L && L->getType() == S.getValueOperand()->getType() &&
           !Shape.loops().getLoopFor(L->getParent()) &&
           isSamePlace(L->getPointerOperand(), P) && DT.dominates(L, &S);
  });
}

/// The thread that loads here writes the very same place later, in every run in
/// which it loads, and no barrier lies between: then nobody else may touch it
/// in the meantime, neither in the primal nor in the mirrored part of the
/// reverse sweep. A place that it has written before may be one that other
/// threads have written the same number to.
bool DerivativePlan::isWrittenToo(const LoadInst &L) const {
  if (Split || hasBarriers())
    return false;
  if (Shape.loops().getLoopFor(L.getParent()))
    return false; // another iteration's place may be another thread's
  if (!PostDominators)
    PostDominators.emplace(F);
  return any_of(instructions(F), [&](const Instruction &I) {
    const auto *S = dyn_cast<StoreInst>(&I);
    if (!S || S->getValueOperand()->getType() != L.getType() ||
        Shape.loops().getLoopFor(S->getParent()) ||
        !isSamePlace(L.getPointerOperand(), S->getPointerOperand()))
      return false;
    return S->getParent() == L.getParent() && L.comesBefore(S) ? true
           : DT.dominates(S, &L)
               ? isReadBefore(*S)
               : PostDominators->dominates(S->getParent(), L.getParent());
  });
}

/// The address is, as far as one sees, the same for neighbouring threads: it
/// does not depend on who they are, or (InWarp) on their warp alone.
static bool looksUniform(const Value *P, const Catalogue &Cat,
                         bool InWarp = false) {
  SmallVector<const Value *, 16> Work{P};
  SmallPtrSet<const Value *, 32> Seen;
  while (!Work.empty()) {
    const auto *I = dyn_cast<Instruction>(Work.pop_back_val());
    if (!I || !Seen.insert(I).second)
      continue;
    if (isa<LoadInst, AllocaInst>(I) || Seen.size() > 64)
      return false;
    constexpr unsigned LogOfWarp = 5;
    if (const APInt *By;
        InWarp &&
        PatternMatch::match(I,
                            PatternMatch::m_LShr(PatternMatch::m_Value(),
                                                 PatternMatch::m_APInt(By))) &&
        By->uge(LogOfWarp))
      continue;
    if (const auto *C = dyn_cast<CallBase>(I)) {
      const OperationRecord *R = Cat.lookup(*C);
      StringRef Name =
          C->getCalledFunction() ? C->getCalledFunction()->getName() : "";
      // Who a thread is along x; the others are the same for a warp more often
      // than not.
      if (!R || R->Id == "thread_index_x" || R->Id == "thread_registers")
        if (!Name.contains("ctaid") && !Name.contains("ntid") &&
            !Name.contains("workgroup"))
          return false;
    }
    append_range(Work, I->operands());
  }
  return true;
}

Taking DerivativePlan::taking(const StoreInst &S) const {
  const Value *P = S.getPointerOperand();
  if (!Machine.manyThreads() || !Opts.ExchangeOnDevice || isThreadsOwn(P))
    return Taking::Plain;
  if (Opts.PlainWhereOwn && isReadBefore(S))
    return Taking::PlainInBlock;
  return Opts.MergeOnDevice &&
                 looksUniform(P, facts().catalogue(), /*InWarp=*/true)
             ? Taking::OneOfWarp
             : Taking::Exchange;
}

bool DerivativePlan::isGivenAlike(const Argument &A) const {
  return A.getArgNo() < Uniform.size() && Uniform.test(A.getArgNo()) &&
         Request.Args[A.getArgNo()] != ArgActivity::Const;
}

void DerivativePlan::findOwnership() {
  if (!Machine.manyThreads() || (Split && !Request.UserBytes) ||
      !Opts.OwnByLaunch || Request.Width != 1)
    return;
  SmallVector<const Instruction *, 16> Loads;
  for (const BasicBlock &B : F)
    for (const Instruction &I : B) {
      // What is added elsewhere than by loads, nobody has looked at.
      const auto *C = dyn_cast<CallBase>(&I);
      if (C && hasReverse(I, Activity) &&
          (action(*C) == CallAction::Derivative ||
           action(*C) == CallAction::Memory))
        return;
      const auto *L = dyn_cast<LoadInst>(&I);
      if (L && Shape.isLive(&B) && hasReverse(I, Activity) &&
          !isThreadsOwn(L->getPointerOperand())) {
        if (Activity.isMixed(L->getPointerOperand()))
          return;
        Loads.push_back(L);
      }
    }
  Owned = Ownership.analyse(Loads, facts().catalogue(),
                            [&](const Argument &A) { return isGivenAlike(A); });
}

/// Where the exchanges, minima and maxima of active numbers go, and whether
/// their reverse can tell who won (docs/Atomics.md).
void DerivativePlan::checkKeptNumbers() {
  SmallVector<const AtomicRMWInst *, 4> Found;
  for (const BasicBlock &B : F)
    for (const Instruction &I : B)
      if (keptNumber(I) && Shape.isLive(&B) && hasReverse(I, Activity))
        Found.push_back(cast<AtomicRMWInst>(&I));
  if (Found.empty() || !Machine.manyThreads())
    return;
  if (Request.Width != 1)
    return refuse(RefusalKind::Instruction, *Found.front(),
                  "exchange, minimum and maximum with several tangents or "
                  "adjoints at once");
  if (Request.Mode == DerivativeMode::Forward)
    return;
  SmallVector<const Instruction *, 4> Exchanges;
  for (const AtomicRMWInst *M : Found) {
    const Value *P = M->getPointerOperand();
    bool OfBlock =
        Machine.spaceOf(*P) == MemorySpace::Shared || isThreadsOwn(P);
    if ((OfBlock || Overwrite.endsWithBarrier(*M)) &&
        Overwrite.staysAsLeft(*M)) {
      AtomicPlaces[M] = OfBlock ? AtomicPlace::Block : AtomicPlace::OneBlock;
    } else if (!OfBlock && M->getOperation() == AtomicRMWInst::Xchg) {
      AtomicPlaces[M] = AtomicPlace::Own;
      Exchanges.push_back(M);
    } else if (OfBlock) {
      refuse(RefusalKind::Instruction, *M,
             Split ? "which thread's number remains is not kept for a reverse "
                     "sweep of its own kernel or call"
                   : "its place is written again later, and then nobody knows "
                     "whose number remained; use a "
                     "place for each round");
    } else {
      refuse(RefusalKind::Instruction, *M,
             "threads of several blocks may come to this place, and whose "
             "number remains is known only when all "
             "have; find it in shared memory and add by atomicAdd, or reduce "
             "with shuffles (in a kernel of one block, "
             "a barrier behind it will do)");
    }
  }
  // One condition for all: then no two of them can meet either.
  if (!Exchanges.empty() &&
      ((Split && !Request.UserBytes) ||
       !OwnershipOfAtomics.analyse(
           Exchanges, facts().catalogue(),
           [&](const Argument &A) { return isGivenAlike(A); })))
    refuse(RefusalKind::Instruction, *Exchanges.front(),
           "threads of several blocks may come to this place, and who was last "
           "is known only when all have; "
           "exchange in shared memory, or where each thread has a place of its "
           "own by its index");
}

Accumulation DerivativePlan::accumulation(const LoadInst &L) const {
  if (Threads.company() == ThreadModel::Team)
    return isThreadsOwn(L.getPointerOperand()) ||
                   (OwnWork && (OwnWork->isWritten(L) || OwnWork->isApart(L)))
               ? Accumulation::Plain
               : Accumulation::Whole;
  if (Request.WholeAdditions && !Machine.manyThreads()) {
    SmallVector<const Value *, 4> Objects;
    getUnderlyingObjects(L.getPointerOperand(), Objects, &Shape.loops(),
                         /*MaxLookup=*/0);
    return any_of(Objects, [](const Value *O) { return isa<Argument>(O); })
               ? Accumulation::Whole
               : Accumulation::Plain;
  }
  if (isThreadsOwn(L.getPointerOperand()) ||
      (Opts.PlainWhereOwn && isWrittenToo(L)))
    return Accumulation::Plain;
  if (Owned)
    return Accumulation::PlainIfOwned;
  if (Opts.MergeOnDevice &&
      looksUniform(L.getPointerOperand(), facts().catalogue()))
    return Accumulation::Merged;
  return Accumulation::Atomic;
}

StringRef DerivativePlan::reasonOfAccumulation(const LoadInst &L) const {
  if (Threads.company() != ThreadModel::Team)
    return "";
  if (isThreadsOwn(L.getPointerOperand()))
    return "the memory is the thread's own";
  if (OwnWork && OwnWork->isWritten(L))
    return "the thread writes there itself before it waits for others";
  if (OwnWork && OwnWork->isApart(L))
    return "no two iterations of the shared loop read the same place";
  return "other threads may read the same place at the time";
}

/// What threads of the host do together and no rule reverses. False if there is
/// no more to say of I.
bool DerivativePlan::checkTeam(const Instruction &I) {
  const auto *C = dyn_cast<CallBase>(&I);
  const OperationRecord *R = C ? facts().catalogue().lookup(I) : nullptr;
  if (R && R->Handler == HandlerKind::Refused && !isa<IntrinsicInst>(C)) {
    refuse(RefusalKind::Threads, I, R->Text.str());
    return false;
  }
  // Who would clear the shadows of the other threads, and when?
  if (Threads.company() == ThreadModel::Team)
    for (const Use &U : I.operands())
      if (const auto *G = dyn_cast<GlobalVariable>(U->stripInBoundsOffsets());
          G && G->isThreadLocal() && Activity.hasShadow(G) &&
          Activity.isActiveMemory(G) && RefusedGlobals.insert(G).second)
        refuse(RefusalKind::Threads, I,
               "the threadprivate or thread_local variable '" +
                   G->getName().str() + "' holds active numbers");
  const Function *Callee = C ? directCallee(*C) : nullptr;
  if (Request.FromTape && Callee && Callee->hasFnAttribute(RunsInTeam)) {
    refuse(RefusalKind::FromTape, I, "it contains a parallel region");
    return false;
  }
  if (Request.Mode == DerivativeMode::Forward)
    return true;
  auto AddsAtomically = [](Type *T) {
    T = T->getScalarType();
    return T->isDoubleTy() || T->isFloatTy();
  };
  auto AreOdd = [&](ArrayRef<TypedLeaf> Floats) {
    return any_of(Floats, [&](const TypedLeaf &F) {
      return !F.Kind.FP || !AddsAtomically(F.Kind.FP);
    });
  };
  if (Callee && Callee->hasFnAttribute(RunsInTeam) &&
      any_of(C->args(), [&](const Value *A) {
        return !Activity.hasShadow(A) && Activity.isVaried(A) &&
               AreOdd(facts().shape(A).Floats);
      }))
    refuse(RefusalKind::Threads, I,
           "a number that each thread gets a copy of and that is neither float "
           "nor double");
  if (Threads.company() != ThreadModel::Team)
    return true;
  if (isa<FenceInst>(I))
    refuse(RefusalKind::Threads, I,
           "a fence: threads that wait for each other by memory cannot be "
           "reversed");
  if ((isa<LoadInst>(I) || isa<StoreInst>(I)) && I.isAtomic() &&
      hasReverse(I, Activity))
    refuse(RefusalKind::Threads, I,
           "an atomic read or write of a number in a form that is not known; "
           "use critical");
  if (const auto *L = dyn_cast<LoadInst>(&I);
      L && hasReverse(I, Activity) && !isThreadsOwn(L->getPointerOperand())) {
    const ValueShape &S = facts().shape(L);
    if (L->getType()->isFPOrFPVectorTy() ? !AddsAtomically(L->getType())
                                         : AreOdd(S.Floats))
      refuse(RefusalKind::Threads, I,
             "numbers in memory that threads share which are neither float nor "
             "double: their adjoints cannot be added to atomically");
    return true;
  }
  if (!C || !hasReverse(I, Activity))
    return true;
  CallAction A = action(*C);
  if (A == CallAction::Memory || A == CallAction::Realloc) {
    Transfer T = transferOf(*C, facts().catalogue());
    if (!T.Source || !Activity.hasShadow(T.Source) || isThreadsOwn(T.Source))
      return true;
    TransferShape S = transferShape(I, T.Dest, T.Source, T.Length, facts());
    if (T.IsRealloc || any_of(S.Leaves, [&](const TypedLeaf &L) {
          return isShared(L) ||
                 (L.Kind.K == ByteKind::Float && !AddsAtomically(L.Kind.FP));
        }))
      refuse(RefusalKind::Threads, I,
             "a copy out of memory that threads share, of numbers that are "
             "neither float nor double");
    return true;
  }
  if (A == CallAction::Derivative && hasRule(*C) &&
      any_of(C->args(), [&](const Value *P) {
        return P->getType()->isPointerTy() && Activity.hasShadow(P) &&
               !isThreadsOwn(P);
      }))
    refuse(RefusalKind::Threads, I,
           "'" + userName(*Callee) +
               "' is called on memory that threads share, and its rule adds to "
               "adjoints as if it were alone; call it outside of the region, "
               "or on a copy of the thread's own");
  return true;
}

/// What threads do together and no rule reverses. Reverse mode would go wrong
/// without a sign, so whatever of a GPU is not known is refused. False if there
/// is no more to say of I.
bool DerivativePlan::checkThreads(const Instruction &I) {
  if (!Machine.manyThreads())
    return checkTeam(I);
  for (const Use &U : I.operands()) {
    // Of a variable of the whole machine, who would clear the shadow, and when?
    const auto *G = dyn_cast<GlobalVariable>(U->stripInBoundsOffsets());
    if (!G || G->isConstant() || !Activity.hasShadow(G) ||
        !Activity.isActiveMemory(G))
      continue;
    MemorySpace S = Machine.space(G->getAddressSpace());
    if (S == MemorySpace::Shared &&
        facts().types().objectOf(G) != TypeAnalysis::NoObject &&
        any_of(facts().types().pointees(facts().types().objectOf(G)),
               [](TypeAnalysis::ObjectId O) {
                 return O != TypeAnalysis::NoObject;
               }))
      refuse(RefusalKind::Device, I,
             "pointers in shared memory ('" + G->getName().str() + "')");
    // How large it is, only the launch knows.
    if (S == MemorySpace::Shared && G->isDeclaration() &&
        !Machine.growsSharedMemory() && RefusedGlobals.insert(G).second)
      refuse(RefusalKind::Device, I,
             "dynamic shared memory ('" + G->getName().str() +
                 "') has no shadow on this machine");
    if (S != MemorySpace::Shared && RefusedGlobals.insert(G).second)
      refuse(RefusalKind::Unshadowed, I,
             "the __device__ or __constant__ variable '" + G->getName().str() +
                 "'");
    break;
  }
  // The host finds out at run time whether such memory was lost
  // (docs/KnownGaps.md).
  if (const Value *P = getLoadStorePointerOperand(&I);
      P && Activity.isMixed(P) && Activity.hasShadow(P) && facts().root()) {
    TypeAnalysis::ObjectId O = facts().types().objectOf(P);
    const ProgramFacts::Effects &E = facts().effects(facts().root());
    if (O != TypeAnalysis::NoObject && E.Reads.test(O) && E.Writes.test(O))
      refuse(RefusalKind::Unshadowed, I,
             "memory that is written and read here may be memory without a "
             "shadow");
  }
  if (Request.ErrorEstimate || Request.Dependencies)
    if (isa<AtomicRMWInst>(I) && hasReverse(I, Activity))
      refuse(RefusalKind::Device, I,
             "atomics under estimates of errors or dependencies");
  if (Request.Mode == DerivativeMode::Forward)
    return true;
  if (isa<FenceInst>(I))
    refuse(RefusalKind::Device, I,
           "a fence: threads that wait for each other by memory cannot be "
           "reversed");
  const auto *C = dyn_cast<IntrinsicInst>(&I);
  if (!C)
    return true;
  const OperationRecord *R = facts().catalogue().lookup(I);
  if (R && R->Handler == HandlerKind::Refused) {
    refuse(RefusalKind::Device, I, R->Text.str());
    return false;
  }
  StringRef Name = C->getCalledFunction()->getName();
  if (R || !C->getCalledFunction()->isTargetIntrinsic() ||
      C->doesNotAccessMemory())
    return true;
  refuse(RefusalKind::Device, I, ("'" + Name + "' is not known").str());
  return false;
}

/// Of assembly, what a message can show: its first operation.
static std::string firstMnemonic(StringRef Text) {
  for (;;) {
    Text = Text.ltrim(" \t\n{");
    if (!Text.starts_with(".reg") || !Text.contains(';'))
      return Text.take_front(Text.find_first_of(" \t\n;")).str();
    Text = Text.split(';').second;
  }
}

/// Does the body of F write nothing but variables of its own? (The front end's
/// first code has no attributes, and functions with rules get none.)
static bool onlyReads(const Function &F, unsigned Depth = 0) {
  constexpr unsigned Deepest = 4;
  if (F.onlyReadsMemory())
    return true;
  if (F.isDeclaration() || Depth == Deepest)
    return false;
  return all_of(instructions(F), [&](const Instruction &I) {
    if (!I.mayWriteToMemory())
      return true;
    if (const auto *S = dyn_cast<StoreInst>(&I))
      return S->isUnordered() &&
             isa<AllocaInst>(getUnderlyingObject(S->getPointerOperand()));
    if (const auto *M = dyn_cast<MemIntrinsic>(&I))
      return !M->isVolatile() &&
             isa<AllocaInst>(getUnderlyingObject(M->getRawDest()));
    const auto *C = dyn_cast<CallBase>(&I);
    const Function *Callee = C ? directCallee(*C) : nullptr;
    return Callee &&
           (C->onlyReadsMemory() || isa<DbgInfoIntrinsic>(C) ||
            C->isLifetimeStartOrEnd() || onlyReads(*Callee, Depth + 1));
  });
}

void DerivativePlan::checkCall(const CallBase &C) {
  CallAction A = action(C);
  if (Request.FromTape) {
    const OperationRecord *R = facts().catalogue().lookup(C);
    if (A == CallAction::Tape)
      return refuse(RefusalKind::FromTape, C,
                    "it contains a derivative in reverse mode");
    if (A == CallAction::Allocate && R && R->ShadowBehind &&
        Activity.hasShadow(&C))
      return refuse(RefusalKind::FromTape, C,
                    "an exception that it throws carries active numbers");
    if (A == CallAction::Derivative && hasRule(C) &&
        any_of(C.args(),
               [](const Value *V) { return V->getType()->isPointerTy(); }))
      return refuse(RefusalKind::FromTape, C,
                    "'" + directCallee(C)->getName().str() +
                        "' works on memory and has a rule that computes values "
                        "and tangents together");
    if (isa<InvokeInst>(C))
      return refuse(RefusalKind::FromTape, C, "it catches exceptions");
  }
  if (Request.ErrorEstimate) {
    const OperationRecord *R = facts().catalogue().lookup(C);
    if (A == CallAction::Derivative && R && R->Class == RuleClass::Rule)
      return refuse(RefusalKind::NoErrorBound, C,
                    "the rule for a call gives derivatives");
    if (A == CallAction::Formula && R && R->Class != RuleClass::Formula)
      return refuse(RefusalKind::NoErrorBound, C,
                    "the order of a reduction is not known");
  }
  if (A == CallAction::Formula) {
    // A handler without a rule of its own.
    if (const char *What = missingRule(C, Activity))
      refuse(RefusalKind::Instruction, C, What);
    return;
  }
  if (A == CallAction::Memory || A == CallAction::Realloc ||
      A == CallAction::Allocate) {
    if (const char *What = missingRule(C, Activity))
      refuse(RefusalKind::Instruction, C, What);
    return;
  }
  // An operation on integers that happen to be the bits of floats.
  if (A == CallAction::Primal && isa<IntrinsicInst>(C) &&
      Activity.isUseful(&C) && any_of(C.args(), [&](const Value *Arg) {
        return Arg->getType()->isIntOrIntVectorTy() && Activity.isVaried(Arg);
      }))
    return refuse(RefusalKind::Instruction, C,
                  "integer operation on the bits of active numbers");
  if (A != CallAction::Derivative)
    return;
  if (C.isInlineAsm())
    return refuse(
        RefusalKind::InlineAsm, C,
        firstMnemonic(cast<InlineAsm>(C.getCalledOperand())->getAsmString()));
  Function *Callee = directCallee(C);
  if (!Callee)
    return refuse(RefusalKind::IndirectCall, C,
                  "no function of its type has its address taken here");
  if (const OperationRecord *R = facts().catalogue().lookup(C);
      R && R->Class == RuleClass::Rule) {
    bool Forward = Request.Mode == DerivativeMode::Forward;
    const GivenDerivatives *G = R->Given;
    if (Request.Dependencies) // sets are no numbers to compute with
      return refuse(RefusalKind::Instruction, C,
                    "the rule of '" + userName(*Callee) +
                        "' does not tell what depends on what");
    if (G ? !(Forward ? G->Forward : G->Reverse)
          : (Forward ? R->Forward : R->Reverse).empty())
      return refuse(RefusalKind::RuleOfOtherMode, C, Callee->getName().str());
    // Without memory it can be called as often as one likes.
    bool HandlesMemory = any_of(
        C.args(), [](const Value *A) { return A->getType()->isPointerTy(); });
    if (G && HandlesMemory && Request.Width != 1)
      return refuse(RefusalKind::RuleOfOneLane, C, Callee->getName().str());
    if (G && HandlesMemory && !C.getType()->isVoidTy() && !C.use_empty() &&
        !C.onlyReadsMemory() && !onlyReads(*Callee) &&
        !(Forward ? G->ForwardGivesPrimal : G->AugmentGivesPrimal))
      return refuse(RefusalKind::RuleWithoutResult, C, Callee->getName().str());
    if (const auto *I = dyn_cast<InvokeInst>(&C);
        I && Shape.isLive(I->getUnwindDest()))
      refuse(RefusalKind::ExceptionPath, C, Callee->getName().str());
    return;
  }
  if (!facts().preparedOf(Callee) || Callee->isIntrinsic())
    return refuse(RefusalKind::NoBody, C, Callee->getName().str());
  if (Callee->isVarArg())
    return refuse(RefusalKind::VarArg, C, Callee->getName().str());
  if (Callee->arg_size() != C.arg_size() ||
      Callee->getReturnType() != C.getType())
    return refuse(RefusalKind::IndirectCall, C,
                  "'" + Callee->getName().str() +
                      "' called with another prototype");
  // What it did until it threw has to be undone: it must return then.
  if (const auto *I = dyn_cast<InvokeInst>(&C);
      I && Shape.isLive(I->getUnwindDest()) &&
      !facts().preparedOf(Callee)->hasFnAttribute(ReturnsExceptions))
    refuse(RefusalKind::ExceptionPath, C, Callee->getName().str());
}

/// Copies of bytes whose type is unknown, and matters because active memory
/// that code outside can see is involved.
void DerivativePlan::checkCopyTypes(const Instruction &I) {
  if (Request.Mode == DerivativeMode::Forward)
    return; // copies move tangents and shadow pointers alike
  const TypeAnalysis &TA = facts().types();
  auto Matters = [&](const Value *P) {
    TypeAnalysis::ObjectId O = TA.objectOf(P);
    return Activity.isActiveMemory(P) && O != TypeAnalysis::NoObject &&
           facts().exposed().test(O);
  };
  if (const auto *S = dyn_cast<StoreInst>(&I)) {
    const Value *V = S->getValueOperand();
    if (isa<Constant>(V) || !V->getType()->isIntOrIntVectorTy())
      return;
    uint64_t Size =
        F.getDataLayout().getTypeStoreSize(V->getType()).getFixedValue();
    // A pointer to one caller and a float to another, in one register: what
    // moves memory can tell them apart at run time, a register has one type.
    if (isa<Argument>(V) && Activity.isActiveMemory(S->getPointerOperand()) &&
        TA.sharedWithPointers(S->getPointerOperand(), 0, Size,
                              /*Integers=*/false))
      return refuse(RefusalKind::UnknownType, I,
                    std::to_string(Size) + " bytes");
    if (!facts().shape(V).HasUnknown || !Activity.isVaried(V))
      return;
    // What others read as a float (whole, or a byte of it), or is a pointer to
    // one and a float to another, goes wrong in any memory.
    bool Mingled =
        Activity.isActiveMemory(S->getPointerOperand()) && facts().isPunned(*S);
    if (!Mingled && !Matters(S->getPointerOperand()))
      return;
    refuse(RefusalKind::UnknownType, I, std::to_string(Size) + " bytes");
  }
  // The same for a load whose value goes on in registers: to the caller, say.
  if (const auto *L = dyn_cast<LoadInst>(&I);
      L && L->getType()->isIntOrIntVectorTy() && Activity.isActive(L) &&
      facts().shape(L).HasUnknown && facts().isPunned(*L))
    refuse(
        RefusalKind::UnknownType, I,
        std::to_string(
            F.getDataLayout().getTypeStoreSize(L->getType()).getFixedValue()) +
            " bytes");
  if (const auto *C = dyn_cast<CallBase>(&I)) {
    Transfer M = transferOf(*C, facts().catalogue());
    if (!M.Source || M.IsRealloc || !Activity.isActiveMemory(M.Dest) ||
        !Activity.isActiveMemory(M.Source))
      return;
    TransferShape T = transferShape(I, M.Dest, M.Source, M.Length, facts());
    // Bytes that nothing in the program reads as a float or a pointer, and
    // that no one outside can see, carry nothing.
    if (T.Known || (!T.Ambiguous && !Matters(M.Dest)))
      return;
    std::string Length = "a run-time number of bytes";
    if (const auto *N = dyn_cast<ConstantInt>(M.Length))
      Length = std::to_string(N->getZExtValue()) + " bytes";
    refuse(RefusalKind::UnknownType, I, std::move(Length));
  }
}

/// Writes that derivatives flow through, to memory whose shadow nobody gave.
void DerivativePlan::checkShadowOfDest(const Instruction &I) {
  const Value *Dest = nullptr;
  bool Active = false;
  if (const auto *S = dyn_cast<StoreInst>(&I)) {
    const Value *V = S->getValueOperand();
    Dest = S->getPointerOperand();
    TypeAnalysis::ObjectId O = facts().types().objectOf(Dest);
    Active = (Activity.isActive(V) && Activity.isActiveMemory(Dest)) ||
             // A pointer to active memory that is read back.
             (Activity.hasShadow(V) && !isa<Constant>(V) && facts().root() &&
              O != TypeAnalysis::NoObject &&
              facts().effects(facts().root()).Reads.test(O) && ownsMemory(V));
  } else if (const auto *C = dyn_cast<CallBase>(&I)) {
    Transfer T = transferOf(*C, facts().catalogue());
    Dest = T.Dest;
    Active = T.Source && Activity.isActiveMemory(T.Source) &&
             Activity.isActiveMemory(Dest);
  }
  if (Active && Activity.isUnshadowed(Dest) && !ownsMemory(Dest))
    refuse(RefusalKind::Unshadowed, I,
           "memory reached through a global pointer or a constant argument");
}

/// V points to memory that surely has a shadow of its own.
bool DerivativePlan::ownsMemory(const Value *V) const {
  const Value *O = getUnderlyingObject(V);
  if (const auto *A = dyn_cast<Argument>(O))
    return Request.Args[A->getArgNo()] != ArgActivity::Const &&
           (&F == facts().root() || !Activity.isMixed(A));
  return isa<AllocaInst>(O) || isNoAliasCall(O);
}

/// Nobody follows a pointer through the registers of floats: what is behind it
/// would be taken for inactive. Preparation undoes the common case.
static bool isPointerFromFloats(const Instruction &I) {
  if (!isa<IntToPtrInst>(I))
    return false;
  const Value *Bits = I.getOperand(0);
  if (const auto *E = dyn_cast<ExtractElementInst>(Bits))
    Bits = E->getVectorOperand();
  const auto *C = dyn_cast<BitCastInst>(Bits);
  return C && C->getSrcTy()->isFPOrFPVectorTy();
}

void DerivativePlan::collectRefusals() {
  for (BasicBlock &B : F) {
    if (!Shape.isLive(&B))
      continue;
    if (isa<IndirectBrInst>(B.getTerminator()) ||
        isa<CallBrInst>(B.getTerminator()))
      refuse(RefusalKind::ControlFlow, *B.getTerminator(), "a computed goto");
    for (Instruction &I : B) {
      if (!checkThreads(I))
        continue;
      if (auto *C = dyn_cast<CallBase>(&I)) {
        checkCall(*C);
        if (action(*C) == CallAction::Memory) {
          checkCopyTypes(I);
          checkShadowOfDest(I);
        }
        if (C->hasFnAttr(ExceptionUnsupported) &&
            any_of(C->args(),
                   [&](const Value *A) { return Activity.hasShadow(A); }))
          refuse(RefusalKind::ExceptionPath, I, "");
        continue;
      }
      if (const char *What = missingRule(I, Activity))
        refuse(RefusalKind::Instruction, I, What);
      if (isPointerFromFloats(I))
        refuse(RefusalKind::Instruction, I,
               "a pointer taken from a floating-point register");
      // An address that the types do not know for one has no shadow to make a
      // pointer of.
      else if (isa<IntToPtrInst>(I) && !isa<Constant>(I.getOperand(0)) &&
               Activity.hasShadow(&I) && !Activity.isMixed(&I) &&
               !Activity.hasShadow(I.getOperand(0)))
        refuse(RefusalKind::Unshadowed, I,
               "memory whose address was computed as an integer");
      // A copy by halves: tangents can be moved so, but adjoints are added up.
      else if (Request.Mode != DerivativeMode::Forward &&
               Activity.isActive(&I) && facts().shape(&I).HasPiece)
        refuse(RefusalKind::Instruction, I, "part of a floating-point number");
      checkCopyTypes(I);
      if (const Value *P = getLoadStorePointerOperand(&I);
          P && Activity.isUntraceable(P) && hasReverse(I, Activity))
        refuse(RefusalKind::Unshadowed, I,
               "memory whose address was computed as an integer");
      checkShadowOfDest(I);
    }
  }
  checkLeavingThreads();
  checkKeptNumbers();
  for (const Instruction *I : Activity.lostBits()) {
    const auto *S = dyn_cast<StoreInst>(I);
    const auto *C = dyn_cast<CallBase>(I);
    const Value *To = S               ? S->getPointerOperand()
                      : C             ? transferOf(*C, facts().catalogue()).Dest
                      : I->isAtomic() ? I->getOperand(0)
                                      : nullptr;
    if (To ? !Activity.isUsefulMemory(To) : !Activity.isUseful(I))
      continue;
    if (const Instruction *Atomic = Activity.bitsInAtomic()) {
      refuse(RefusalKind::Instruction, *Atomic,
             "it works on the bits of an active number as an integer, and "
             "which thread's number remains is "
             "not kept; reduce with shuffles or in shared memory between "
             "barriers");
      break;
    }
    refuse(
        RefusalKind::Instruction, *I,
        To ? "a store of integers that may be parts of floating-point numbers"
           : "a float made from the bits of an active one by integer "
             "arithmetic");
    break; // one such trail has many steps
  }
  for (const Loop *L : Shape.loops().getLoopsInPreorder())
    if (Shape.isLive(L->getHeader()) &&
        (!L->getLoopPreheader() || !L->getLoopLatch()))
      refuse(RefusalKind::ControlFlow, L->getHeader()->front(),
             "a loop entered by a computed goto");
}

//===----------------------------------------------------------------------===//
// Recipes
//===----------------------------------------------------------------------===//

Need DerivativePlan::canonical(Need N) const {
  if (N.K == Need::Shadow && !Activity.hasShadow(N.Of))
    return {Need::Primal, N.Of};
  return N;
}

Recipe DerivativePlan::recipe(Need N) const {
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
    return {};
  case Need::Count:
    if (auto In = countInputs(Shape.loops().getLoopFor(cast<BasicBlock>(N.Of))))
      return {Recipe::Compute, {In->begin(), In->end()}};
    return {};
  case Need::Tape:
  case Need::Last:
  case Need::Records:
    return {};
  }
  llvm_unreachable("all kinds handled");
}

std::optional<SmallVector<Need, 4>>
DerivativePlan::countInputs(const Loop *L) const {
  const LoopFacts &Facts = Shape.facts(L);
  if (!Machine.prefersRecomputation() || !Opts.CountOnDevice || Split ||
      !Facts.Exact || !L->getLoopPreheader())
    return std::nullopt;
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

/// Everything in F that touches the array: stores, loads. False if there is
/// anything else. Local: stores to other than fixed places count as something
/// else.
static bool usersOf(const Value &Array, const Function &F, bool Local,
                    SmallVectorImpl<const StoreInst *> &Stores,
                    SmallVectorImpl<const LoadInst *> &Loads) {
  SmallVector<std::pair<const Value *, bool>, 8> Work{
      {&Array, true}}; // and: place is fixed
  while (!Work.empty()) {
    auto [P, Fixed] = Work.pop_back_val();
    for (const User *U : P->users()) {
      const auto *I = dyn_cast<Instruction>(U);
      if (I && I->getFunction() != &F)
        continue;
      if (const auto *L = dyn_cast<LoadInst>(U)) {
        if (!L->isSimple())
          return false;
        Loads.push_back(L);
      } else if (const auto *S = dyn_cast<StoreInst>(U)) {
        if (S->getValueOperand() == P || (Local && !Fixed) || !S->isSimple())
          return false;
        Stores.push_back(S);
      } else if (const auto *G = dyn_cast<GEPOperator>(U)) {
        Work.push_back({G, Fixed && G->hasAllConstantIndices()});
      } else if (isa<AddrSpaceCastOperator>(U)) {
        Work.push_back({U, Fixed});
      } else if (const auto *II = dyn_cast<IntrinsicInst>(U);
                 !II || !II->isLifetimeStartOrEnd()) {
        return false;
      }
    }
  }
  return !Stores.empty() && !Loads.empty();
}

/// Each thread fills its part of Array in every iteration of one loop, and
/// reads after.
///
/// What a block shares is sound under these conditions. The stores go to places
/// that do not change with the iteration, and run in each of them: so a place
/// is written either in every iteration or never, and nothing older is ever
/// read. A barrier of the whole block separates all stores from all loads, and
/// none separates two stores, whose order would matter then. The loop has one
/// exit: the threads of a block run it equally often.
bool DerivativePlan::findReplay(const Value &Array, bool Shared) {
  Replay R;
  R.Array = &Array;
  R.Shared = Shared;
  SmallVector<const LoadInst *, 8> Loads;
  if (!usersOf(Array, F, !Shared, R.Stores, Loads))
    return false;
  R.Of = Shape.loops().getLoopFor(R.Stores.front()->getParent());
  const BasicBlock *Latch = R.Of ? R.Of->getLoopLatch() : nullptr;
  if (!Latch || !Shape.isLive(Latch))
    return false;
  auto EachTrip = [&](const StoreInst *S) {
    return Shape.loops().getLoopFor(S->getParent()) == R.Of &&
           DT.dominates(S->getParent(), Latch);
  };
  if (!all_of(R.Stores, EachTrip) ||
      !all_of(Loads, [&](const LoadInst *L) { return R.Of->contains(L); }))
    return false;
  // The reverse sweep fills the array where it enters an iteration by its
  // latch. An iteration that was left before is not entered there, and must not
  // have read.
  SmallPtrSet<BasicBlock *, 1> AtLatch{const_cast<BasicBlock *>(Latch)};
  SmallVector<BasicBlock *, 4> Exiting;
  R.Of->getExitingBlocks(Exiting);
  for (const BasicBlock *E : Exiting)
    if (E != Latch && any_of(Loads, [&](const LoadInst *L) {
          return isPotentiallyReachable(L->getParent(), E, &AtLatch);
        }))
      return false;
  if (!Shared) {
    for (const StoreInst *S : R.Stores)
      if (!all_of(Loads, [&](const LoadInst *L) { return DT.dominates(S, L); }))
        return false;
  } else {
    ScalarEvolution &SE = Shape.evolution();
    bool Separated = false;
    for (const BasicBlock *B : R.Of->blocks())
      for (const Instruction &I : *B) {
        const auto *C = dyn_cast<CallBase>(&I);
        const OperationRecord *Record =
            C ? facts().catalogue().lookup(I) : nullptr;
        if (!Record || Record->Handler != HandlerKind::Barrier)
          continue;
        if (all_of(R.Stores,
                   [&](const StoreInst *S) { return DT.dominates(&I, S); }))
          continue;
        if (!all_of(R.Stores,
                    [&](const StoreInst *S) { return DT.dominates(S, &I); }))
          return false;
        Separated |= Record->Id == "block_barrier" && DT.dominates(B, Latch) &&
                     Shape.loops().getLoopFor(B) == R.Of &&
                     all_of(Loads, [&](const LoadInst *L) {
                       return DT.dominates(&I, L);
                     });
      }
    if (!Separated || !R.Of->getExitingBlock() ||
        !all_of(R.Stores, [&](const StoreInst *S) {
          return SE.isLoopInvariant(
              SE.getSCEV(const_cast<Value *>(S->getPointerOperand())), R.Of);
        }))
      return false;
  }
  sort(R.Stores, [&](const StoreInst *X, const StoreInst *Y) {
    return DT.dominates(X, Y);
  });
  Replays.push_back(std::move(R));
  return true;
}

void DerivativePlan::findReplays() {
  if (!Machine.prefersRecomputation() || !Opts.ReplayOnDevice || Split)
    return;
  SetVector<const GlobalVariable *> Tiles;
  bool CallsOthers = false;
  for (const Instruction &I : instructions(F)) {
    if (const auto *A = dyn_cast<AllocaInst>(&I); A && A->isStaticAlloca())
      findReplay(*A, /*Shared=*/false);
    if (const auto *C = dyn_cast<CallBase>(&I))
      CallsOthers |= !isa<IntrinsicInst>(C) && !facts().catalogue().lookup(I);
    if (const Value *P = getLoadStorePointerOperand(&I))
      if (const auto *G =
              dyn_cast<GlobalVariable>(getUnderlyingObject(P, /*MaxLookup=*/0)))
        if (Machine.space(G->getAddressSpace()) == MemorySpace::Shared &&
            !G->isDeclaration())
          Tiles.insert(G);
  }
  // Others may fill them, too.
  if (!CallsOthers && Opts.ReplaySharedOnDevice)
    for (const GlobalVariable *G : Tiles)
      findReplay(*G, /*Shared=*/true);
}

/// Everything with a derivative that goes into or comes out of such a loop goes
/// through the choice, but for memory that it reads.
void DerivativePlan::findChoices() {
  if (Opts.Plan == PlanKind::Naive || !Opts.ChosenIterations ||
      !Opts.SkipIdleLoops || Machine.manyThreads())
    return;
  auto Choose = [&](const Loop &L) -> std::optional<Choice> {
    const BasicBlock *Latch = L.getLoopLatch(), *Exit = L.getExitBlock();
    if (!Latch || !Exit || !L.getLoopPreheader() ||
        L.getExitingBlock() != Latch || !Shape.isLive(Latch) ||
        Shape.loops().getLoopFor(Latch) != &L)
      return std::nullopt;
    const PHINode *Before = nullptr;
    for (const PHINode &Phi : L.getHeader()->phis())
      if (Activity.isActive(&Phi)) {
        if (Before)
          return std::nullopt;
        Before = &Phi;
      }
    const auto *S =
        Before && Before->getType()->isFloatingPointTy()
            ? dyn_cast<SelectInst>(Before->getIncomingValueForBlock(Latch))
            : nullptr;
    if (!S || Shape.loops().getLoopFor(S->getParent()) != &L)
      return std::nullopt;
    const auto *C = dyn_cast<Instruction>(S->getCondition());
    if (!C || !C->hasOneUse() || !L.contains(C) ||
        (S->getTrueValue() == Before) == (S->getFalseValue() == Before))
      return std::nullopt;
    auto Others = [&](const User *U) {
      const auto *I = cast<Instruction>(U);
      return I == S || (!hasReverse(*I, Activity) &&
                        !(isa<PHINode>(I) && Activity.isActive(I)));
    };
    auto Leaves = [&](const User *U) {
      const auto *Phi = dyn_cast<PHINode>(U);
      return Phi && Phi->getParent() == Exit;
    };
    if (!all_of(Before->users(), Others) ||
        !all_of(S->users(), [&](const User *U) {
          return U == Before || Leaves(U) || Others(U);
        }))
      return std::nullopt;
    for (const PHINode &Phi : Exit->phis())
      if (Activity.isActive(&Phi) && Phi.getIncomingValueForBlock(Latch) != S)
        return std::nullopt;
    for (const BasicBlock *B : L.blocks())
      for (const Instruction &I : *B)
        if (hasReverse(I, Activity)) {
          const auto *Call = dyn_cast<CallBase>(&I);
          if (isa<StoreInst>(I) ||
              (Call && action(*Call) != CallAction::Formula))
            return std::nullopt;
        }
    return Choice{&L, S, S->getFalseValue() == Before};
  };
  for (const Loop *L : Shape.loops().getLoopsInPreorder())
    if (auto C = Choose(*L))
      Choices.push_back(*C);
}

const Replay *DerivativePlan::replayOf(const LoadInst &L) const {
  const Value *Object =
      getUnderlyingObject(L.getPointerOperand(), /*MaxLookup=*/0);
  const auto *It =
      find_if(Replays, [&](const Replay &R) { return R.Array == Object; });
  return It == Replays.end() ? nullptr : It;
}

void DerivativePlan::markUsedReplays() {
  if (Replays.empty())
    return;
  SmallVector<Need, 0> Work;
  DenseSet<Need> Seen;
  for (auto &[N, Blocks] : Needs)
    Work.push_back(canonical(N));
  while (!Work.empty()) {
    Need N = Work.pop_back_val();
    if (isa<Constant>(N.Of) || isKept(N) || !Seen.insert(N).second)
      continue;
    if (const auto *L = dyn_cast<LoadInst>(N.Of);
        L && N.K == Need::Primal && !canRepeat(*L))
      if (const Replay *R = replayOf(*L))
        Replays[R - Replays.begin()].Used = true;
    for (Need In : recipe(N).Inputs)
      Work.push_back(canonical(In));
  }
}

/// V has the value it has, or some value that nobody will look at, if it is
/// computed behind Decision whatever the branch there says.
bool DerivativePlan::canSpeculate(const Value *V, const BasicBlock *Decision,
                                  unsigned &Budget) const {
  const auto *I = dyn_cast<Instruction>(V);
  if (!I || DT.dominates(I->getParent(), Decision))
    return true;
  if (!Budget || Shape.loops().getLoopFor(I->getParent()) !=
                     Shape.loops().getLoopFor(Decision))
    return false;
  --Budget;
  auto All = [&](const User *U) {
    return all_of(U->operands(), [&](const Value *Op) {
      return isa<Function, BasicBlock, MetadataAsValue>(Op) ||
             canSpeculate(Op, Decision, Budget);
    });
  };
  if (const auto *Phi = dyn_cast<PHINode>(I)) {
    if (Shape.loops().isLoopHeader(Phi->getParent()))
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

bool DerivativePlan::isSelect(const PHINode &Phi) const {
  if (!Machine.prefersRecomputation() || !Opts.SelectOnDevice ||
      Phi.getType()->isPtrOrPtrVectorTy() ||
      Shape.loops().isLoopHeader(Phi.getParent()))
    return false;
  auto [It, New] = Selects.try_emplace(&Phi, false);
  if (!New)
    return It->second;
  auto J = decidedJoin(Phi.getParent());
  // Two entries from one switch are one predecessor and two incoming values.
  if (!J || Phi.getNumIncomingValues() != 2 || J->OnTrueSide.size() != 2)
    return false;
  const BasicBlock *Decision =
      DT.getNode(Phi.getParent())->getIDom()->getBlock();
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
bool DerivativePlan::isAtHandDear(const Instruction &I) const {
  if (!Machine.prefersRecomputation() || !Opts.KeepDearOnDevice ||
      !isDeferred(Shape.loops().getLoopFor(I.getParent())))
    return false;
  if (isa<PHINode, LoadInst>(
          I)) // both sides of a branch, or all that is stored in an array
    return true;
  return I.getOpcode() == Instruction::FDiv ||
         I.getOpcode() == Instruction::FRem ||
         (isa<CallInst>(I) &&
          !::isRepeatable(I, facts().catalogue(), /*AtAnyPrice=*/false,
                          roundingChanges()));
}

/// Primal values and shadows are made alike: a shadow by the same instruction
/// over the shadows of those operands that have one.
Recipe DerivativePlan::valueRecipe(const Value *V, Need::Kind K) const {
  auto Input = [&](const Value *Op) {
    return Need{K == Need::Shadow && Activity.hasShadow(Op) ? Need::Shadow
                                                            : Need::Primal,
                Op};
  };
  if (isa<Constant>(V))
    return {Recipe::Available, {}};
  if (const auto *A = dyn_cast<Argument>(V); A && Request.takesAgain(*A))
    return {Recipe::Available, {}};
  if (isa<Argument>(V))
    return {Split && !(K == Need::Shadow && Request.UserBytes)
                ? Recipe::Source
                : Recipe::Available,
            {}};
  const auto *I = cast<Instruction>(V);
  if (const Choice *C = K == Need::Primal ? choiceBy(I) : nullptr)
    return {Recipe::Compute, {{Need::Last, C->Of->getHeader()}}};
  if (const auto *S = dyn_cast<SelectInst>(I); S && choiceBy(S->getCondition()))
    return {};
  if (const auto *A = dyn_cast<AllocaInst>(I))
    return {!Split && A->isStaticAlloca() ? Recipe::Available : Recipe::Source,
            {}};
  if (const auto *Phi = dyn_cast<PHINode>(I)) {
    const AffinePhi *A = Shape.affine(Phi);
    if (A && Opts.RecomputePhis &&
        (K == Need::Primal || Phi->getType()->isPointerTy())) {
      SmallVector<Need, 2> In{Input(A->Start)};
      if (A->InvariantStep)
        In.push_back({Need::Primal, A->InvariantStep});
      return computeFrom(In);
    }
    if (const Value *Same = trivialPhi(*Phi, Shape.loops()))
      return computeFrom({Input(Same)});
    if (K == Need::Primal && isSelect(*Phi) && !isAtHandDear(*Phi)) {
      SmallVector<Need, 3> In{
          {Need::Primal, decidedJoin(Phi->getParent())->Condition}};
      for (const Value *From : Phi->incoming_values())
        In.push_back({Need::Primal, From});
      return computeFrom(In);
    }
    return {};
  }
  if (const auto *L = dyn_cast<LoadInst>(I)) {
    if (K == Need::Primal ? canRepeat(*L) : Overwrite.canRepeat(*L))
      return computeFrom({Input(L->getPointerOperand())});
    const Replay *R = K == Need::Primal ? replayOf(*L) : nullptr;
    if (!R || isAtHandDear(*L))
      return {};
    SmallVector<Need, 8> In{Input(L->getPointerOperand())};
    for (const StoreInst *S : R->Stores) {
      In.push_back({Need::Primal, S->getValueOperand()});
      In.push_back({Need::Primal, S->getPointerOperand()});
    }
    return computeFrom(In);
  }
  if (K == Need::Primal && isAtHandDear(*I))
    return {};
  if (!::isRepeatable(*I, facts().catalogue(),
                      Machine.prefersRecomputation() && Opts.RecomputeOnDevice,
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
DerivativePlan::predecessorsOf(const BasicBlock *B) const {
  SmallSetVector<const BasicBlock *, 4> Set;
  for (const BasicBlock *P : llvm::predecessors(B))
    if (Shape.isLive(P) && DT.isReachableFromEntry(P))
      Set.insert(P);
  return {Set.begin(), Set.end()};
}

std::optional<DerivativePlan::Join>
DerivativePlan::decidedJoin(const BasicBlock *B) const {
  const auto *Node = DT.getNode(B);
  if (!Node || !Node->getIDom())
    return std::nullopt;
  const BasicBlock *D = Node->getIDom()->getBlock();
  const auto *Br = dyn_cast<BranchInst>(D->getTerminator());
  if (!Br || !Br->isConditional() ||
      Br->getSuccessor(0) == Br->getSuccessor(1) ||
      Shape.loops().getLoopFor(D) != Shape.loops().getLoopFor(B))
    return std::nullopt;
  Join J{Br->getCondition(), {}};
  unsigned TrueSide = 0, FalseSide = 0;
  for (const BasicBlock *P : predecessorsOf(B)) {
    auto On = [&](unsigned S) {
      if (P == D)
        return Br->getSuccessor(S) == B;
      return DT.dominates(BasicBlockEdge(D, Br->getSuccessor(S)), P);
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

std::optional<uint64_t> DerivativePlan::constantCount(const Loop *L) const {
  const LoopFacts &Facts = Shape.facts(L);
  if (Facts.Exact)
    if (const auto *C = dyn_cast<SCEVConstant>(Facts.BackedgeBound))
      if (C->getAPInt().getActiveBits() <= 62)
        return C->getAPInt().getZExtValue();
  return std::nullopt;
}

const Loop *DerivativePlan::countHome(const Loop *L) const {
  const LoopFacts &Facts = Shape.facts(L);
  if (!Facts.Exact || !Opts.OuterCounts)
    return L;
  ScalarEvolution &SE = Shape.evolution();
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

SmallVector<const Loop *, 3> Scope::nest() const {
  SmallVector<const Loop *, 3> Chain;
  for (const Loop *L = Of; L; L = L->getParentLoop()) {
    Chain.push_back(L);
    if (L == Nest)
      break;
  }
  std::reverse(Chain.begin(), Chain.end());
  return Chain;
}

/// How far out the arrays of L can be allocated. All counts on the way have to
/// be exact and the same for every iteration; and L has to run in every
/// iteration, or in none, so that nothing is allocated in vain.
const Loop *DerivativePlan::nestOf(const Loop *L) const {
  const Loop *Nest = L;
  if (!Opts.NestArrays || !Shape.facts(L).Exact)
    return Nest;
  SmallVector<const Value *, 4> Deciders;
  SmallVector<const Loop *, 4> Inside{L};
  for (const Loop *P = L->getParentLoop(); P && Shape.facts(P).Exact;
       P = P->getParentLoop()) {
    const BasicBlock *B = Nest->getLoopPreheader();
    while (B != P->getHeader() && !DT.dominates(B, P->getLoopLatch())) {
      const BasicBlock *D = DT.getNode(B)->getIDom()->getBlock();
      // A loop with one exit always gets there.
      const Loop *Beside = Shape.loops().getLoopFor(D);
      while (Beside && Beside != P && Beside->getParentLoop() != P)
        Beside = Beside->getParentLoop();
      if (Beside && Beside != P && Beside->getExitingBlock() &&
          Beside->getLoopPreheader()) {
        B = Beside->getLoopPreheader();
        continue;
      }
      const auto *Br = dyn_cast<BranchInst>(D->getTerminator());
      if (!Br)
        return Nest;
      if (Br->isConditional())
        Deciders.push_back(Br->getCondition());
      B = D;
    }
    if (!all_of(Deciders,
                [&](const Value *V) { return P->isLoopInvariant(V); }) ||
        !all_of(Inside,
                [&](const Loop *I) { return countHome(I)->contains(P); }))
      return Nest;
    Nest = P;
    Inside.push_back(P);
  }
  return Nest;
}

//===----------------------------------------------------------------------===//
// Needs, and which of them to keep
//===----------------------------------------------------------------------===//

void DerivativePlan::collectNeeds() {
  for (BasicBlock &B : F) {
    if (!Shape.isLive(&B))
      continue;
    auto Sink = [&](Need N) {
      N = canonical(N);
      if (!isa<Constant>(N.Of))
        Needs[N].insert(&B);
    };
    for (Instruction &I : B)
      if (hasReverse(I, Activity)) {
        if (auto *C = dyn_cast<CallBase>(&I);
            C && action(*C) == CallAction::Derivative) {
          Sink({Need::Tape, C});
          if (givesAgain(*C)) {
            ArgsAgain.insert(C);
            for (const Value *A : C->args())
              if (DerivativeRequest::canBeGivenAgain(*A)) {
                Sink({Need::Primal, A});
                if (Activity.hasShadow(A))
                  Sink({Need::Shadow, A});
              }
          }
          continue;
        }
        visitNeeds(I, Activity, Sink);
      }
    // A loop header is told apart by the iteration counter.
    bool IsHeader = Shape.loops().isLoopHeader(&B);
    if (!IsHeader && predecessorsOf(&B).size() > 1)
      Sink({Need::Pred, &B});
  }
}

/// What the number of a loop's iterations is computed from has to be at hand.
void DerivativePlan::collectCounts() {
  for (const Loop *L : Shape.loops().getLoopsInPreorder())
    if (Shape.isLive(L->getHeader()) && !constantCount(L) && countInputs(L))
      Needs[{Need::Count, L->getHeader()}].insert(L->getLoopPreheader());
}

void DerivativePlan::keepAll() {
  SmallVector<Need, 0> Work;
  for (auto &[N, Blocks] : Needs)
    Work.push_back(N);
  DenseSet<Need> Seen;
  while (!Work.empty()) {
    Need N = canonical(Work.pop_back_val());
    Recipe R = recipe(N);
    if (R.K == Recipe::Available || isa<Constant>(N.Of) ||
        !Seen.insert(N).second)
      continue;
    if (R.K == Recipe::Compute && isUnkept(N))
      append_range(Work, R.Inputs);
    else
      Keep.insert(N);
  }
}

/// A pointer into a view leads nowhere once it was in memory.
bool DerivativePlan::isUnkept(Need N) const {
  return Request.WholeAdditions &&
         (N.K == Need::Primal || N.K == Need::Shadow) &&
         N.Of->getType()->isPointerTy();
}

const Loop *DerivativePlan::scopeOf(Need N) const {
  const BasicBlock *B = nullptr;
  if (const auto *I = dyn_cast<Instruction>(N.Of))
    B = I->getParent();
  else if (const auto *BB = dyn_cast<BasicBlock>(N.Of))
    B = BB;
  if (!B)
    return nullptr;
  const Loop *L = Shape.loops().getLoopFor(B);
  // What belongs to a whole run of a loop lives around it.
  if (N.K == Need::Last)
    return L->getParentLoop();
  if (N.K == Need::Count)
    return countHome(L)->getParentLoop();
  if (N.K == Need::Records)
    return (scope(L).Nest ? scope(L).Nest : L)->getParentLoop();
  return L;
}

Type *DerivativePlan::typeOf(Need N) const {
  LLVMContext &C = F.getContext();
  switch (N.K) {
  case Need::Primal:
  case Need::Shadow: {
    Type *T = N.Of->getType();
    if (N.K == Need::Shadow && Request.Width != 1)
      return ArrayType::get(T, Request.Width); // of every lane
    return T->isIntegerTy(1) ? Type::getInt8Ty(C) : T;
  }
  case Need::Pred:
    return predecessorsOf(cast<BasicBlock>(N.Of)).size() > 256
               ? Type::getInt32Ty(C)
               : Type::getInt8Ty(C);
  case Need::Tape:
  case Need::Records:
    return PointerType::get(C, 0);
  case Need::Count:
  case Need::Last:
    return Type::getInt64Ty(C);
  }
  llvm_unreachable("all kinds handled");
}

/// Bytes of tape that keeping N costs: its size times how often its scope
/// runs. Unknown trip counts are guessed. In a joint derivative what does not
/// vary with a loop stays in a register or on the stack: nearly free.
uint64_t DerivativePlan::price(Need N) const {
  constexpr uint64_t GuessedTrips = 128, MaxPrice = uint64_t(1) << 50;
  if (isUnkept(N))
    return MaxPrice << 4;
  uint64_t Price =
      F.getDataLayout().getTypeAllocSize(typeOf(N)).getFixedValue() * 16;
  const Loop *L = scopeOf(N);
  if (!L)
    return Split ? Price : 1;
  if (isDeferred(L))
    return 1;
  for (; L && !isDeferred(L); L = L->getParentLoop()) {
    Price *= std::min<uint64_t>(constantCount(L).value_or(GuessedTrips - 1) + 1,
                                1 << 20);
    Price = std::min(Price, MaxPrice);
  }
  return Price;
}

void DerivativePlan::cut() {
  MinCut Graph;
  DenseMap<Need, unsigned> Vertex;
  SmallVector<Need, 0> Order;
  auto VertexOf = [&](Need N) {
    auto [It, New] = Vertex.try_emplace(N, 0);
    if (New) {
      It->second = Graph.addVertex(price(N));
      Order.push_back(N);
    }
    return It->second;
  };
  for (auto &[N, Blocks] : Needs)
    if (recipe(N).K != Recipe::Available)
      Graph.markSink(VertexOf(N));
  for (size_t I = 0; I != Order.size(); ++I) {
    Need N = Order[I];
    Recipe R = recipe(N);
    if (R.K == Recipe::Source)
      Graph.markSource(Vertex[N]);
    for (Need In : R.Inputs) {
      In = canonical(In);
      if (isa<Constant>(In.Of) || recipe(In).K == Recipe::Available)
        continue;
      unsigned From = VertexOf(In);
      Graph.addEdge(From, Vertex[N]);
    }
  }
  BitVector Chosen = Graph.solve();
  for (size_t I = 0; I != Order.size(); ++I)
    if (Chosen.test(I))
      Keep.insert(Order[I]);
}

//===----------------------------------------------------------------------===//
// Layout
//===----------------------------------------------------------------------===//

void DerivativePlan::layOut() {
  const DataLayout &DL = F.getDataLayout();
  auto ScopeFor = [&](const Loop *L) -> Scope & {
    Scope &S = Scopes[L];
    S.Of = L;
    return S;
  };
  auto Add = [&](Need N) {
    ScopeFor(scopeOf(N)).Slots.push_back({N, typeOf(N)});
  };
  ScopeFor(nullptr);
  for (Need N : Keep)
    Add(N);
  // Inner loops first: a loop with slots puts its own storage into the scope
  // around it, and a loop whose count is not constant its count.
  SmallVector<Loop *, 8> Loops = Shape.loops().getLoopsInPreorder();
  for (Loop *L : reverse(Loops)) {
    if (!Shape.isLive(L->getHeader()))
      continue;
    Scope &S = ScopeFor(L);
    S.IsArray = !isDeferred(L) && Opts.TapeArrays &&
                Shape.facts(L).BackedgeBound != nullptr;
    if (S.IsArray)
      S.Nest = nestOf(L);
    if (const Loop *Outer = L->getOutermostLoop();
        S.IsArray && Outer != L && isDeferred(Outer)) {
      S.Reused = S.Nest == Outer;
      if (S.Reused)
        for (S.Nest = L; S.Nest->getParentLoop() != Outer;)
          S.Nest = S.Nest->getParentLoop();
    }
    if (!constantCount(L) && !countInputs(L)) // else a need like others
      Add({Need::Count, L->getHeader()});
    if (!Scopes[L].Slots.empty() && !isDeferred(L))
      Add({Need::Records, L->getHeader()});
  }
  shareStorage();
  for (auto &[L, S] : Scopes) {
    // Large alignments first: then every array starts aligned whatever N is.
    stable_sort(S.Slots, [&](const Slot &A, const Slot &B) {
      return DL.getABITypeAlign(A.Ty) > DL.getABITypeAlign(B.Ty);
    });
    uint64_t Offset =
        L && !S.IsArray && !isDeferred(L) ? 8 : 0; // link to the record before
    for (Slot &Sl : S.Slots) {
      if (!S.IsArray)
        Offset = alignTo(
            Offset, std::min<uint64_t>(16, DL.getABITypeAlign(Sl.Ty).value()));
      Sl.Offset = Offset;
      Offset += DL.getTypeAllocSize(Sl.Ty).getFixedValue();
    }
    S.Bytes = Offset;
    for (auto [I, Sl] : enumerate(S.Slots))
      SlotIndex[Sl.Holds] = {L, (unsigned)I};
  }
}

const Scope &DerivativePlan::scope(const Loop *L) const {
  static const Scope Empty;
  auto It = Scopes.find(L);
  return It == Scopes.end() ? Empty : It->second;
}

const Slot *DerivativePlan::slot(Need N) const {
  auto It = SlotIndex.find(canonical(N));
  return It == SlotIndex.end()
             ? nullptr
             : &scope(It->second.first).Slots[It->second.second];
}
