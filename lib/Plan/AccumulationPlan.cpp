//===- AccumulationPlan.cpp - how adjoints are added ----------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan/AccumulationPlan.h"
#include "Analysis/KeptNumber.h"
#include "Catalogue/Catalogue.h"
#include "Catalogue/ThreadIdentity.h"
#include "Rules/Rules.h"
#include "Support/CallBinding.h"
#include "Support/Kernels.h"
#include "Support/ReachMarks.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace retrograd;

void AccumulationPlan::findOwnWork() {
  if (Threads.company() != ThreadModel::Team || !Subject.Opts.PlainWhereOwn ||
      Subject.Opts.SharedShadows)
    return;
  SmallVector<const LoadInst *, 16> Loads;
  bool AlsoElsewhere = false;
  for (const BasicBlock &B : Subject.F)
    for (const Instruction &I : B) {
      if (!Subject.Shape.isLive(&B) || !hasReverse(I, Subject.Activity))
        continue;
      if (const auto *L = dyn_cast<LoadInst>(&I);
          L && !isThreadsOwn(L->getPointerOperand()))
        Loads.push_back(L);
      if (const auto *C = dyn_cast<CallBase>(&I))
        AlsoElsewhere |= Calls.action(*C) == CallAction::Derivative ||
                         Calls.action(*C) == CallAction::Memory;
    }
  OwnWork.emplace(Subject.F, Subject.facts(), Subject.Shape, Subject.DT, Loads,
                  AlsoElsewhere);
  if (Subject.Opts.WithinReach && Subject.Request.Width == 1 &&
      (startsWork(Subject.F) ? goesOnAlone() : isOneTeam()))
    findReached(Loads);
}

/// Only threads of this one region tell of what they add to. What goes on
/// beside, they do not know.
bool AccumulationPlan::isOneTeam() const {
  return bindingOf(Subject.F) == CallBinding::Team &&
         !Subject.facts().isInTeams(Subject.F) &&
         !Subject.facts().startsThreads();
}

/// Work that waits for nobody, and that nobody waits for in its midst: what it
/// adds may come to the shadows when its reverse sweep is over.
bool AccumulationPlan::goesOnAlone() const {
  const ProgramFacts &Facts = Subject.facts();
  SmallSetVector<const Function *, 8> Within;
  Within.insert(&Subject.F);
  for (unsigned Next = 0; Next != Within.size(); ++Next)
    for (const Instruction &I : instructions(*Within[Next])) {
      const auto *C = dyn_cast<CallBase>(&I);
      const OperationRecord *R = C ? Facts.catalogue().lookup(I) : nullptr;
      if (!C || isa<IntrinsicInst>(C) || (R && !R->CallsBack))
        continue;
      const Function *Callee = directCallee(*C);
      const Function *Body = Callee ? Facts.preparedOf(Callee) : nullptr;
      if (!Body || runsElsewhere(*Body))
        return false;
      Within.insert(Body);
    }
  return none_of(Within,
                 [&](const Function *F) { return Facts.waitsForTeam(*F); });
}

/// Memory that F adds adjoints to, or takes them from, without telling where:
/// by callees and copies, and by stores that are not of numbers. False if
/// nobody knows.
bool AccumulationPlan::findUntold(BitVector &Objects) const {
  const ProgramFacts &Facts = Subject.facts();
  auto Add = [&](const Value *P) {
    TypeAnalysis::ObjectId O = Facts.types().objectOf(P);
    if (O != TypeAnalysis::NoObject)
      Objects.set(O);
    return O != TypeAnalysis::NoObject;
  };
  for (const Instruction &I : instructions(Subject.F)) {
    if (!Subject.Shape.isLive(I.getParent()) ||
        !hasReverse(I, Subject.Activity))
      continue;
    if (const auto *C = dyn_cast<CallBase>(&I)) {
      if (Calls.action(*C) == CallAction::Memory) {
        for (const Value *A : C->args())
          if (A->getType()->isPointerTy() && !isThreadsOwn(A) && !Add(A))
            return false;
      } else if (Calls.action(*C) == CallAction::Derivative) {
        const ProgramFacts::Effects *E = Facts.effects(*C);
        if (!E)
          return false;
        Objects |= E->Reads;
        Objects |= E->Writes;
      }
      continue;
    }
    const Value *P = nullptr;
    if (const auto *S = dyn_cast<StoreInst>(&I))
      P = S->getPointerOperand();
    else if (const auto *M = dyn_cast<AtomicRMWInst>(&I))
      P = M->getPointerOperand();
    else if (const auto *X = dyn_cast<AtomicCmpXchgInst>(&I))
      P = X->getPointerOperand();
    if (P && !reachOf(I) && !isThreadsOwn(P) && !Add(P))
      return false;
  }
  return true;
}

/// Of memory that all who add to it tell of, or have to themselves.
void AccumulationPlan::findReached(ArrayRef<const LoadInst *> Loads) {
  assert(OwnWork && "asked of regions alone");
  const ProgramFacts &Facts = Subject.facts();
  BitVector Elsewhere(Facts.types().numObjects());
  if (!findUntold(Elsewhere))
    return;
  SmallVector<const LoadInst *, 8> Untold;
  for (const LoadInst *L : Loads) {
    if (OwnWork->isWritten(*L) || OwnWork->isApart(*L))
      continue;
    TypeAnalysis::ObjectId O = Facts.types().objectOf(L->getPointerOperand());
    if (reachOf(*L) && O != TypeAnalysis::NoObject &&
        !Facts.isAmong(O, Elsewhere) &&
        !Subject.Activity.isMixed(L->getPointerOperand()))
      Reached.insert(L);
    else
      Untold.push_back(L);
  }
  while (!Untold.empty()) {
    const LoadInst *Other = Untold.pop_back_val();
    for (const LoadInst *L : Loads)
      if (Reached.contains(L) && OwnWork->mayMeet(*L, *Other)) {
        Reached.erase(L);
        Untold.push_back(L);
      }
  }
}

bool AccumulationPlan::isThreadsOwn(const Value *P) const {
  if (Threads.isAlone())
    return true;
  if (!Subject.Opts.PlainWhereOwn)
    return false;
  if (Threads.company() == ThreadModel::Grid &&
      Subject.Machine.spaceOf(*P) == MemorySpace::Private)
    return true;
  return Threads.isOwn(P, &Subject.Shape.loops());
}

/// Whether threads may wait for each other in I, as far as one sees.
static bool mayWait(const Instruction &I, const Catalogue &Cat) {
  const auto *C = dyn_cast<CallBase>(&I);
  const OperationRecord *R = C ? Cat.lookup(I) : nullptr;
  return C && (R ? R->Handler == HandlerKind::Barrier : !isa<IntrinsicInst>(C));
}

bool AccumulationPlan::hasBarriers() const {
  if (!WaitsSomewhere)
    WaitsSomewhere = any_of(instructions(Subject.F), [&](const Instruction &I) {
      return mayWait(I, Subject.facts().catalogue());
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
bool AccumulationPlan::isReadBefore(const StoreInst &S) const {
  const Value *P = S.getPointerOperand();
  for (const Instruction *I = S.getPrevNode(); I; I = I->getPrevNode()) {
    if (mayWait(*I, Subject.facts().catalogue()))
      break;
    if (const auto *L = dyn_cast<LoadInst>(I);
        L && L->getType() == S.getValueOperand()->getType() &&
        isSamePlace(L->getPointerOperand(), P))
      return true;
  }
  if (Subject.Split || hasBarriers() ||
      Subject.Shape.loops().getLoopFor(S.getParent()))
    return false;
  return any_of(instructions(Subject.F), [&](const Instruction &I) {
    const auto *L = dyn_cast<LoadInst>(&I);
    return L && L->getType() == S.getValueOperand()->getType() &&
           !Subject.Shape.loops().getLoopFor(L->getParent()) &&
           isSamePlace(L->getPointerOperand(), P) &&
           Subject.DT.dominates(L, &S);
  });
}

/// The thread that loads here writes the very same place later, in every run in
/// which it loads, and no barrier lies between: then nobody else may touch it
/// in the meantime, neither in the primal nor in the mirrored part of the
/// reverse sweep. A place that it has written before may be one that other
/// threads have written the same number to.
bool AccumulationPlan::isWrittenToo(const LoadInst &L) const {
  if (Subject.Split || hasBarriers())
    return false;
  if (Subject.Shape.loops().getLoopFor(L.getParent()))
    return false; // another iteration's place may be another thread's
  if (!PostDominators)
    PostDominators.emplace(Subject.F);
  return any_of(instructions(Subject.F), [&](const Instruction &I) {
    const auto *S = dyn_cast<StoreInst>(&I);
    if (!S || S->getValueOperand()->getType() != L.getType() ||
        Subject.Shape.loops().getLoopFor(S->getParent()) ||
        !isSamePlace(L.getPointerOperand(), S->getPointerOperand()))
      return false;
    return S->getParent() == L.getParent() && L.comesBefore(S) ? true
           : Subject.DT.dominates(S, &L)
               ? isReadBefore(*S)
               : PostDominators->dominates(S->getParent(), L.getParent());
  });
}

/// V is a quotient, which neighbours probably share: rows of 16 numbers at
/// least, or of a length that the run tells.
static bool isRow(const Instruction &V) {
  constexpr unsigned Least = 16;
  const auto *B = dyn_cast<BinaryOperator>(&V);
  const auto *By = B ? dyn_cast<ConstantInt>(B->getOperand(1)) : nullptr;
  return B &&
         (B->getOpcode() == Instruction::UDiv ||
          B->getOpcode() == Instruction::SDiv) &&
         (!By || By->getValue().uge(Least));
}

/// The address is, as far as one sees, the same for neighbouring threads: it
/// does not depend on who they are, or on their row, or (InWarp) their warp,
/// alone.
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
    if (isRow(*I))
      continue;
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
      // Who a thread is along x; the others are the same for a warp more often
      // than not.
      std::optional<ThreadIdentity> Who = ThreadIdentity::of(*C);
      if (!R || R->Id == "thread_registers" ||
          Who == ThreadIdentity{ThreadIdentity::ThreadIndex, 0})
        return false;
    }
    append_range(Work, I->operands());
  }
  return true;
}

/// P leads to memory whose adjoints stay as they are.
bool AccumulationPlan::isSeed(const Value *P) const {
  if (Subject.Request.Seeds.empty())
    return false;
  const auto *A = dyn_cast<Argument>(getUnderlyingObject(P, /*MaxLookup=*/0));
  return A && is_contained(Subject.Request.Seeds, A->getArgNo());
}

void AccumulationPlan::findSeeds(Refuser Refuse) {
  if (Subject.Request.Seeds.empty())
    return;
  const Instruction &Entry = Subject.F.getEntryBlock().front();
  if (Subject.Request.Width != 1)
    return Refuse(RefusalKind::Seed, Entry, "several adjoints at once");
  const bool Grid = Threads.company() == ThreadModel::Grid;
  if (!Grid && !Threads.isAlone())
    return Refuse(RefusalKind::Seed, Entry, "several threads of the host");
  OneWriter Proof(Subject.F, Subject.Shape, Subject.DT,
                  Subject.facts().catalogue(), Grid, [&](const Argument &A) {
                    return !Grid || (A.getArgNo() < Uniform.size() &&
                                     Uniform.test(A.getArgNo()));
                  });
  for (unsigned N : Subject.Request.Seeds)
    if (std::optional<OneWriter::Doubt> Doubt =
            Proof.doubt(*Subject.F.getArg(N)))
      Refuse(RefusalKind::Seed, *Doubt->At,
             "what parameter " + std::to_string(N + 1) + " leads to " +
                 Doubt->Why);
  append_range(SeedConditions, Proof.conditions());
}

Taking AccumulationPlan::taking(const StoreInst &S) const {
  const Value *P = S.getPointerOperand();
  if (isSeed(P))
    return Taking::Left;
  if (!Subject.Machine.manyThreads() || !Subject.Opts.ExchangeOnDevice ||
      isThreadsOwn(P))
    return Taking::Plain;
  if (Subject.Opts.PlainWhereOwn && isReadBefore(S))
    return Taking::PlainInBlock;
  return Subject.Opts.MergeOnDevice &&
                 looksUniform(P, Subject.facts().catalogue(), /*InWarp=*/true)
             ? Taking::OneOfWarp
             : Taking::Exchange;
}

/// The parameter that P is computed from, by what may be computed at any time
/// and is the same in the whole block, as far as one sees; null if there is
/// none.
static const Argument *fixedIn(const Value *P) {
  constexpr unsigned Most = 32;
  const auto *Object = dyn_cast<Argument>(getUnderlyingObject(P));
  SmallVector<const Value *, 8> Work{P};
  SmallPtrSet<const Value *, 16> Seen;
  while (Object && !Work.empty()) {
    const Value *V = Work.pop_back_val();
    if (isa<Argument, ConstantInt>(V) || !Seen.insert(V).second)
      continue;
    const auto *I = dyn_cast<Instruction>(V);
    if (!I || Seen.size() > Most || isa<PHINode>(I) ||
        I->mayReadOrWriteMemory() || !isSafeToSpeculativelyExecute(I))
      return nullptr;
    if (const auto *C = dyn_cast<CallBase>(I)) {
      std::optional<ThreadIdentity> Who = ThreadIdentity::of(*C);
      const auto *II = dyn_cast<IntrinsicInst>(C);
      if (Who ? !Who->isSameInBlock()
              : !II || Intrinsic::isTargetIntrinsic(II->getIntrinsicID()))
        return nullptr;
      append_range(Work, C->args());
      continue;
    }
    append_range(Work, I->operands());
  }
  return Object;
}

/// Nothing that this function does may write what A leads to, which is all
/// that it knows of that memory (restrict).
bool AccumulationPlan::isOnlyRead(const Argument &A) const {
  auto [At, New] = OnlyRead.try_emplace(&A, false);
  if (!New)
    return At->second;
  if (!A.hasNoAliasAttr())
    return false;
  SmallVector<const Value *, 16> Work{&A};
  SmallPtrSet<const Value *, 32> Seen;
  while (!Work.empty()) {
    const Value *P = Work.pop_back_val();
    for (const User *U : P->users()) {
      const auto *I = dyn_cast<Instruction>(U);
      if (I && (isa<ICmpInst>(I) ||
                (isa<LoadInst>(I) && !I->getType()->isPtrOrPtrVectorTy() &&
                 !I->isAtomic() && !I->isVolatile())))
        continue;
      if (!I || !isa<GetElementPtrInst, PHINode, SelectInst, BitCastInst,
                     AddrSpaceCastInst>(I))
        return false;
      if (Seen.insert(I).second)
        Work.push_back(I);
    }
  }
  return OnlyRead[&A] = true;
}

/// What is added to the adjoint of what L reads may be added up, and added when
/// all is over: the place is known from the start, nothing takes the adjoint
/// before, and there is no other way to it.
bool AccumulationPlan::canAddAtEnd(const LoadInst &L) const {
  if (!Subject.Machine.manyThreads() || !Subject.Opts.SumsAtEnd ||
      Subject.Split || Subject.Request.Width != 1 ||
      !(L.getType()->isFloatTy() || L.getType()->isDoubleTy()) ||
      L.getPointerOperandType()->getPointerAddressSpace() ||
      Subject.Activity.isMixed(L.getPointerOperand()))
    return false;
  const Argument *A = fixedIn(L.getPointerOperand());
  return A && Subject.Activity.hasShadow(A) && isOnlyRead(*A);
}

/// The lanes of a warp go to places of their own, and all warps of a block to
/// the same, as far as one sees: of who a thread is, P depends on its lane.
static bool isAlikeForWarps(const Value *P) {
  constexpr unsigned Most = 64, Lanes = 31;
  SmallVector<const Value *, 16> Work{P};
  SmallPtrSet<const Value *, 32> Seen;
  bool SaysLane = false;
  while (!Work.empty()) {
    const auto *I = dyn_cast<Instruction>(Work.pop_back_val());
    if (!I || !Seen.insert(I).second)
      continue;
    if (isa<LoadInst, AllocaInst>(I) || Seen.size() > Most)
      return false;
    const Value *V;
    const APInt *Mask;
    if (PatternMatch::match(I,
                            PatternMatch::m_And(PatternMatch::m_Value(V),
                                                PatternMatch::m_APInt(Mask))) &&
        Mask->ule(Lanes)) {
      if (const auto *C = dyn_cast<CallBase>(V))
        SaysLane |= ThreadIdentity::of(*C) ==
                    ThreadIdentity{ThreadIdentity::ThreadIndex, 0};
      continue;
    }
    if (const auto *C = dyn_cast<CallBase>(I)) {
      std::optional<ThreadIdentity> Who = ThreadIdentity::of(*C);
      if (Who ? !Who->isSameInBlock() : !isa<IntrinsicInst>(C))
        return false;
    }
    append_range(Work, I->operands());
  }
  return SaysLane;
}

const Argument *AccumulationPlan::copiedForBlock(const LoadInst &L) const {
  const Value *P = L.getPointerOperand();
  Type *T = L.getType();
  if (!Subject.Machine.addsFloatsByLoop() || !Subject.Opts.SumsAtEnd ||
      !Subject.Opts.BlockCopies || !Subject.Opts.MergeOnDevice ||
      Subject.Split || Subject.Request.Width != 1 ||
      !(T->isFloatTy() || T->isDoubleTy()) ||
      P->getType()->getPointerAddressSpace() ||
      L.getAlign() < Subject.F.getDataLayout().getTypeStoreSize(T) ||
      !Subject.Shape.loops().getLoopFor(L.getParent()) ||
      Subject.Activity.isMixed(P))
    return nullptr;
  const auto *A = dyn_cast<Argument>(getUnderlyingObject(P, /*MaxLookup=*/0));
  return A && Subject.Activity.hasShadow(A) && isOnlyRead(*A) &&
                 isAlikeForWarps(P)
             ? A
             : nullptr;
}

bool AccumulationPlan::isGivenAlike(const Argument &A) const {
  return A.getArgNo() < Uniform.size() && Uniform.test(A.getArgNo()) &&
         Subject.Request.Args[A.getArgNo()] != ArgActivity::Const;
}

void AccumulationPlan::findOwnership() {
  if (!Subject.Machine.manyThreads() ||
      (Subject.Split && !Subject.Request.UserBytes) ||
      !Subject.Opts.OwnByLaunch || Subject.Request.Width != 1)
    return;
  SmallVector<const Instruction *, 16> Loads;
  for (const BasicBlock &B : Subject.F)
    for (const Instruction &I : B) {
      // What is added elsewhere than by loads, nobody has looked at.
      const auto *C = dyn_cast<CallBase>(&I);
      if (C && hasReverse(I, Subject.Activity) &&
          (Calls.action(*C) == CallAction::Derivative ||
           Calls.action(*C) == CallAction::Memory))
        return;
      const auto *L = dyn_cast<LoadInst>(&I);
      if (L && Subject.Shape.isLive(&B) && hasReverse(I, Subject.Activity) &&
          !isThreadsOwn(L->getPointerOperand())) {
        if (Subject.Activity.isMixed(L->getPointerOperand()))
          return;
        Loads.push_back(L);
      }
    }
  Owned = Ownership.analyse(Loads,
                            [&](const Argument &A) { return isGivenAlike(A); });
}

void AccumulationPlan::findKeptNumbers(Refuser Refuse) {
  SmallVector<const AtomicRMWInst *, 4> Found;
  for (const BasicBlock &B : Subject.F)
    for (const Instruction &I : B)
      if (keptNumber(I) && Subject.Shape.isLive(&B) &&
          hasReverse(I, Subject.Activity))
        Found.push_back(cast<AtomicRMWInst>(&I));
  if (Found.empty() || !Subject.Machine.manyThreads())
    return;
  if (Subject.Request.Width != 1)
    return Refuse(RefusalKind::Instruction, *Found.front(),
                  "exchange, minimum and maximum with several tangents or "
                  "adjoints at once");
  if (Subject.Request.Mode == DerivativeMode::Forward)
    return;
  SmallVector<const Instruction *, 4> Exchanges;
  for (const AtomicRMWInst *M : Found) {
    const Value *P = M->getPointerOperand();
    bool OfBlock =
        Subject.Machine.spaceOf(*P) == MemorySpace::Shared || isThreadsOwn(P);
    // The grid waits at the end of the primal.
    const bool AllWait = OfBlock || Subject.F.hasFnAttribute(GridBarrierAtEnd);
    if ((AllWait || Subject.Overwrite.endsWithBarrier(*M)) &&
        Subject.Overwrite.staysAsLeft(*M)) {
      AtomicPlaces[M] = AllWait ? AtomicPlace::Block : AtomicPlace::OneBlock;
    } else if (!OfBlock && M->getOperation() == AtomicRMWInst::Xchg) {
      AtomicPlaces[M] = AtomicPlace::Own;
      Exchanges.push_back(M);
    } else if (AllWait) {
      Refuse(
          RefusalKind::Instruction, *M,
          Subject.Split
              ? "a reverse sweep in another kernel or call cannot know which "
                "thread's number remained"
              : "its place is written again later, or may be read meanwhile, "
                "and "
                "then nobody knows whose number remained; use a place for each "
                "round, and __restrict__ for pointers that do not lead there");
    } else {
      Refuse(RefusalKind::Instruction, *M,
             "threads of several blocks may come to this place, and whose "
             "number remains is known only when all "
             "have; find it in shared memory and add by atomicAdd, or reduce "
             "with shuffles (in a kernel of one block, "
             "a barrier behind it will do)");
    }
  }
  // One condition for all: then no two of them can meet either.
  if (!Exchanges.empty() &&
      ((Subject.Split && !Subject.Request.UserBytes) ||
       !OwnershipOfAtomics.analyse(
           Exchanges, [&](const Argument &A) { return isGivenAlike(A); })))
    Refuse(RefusalKind::Instruction, *Exchanges.front(),
           "threads of several blocks may come to this place, and who was last "
           "is known only when all have; "
           "exchange in shared memory, or where each thread has a place of its "
           "own by its index");
}

Accumulation AccumulationPlan::accumulation(const LoadInst &L) const {
  if (Threads.company() == ThreadModel::Team)
    return isThreadsOwn(L.getPointerOperand()) ||
                   (OwnWork && (OwnWork->isWritten(L) || OwnWork->isApart(L)))
               ? Accumulation::Plain
           : Reached.contains(&L) ? Accumulation::WithinReach
           : addInOrder()         ? Accumulation::InOrder
                                  : Accumulation::Whole;
  if (Subject.Request.WholeAdditions && !Subject.Machine.manyThreads()) {
    SmallVector<const Value *, 4> Objects;
    getUnderlyingObjects(L.getPointerOperand(), Objects, &Subject.Shape.loops(),
                         /*MaxLookup=*/0);
    return any_of(Objects, [](const Value *O) { return isa<Argument>(O); })
               ? Accumulation::Whole
               : Accumulation::Plain;
  }
  if (isThreadsOwn(L.getPointerOperand()) ||
      (Subject.Opts.PlainWhereOwn && isWrittenToo(L)))
    return Accumulation::Plain;
  if (Owned)
    return Accumulation::PlainIfOwned;
  if (canAddAtEnd(L))
    return Accumulation::AtEnd;
  if (Subject.Opts.MergeOnDevice &&
      looksUniform(L.getPointerOperand(), Subject.facts().catalogue()))
    return Accumulation::Merged;
  if (copiedForBlock(L))
    return Accumulation::AtEnd;
  return Accumulation::Atomic;
}

StringRef AccumulationPlan::reasonOfAccumulation(const LoadInst &L) const {
  if (Threads.company() != ThreadModel::Team)
    return "";
  if (isThreadsOwn(L.getPointerOperand()))
    return "the memory is the thread's own";
  if (OwnWork && OwnWork->isWritten(L))
    return "the thread writes there itself before it waits for others";
  if (OwnWork && OwnWork->isApart(L))
    return "no two iterations of the shared loop read the same place";
  if (Reached.contains(&L))
    return startsWork(Subject.F)
               ? "the work waits for nobody before its end"
               : "the threads tell each other where they read";
  return "other threads may read the same place at the same time";
}
