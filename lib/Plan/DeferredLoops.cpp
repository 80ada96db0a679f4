//===- DeferredLoops.cpp - loops that run in the reverse sweep ------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan/DeferredLoops.h"
#include "Catalogue/Catalogue.h"
#include "Plan/CallPlan.h"
#include "Plan/Recipes.h"
#include "Rules/Rules.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace retrograd;

LoopDeferral::LoopDeferral(const PlanSubject &Subject, const CallPlan &Calls,
                           const Recipes &How, const Deferrals &Deferred,
                           ArrayRef<const StoreInst *> Unneeded,
                           const DenseSet<Need> &Read)
    : Subject(Subject), Calls(Calls), How(How), Deferred(Deferred),
      Unneeded(Unneeded), Read(Read), SE(Subject.Shape.evolution()) {}

bool LoopDeferral::isDeferrable(const Loop &L, LateUses &Late) {
  Late = {};
  const Loop *Around = L.getParentLoop();
  // The reverse sweep begins in the iteration that was chosen.
  if (!hasShape(L) || !Subject.Shape.facts(&L).Exact ||
      Read.contains({Need::Last, L.getHeader()}) ||
      (Around ? !fitsIn(L, *Around) : !collectStores(L) || !isOnlyReadIn(L)))
    return false;
  if (!resultsFit(L, nullptr) &&
      (Late = {}, !resultsFit(L, &Late) || !onlyAddsUp(L)))
    return false;
  if (Around)
    return true;
  for (const BasicBlock *B : L.blocks())
    for (const Instruction &I : *B)
      if (!isHarmless(I, L))
        return false;
  return true;
}

/// L can wait for the reverse of the iteration of Around, a deferred loop, that
/// it runs in. All that it does is harmless, or Around would not be deferred;
/// so are its loads, unless Around writes what they read between the two
/// places.
bool LoopDeferral::fitsIn(const Loop &L, const Loop &Around) {
  if (!Deferred.isDeferred(&Around) || Around.getParentLoop() ||
      !L.isInnermost() || !collectStores(Around))
    return false;
  // What runs behind L in the same iteration of Around.
  SmallPtrSet<const BasicBlock *, 16> Behind;
  SmallVector<const BasicBlock *, 16> Work{L.getHeader()};
  while (!Work.empty())
    for (const BasicBlock *S : successors(Work.pop_back_val()))
      if (S != Around.getHeader() && Around.contains(S) &&
          Behind.insert(S).second)
        Work.push_back(S);
  bool Before = none_of(Stores, [&](const StoreInst *S) {
    return Behind.contains(S->getParent());
  });
  for (const BasicBlock *B : L.blocks())
    for (const Instruction &I : *B) {
      const auto *Load = dyn_cast<LoadInst>(&I);
      if (isa<StoreInst>(I) ||
          (Load && !Before && touches(Load->getPointerOperand()) &&
           !isUnread(*Load)))
        return false;
    }
  return true;
}

/// What goes from iteration to iteration and what comes out of L is computed
/// from the iteration number, unread or, if there may be such, for late uses.
bool LoopDeferral::resultsFit(const Loop &L, LateUses *Late) const {
  for (const PHINode &Phi : L.getHeader()->phis())
    if (!How.isComputedPhi(Phi) && !isUnread(Phi, Late, &L))
      return false;
  for (const PHINode &Phi : L.getExitBlock()->phis())
    if (!isUnread(Phi, Late, &L))
      return false;
  auto IsLate = [&](const Instruction &I) {
    return is_contained(Late->Stores, &I);
  };
  return !Late || all_of(Late->Stores, [&](const StoreInst *S) {
    return Subject.Overwrite.isLastAccess(*S, IsLate);
  });
}

/// S, of V, may wait for the end of the derivative, if nothing else looks at
/// its place.
bool LoopDeferral::canBeLate(const StoreInst &S, const Value &V) const {
  return S.isSimple() && S.getPointerOperand() != &V &&
         !Subject.facts().watchesFormats(S.getPointerOperand()) &&
         !V.getType()->isPtrOrPtrVectorTy() &&
         !Subject.Activity.hasShadow(&V) &&
         !Subject.Shape.loops().getLoopFor(S.getParent());
}

/// The operands by which the derivative of I is 1, and the arms of a choice.
SmallVector<const Value *, 2>
LoopDeferral::addends(const Instruction &I) const {
  if (isa<SelectInst>(I))
    return {I.getOperand(1), I.getOperand(2)};
  const OperationRecord *R = Subject.facts().catalogue().lookup(I);
  StringRef Id = R ? R->Id : "";
  if (Id == "fadd")
    return {I.getOperand(0), I.getOperand(1)};
  if (Id == "fsub")
    return {I.getOperand(0)};
  if (Id == "fma")
    return {I.getOperand(2)};
  return {};
}

/// What L hands on for Phi is Phi plus something, whatever path an iteration
/// takes: all that is made of Phi in L are sums with one such operand and
/// choices between such sums. So the adjoint of Phi is that of what is handed
/// on.
bool LoopDeferral::isSum(const PHINode &Phi, const Loop &L) const {
  SmallSetVector<const Value *, 8> Sums;
  Sums.insert(&Phi);
  for (size_t At = 0; At != Sums.size(); ++At)
    for (const User *U : Sums[At]->users()) {
      const auto *I = cast<Instruction>(U);
      if (!L.contains(I) || I == &Phi)
        continue;
      if (isa<PHINode>(I) ? I->getParent() == L.getHeader()
                          : addends(*I).empty())
        return false;
      Sums.insert(I);
    }
  auto IsSum = [&](const Value *V) { return Sums.contains(V); };
  return IsSum(Phi.getIncomingValueForBlock(L.getLoopLatch())) &&
         all_of(drop_begin(Sums), [&](const Value *V) {
           if (const auto *P = dyn_cast<PHINode>(V))
             return all_of(P->incoming_values(), IsSum);
           const auto *I = cast<Instruction>(V);
           if (const auto *S = dyn_cast<SelectInst>(I))
             return IsSum(S->getTrueValue()) && IsSum(S->getFalseValue());
           return count_if(I->operands(), IsSum) == 1 &&
                  any_of(addends(*I), IsSum);
         });
}

/// The iterations of L hand no adjoint to each other but those of sums, which
/// are the same for all of them, in whatever order they run.
bool LoopDeferral::onlyAddsUp(const Loop &L) const {
  const ActivityAnalysis &Activity = Subject.Activity;
  SmallPtrSet<const Value *, 8> Sums;
  for (const PHINode &Phi : L.getHeader()->phis()) {
    if (How.isComputedPhi(Phi))
      continue;
    if (Activity.hasShadow(&Phi))
      return false;
    if (!Activity.isActive(&Phi))
      continue;
    if (!isSum(Phi, L))
      return false;
    Sums.insert(Phi.getIncomingValueForBlock(L.getLoopLatch()));
  }
  return all_of(L.getExitBlock()->phis(), [&](const PHINode &Phi) {
    const Value *V = Phi.getIncomingValueForBlock(L.getLoopLatch());
    const auto *I = dyn_cast<Instruction>(V);
    return !Activity.hasShadow(&Phi) && (!Activity.isActive(&Phi) || !I ||
                                         !L.contains(I) || Sums.contains(V));
  });
}

/// Preheader, header, ..., latch, with one exit that is left from the latch
/// alone; all of it is reversed.
bool LoopDeferral::hasShape(const Loop &L) const {
  const LoopShape &Shape = Subject.Shape;
  const BasicBlock *Latch = L.getLoopLatch(), *Exit = L.getExitBlock();
  return L.getLoopPreheader() && Latch && Exit &&
         L.getExitingBlock() == Latch &&
         Shape.loops().getLoopFor(Latch) == &L &&
         Exit->getSinglePredecessor() == Latch &&
         isa<BranchInst>(Latch->getTerminator()) &&
         isa<BranchInst>(L.getLoopPreheader()->getTerminator()) &&
         all_of(L.blocks(), [&](const BasicBlock *B) {
           return Shape.isLive(B) && Subject.DT.isReachableFromEntry(B);
         });
}

/// Nobody looks at V, neither the reverse sweep nor what the primal sweep does:
/// it leads to other such values alone, and to the `Late` uses of the loop
/// `Of`, if given.
bool LoopDeferral::isUnread(const Value &V, LateUses *Late,
                            const Loop *Of) const {
  const Loop *Nest = Of ? Of->getParentLoop() : nullptr;
  if (Late && Nest && !Deferred.Carrying.contains(Nest))
    return false;
  SmallPtrSet<const Value *, 16> Seen;
  SmallVector<const Value *, 16> Work{&V};
  while (!Work.empty()) {
    const Value *W = Work.pop_back_val();
    if (!Seen.insert(W).second)
      continue;
    if (Read.contains({Need::Primal, W}) || Read.contains({Need::Shadow, W}))
      return false;
    for (const User *U : W->users()) {
      const auto *I = dyn_cast<Instruction>(U);
      if (!I)
        return false;
      // The deferred loop around carries it to its next iteration, or out of
      // it.
      if (const auto *Phi = dyn_cast<PHINode>(I);
          Phi && Late && Nest &&
          (Phi->getParent() == Nest->getHeader() || !Nest->contains(Phi))) {
        if (Phi->getParent() == Nest->getHeader() && How.isComputedPhi(*Phi))
          return false;
        Late->Around = true;
        continue;
      }
      if (isa<ReturnInst>(I)) {
        if (Subject.Request.ShadowReturn ||
            (Subject.Request.ReturnPrimal && !Late))
          return false;
        if (Late)
          Late->Return |= Subject.Request.ReturnPrimal;
        continue;
      }
      if (is_contained(Unneeded, I))
        continue;
      if (const auto *S = dyn_cast<StoreInst>(I);
          S && Late && canBeLate(*S, *W)) {
        Late->Stores.insert(S);
        continue;
      }
      // What another loop makes of it would have to wait, too.
      if (const Loop *Around = Subject.Shape.loops().getLoopFor(I->getParent());
          Late && Around && Around != Nest && !Of->contains(Around)) {
        if (!isUnread(*I))
          return false;
        continue;
      }
      // Division of integers by what was never computed must not happen.
      bool Pure = isa<PHINode>(I) ||
                  (How.isRepeatable(*I) &&
                   (isa<CallInst>(I) || isSafeToSpeculativelyExecute(I)));
      if (!Pure)
        return false;
      Work.push_back(I);
    }
  }
  return true;
}

/// Nobody but this function ever has the address of what Made makes. Its bits
/// may go into the size that a deallocation is told, and into comparisons.
bool LoopDeferral::staysHere(const Instruction &Made) const {
  SmallPtrSet<const Instruction *, 16> Seen{&Made};
  SmallVector<const Instruction *, 16> Work{&Made};
  while (!Work.empty()) {
    const Instruction *P = Work.pop_back_val();
    for (const Use &U : P->uses()) {
      const auto *I = cast<Instruction>(U.getUser());
      if (isa<LoadInst, ICmpInst>(I))
        continue;
      if (isa<StoreInst>(I)) {
        if (U.getOperandNo() != StoreInst::getPointerOperandIndex())
          return false;
      } else if (isa<GetElementPtrInst, PHINode, SelectInst, BitCastInst,
                     AddrSpaceCastInst, PtrToIntInst>(I) ||
                 (I->isBinaryOp() && P->getType()->isIntegerTy())) {
        if (Seen.insert(I).second)
          Work.push_back(I);
      } else if (const auto *C = dyn_cast<CallBase>(I)) {
        const OperationRecord *R = Subject.facts().catalogue().lookup(*C);
        if (!isa<AnyMemIntrinsic>(C) && Calls.action(*C) != CallAction::Drop &&
            !(R && R->Class == RuleClass::Deallocation))
          return false;
      } else {
        return false;
      }
    }
  }
  return true;
}

/// V is another number in each iteration of L: its index, widened, or times a
/// constant, or with something added that stays.
static bool isDistinct(const Value *V, const Loop &L, ScalarEvolution &SE) {
  if (const auto *Phi = dyn_cast<PHINode>(V)) {
    if (Phi->getParent() != L.getHeader() || !Phi->getType()->isIntegerTy())
      return false;
    if (Phi->getMetadata(DistinctMetadata))
      return true;
    const auto *Walk =
        dyn_cast<SCEVAddRecExpr>(SE.getSCEV(const_cast<PHINode *>(Phi)));
    return Walk && Walk->getLoop() == &L && Walk->isAffine() &&
           SE.isKnownNonZero(Walk->getStepRecurrence(SE)) &&
           (Walk->hasNoSelfWrap() || Walk->hasNoSignedWrap() ||
            Walk->hasNoUnsignedWrap());
  }
  const auto *I = dyn_cast<Instruction>(V);
  if (!I || !L.contains(I))
    return false;
  if (isa<SExtInst, ZExtInst>(I))
    return isDistinct(I->getOperand(0), L, SE);
  const auto *Op = dyn_cast<OverflowingBinaryOperator>(I);
  if (!Op)
    return false;
  for (unsigned Of : {0u, 1u}) {
    const Value *Other = I->getOperand(1 - Of);
    const auto *C = dyn_cast<ConstantInt>(Other);
    const bool Keeps =
        I->getOpcode() == Instruction::Add
            ? L.isLoopInvariant(Other)
            : C && !C->isZero() &&
                  (Op->hasNoSignedWrap() || Op->hasNoUnsignedWrap()) &&
                  (I->getOpcode() == Instruction::Mul ||
                   (I->getOpcode() == Instruction::Shl && Of == 0));
    if (Keeps && isDistinct(I->getOperand(Of), L, SE))
      return true;
  }
  return false;
}

/// S writes a result of the caller's that can wait for the reverse sweep: once
/// in each iteration of the outermost loop L, each time to another place, and
/// nothing else looks there from then on. On a GPU, where this saves a second
/// run of the loop.
bool LoopDeferral::isResult(const StoreInst &S, const Loop &L) const {
  if (!Subject.Machine.manyThreads() || L.getParentLoop() ||
      Subject.Shape.loops().getLoopFor(S.getParent()) != &L)
    return false;
  const Value *P = S.getPointerOperand();
  const Type *Element = nullptr;
  unsigned Steps = 0;
  while (!L.isLoopInvariant(P)) {
    const auto *G = dyn_cast<GEPOperator>(P);
    if (!G || G->getNumIndices() != 1)
      return false;
    const Value *Index = *G->idx_begin();
    if (!L.isLoopInvariant(Index)) {
      if (Steps++ || !isDistinct(Index, L, SE))
        return false;
      Element = G->getSourceElementType();
    }
    P = G->getPointerOperand();
  }
  const DataLayout &DL = S.getDataLayout();
  return Steps == 1 &&
         TypeSize::isKnownLE(
             DL.getTypeStoreSize(S.getValueOperand()->getType()),
             DL.getTypeAllocSize(const_cast<Type *>(Element))) &&
         Subject.Overwrite.isLastAccess(
             S, [&](const Instruction &I) { return &I == &S; });
}

/// False if something is written that is not the function's own, and no result
/// that can wait. An object of its own is known by the place that makes it;
/// nobody else has its address.
bool LoopDeferral::collectStores(const Loop &L) {
  Stores.clear();
  Written.clear();
  for (const BasicBlock *B : L.blocks())
    for (const Instruction &I : *B)
      if (const auto *S = dyn_cast<StoreInst>(&I)) {
        if (!S->isSimple() ||
            S->getValueOperand()->getType()->isPtrOrPtrVectorTy())
          return false;
        SmallVector<const Value *, 4> Objects;
        getUnderlyingObjects(S->getPointerOperand(), Objects, nullptr,
                             /*MaxLookup=*/0);
        if (!all_of(Objects, [&](const Value *O) { return isOwn(*O, L); }) &&
            !isResult(*S, L))
          return false;
        Stores.push_back(S);
        Written.insert(Objects.begin(), Objects.end());
      }
  return true;
}

bool LoopDeferral::isOwn(const Value &Object, const Loop &L) const {
  if (isa<ConstantPointerNull, UndefValue>(Object))
    return true;
  const auto *I = dyn_cast<Instruction>(&Object);
  if (const auto *A = dyn_cast_or_null<AllocaInst>(I);
      A ? !A->isStaticAlloca() : !isNoAliasCall(&Object))
    return false;
  return I && !L.contains(I) && staysHere(*I);
}

/// P may lead to an object that the loop writes.
bool LoopDeferral::touches(const Value *P) const {
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(P, Objects, nullptr, /*MaxLookup=*/0);
  return any_of(Objects, [&](const Value *O) {
    return !isa<ConstantPointerNull, UndefValue>(O) && Written.contains(O);
  });
}

/// What runs behind the loop does not read what it writes, and the memory is
/// still there in the reverse sweep.
bool LoopDeferral::isOnlyReadIn(const Loop &L) const {
  if (Written.empty())
    return true;
  SmallPtrSet<const BasicBlock *, 16> Behind;
  SmallVector<const BasicBlock *, 16> Work{L.getExitBlock()};
  while (!Work.empty()) {
    const BasicBlock *B = Work.pop_back_val();
    if (Behind.insert(B).second)
      append_range(Work, successors(B));
  }
  for (const BasicBlock *B : Behind)
    for (const Instruction &I : *B) {
      if (const auto *C = dyn_cast<CallBase>(&I)) {
        CallAction A = Calls.action(*C);
        if (A == CallAction::Free || A == CallAction::Drop)
          continue;
        if (any_of(C->args(), [&](const Value *V) {
              return V->getType()->isPointerTy() && touches(V);
            }))
          return false;
      } else if (I.mayReadFromMemory()) {
        const Value *P = getLoadStorePointerOperand(&I);
        if (!P || touches(P))
          return false;
      }
    }
  return true;
}

bool LoopDeferral::isHarmless(const Instruction &I, const Loop &L) const {
  // What lies in memory by turns is looked after in the primal's order.
  if (const Value *P = getLoadStorePointerOperand(&I);
      P && Subject.facts().watchesFormats(P))
    return false;
  if (isa<PHINode, StoreInst, BranchInst, SwitchInst, FreezeInst>(I))
    return true;
  // What an earlier iteration wrote stays as it is, but is not there yet when
  // the later one runs first.
  if (const auto *Load = dyn_cast<LoadInst>(&I))
    return Load->isSimple() &&
           ((How.canRepeat(*Load) && !touches(Load->getPointerOperand())) ||
            isCovered(*Load, L) || isUnread(*Load));
  if (const auto *C = dyn_cast<CallInst>(&I))
    if (Calls.action(*C) == CallAction::Drop)
      return true;
  return How.isRepeatable(I);
}

//===----------------------------------------------------------------------===//
// Reading what the same iteration has written
//===----------------------------------------------------------------------===//

bool LoopDeferral::isCovered(const LoadInst &Load, const Loop &L) const {
  return isFilled(Load, L) || any_of(Stores, [&](const StoreInst *S) {
           return covers(*S, Load, L);
         });
}

/// Load reads somewhere in a local variable all bytes of which the same
/// iteration of L has written before, at fixed places.
bool LoopDeferral::isFilled(const LoadInst &Load, const Loop &L) const {
  constexpr uint64_t MostBytes = 4096;
  const DataLayout &DL = Load.getDataLayout();
  SmallVector<const Value *, 2> Objects;
  getUnderlyingObjects(Load.getPointerOperand(), Objects, nullptr,
                       /*MaxLookup=*/0);
  const auto *A =
      Objects.size() == 1 ? dyn_cast<AllocaInst>(Objects.front()) : nullptr;
  std::optional<TypeSize> Size =
      A && A->isStaticAlloca() ? A->getAllocationSize(DL) : std::nullopt;
  if (!Size || Size->isScalable() || *Size > MostBytes)
    return false;
  BitVector Written(Size->getFixedValue());
  for (const StoreInst *S : Stores) {
    APInt At(DL.getIndexTypeSizeInBits(S->getPointerOperandType()), 0);
    TypeSize Bytes = DL.getTypeStoreSize(S->getValueOperand()->getType());
    if (S->getPointerOperand()->stripAndAccumulateConstantOffsets(
            DL, At, /*AllowNonInbounds=*/true) == A &&
        !Bytes.isScalable() && At.isNonNegative() && At.ule(Written.size()) &&
        Bytes <= Written.size() - At.getZExtValue() &&
        Subject.DT.dominates(S, &Load))
      Written.set(At.getZExtValue(), At.getZExtValue() + Bytes.getFixedValue());
  }
  return Written.all();
}

/// By the conditions of all blocks that dominate At; scalar evolution itself
/// stops at joins.
bool LoopDeferral::isKnown(CmpInst::Predicate P, const SCEV *A, const SCEV *B,
                           const Instruction &At) const {
  unsigned Steps = 0;
  for (const auto *N = Subject.DT.getNode(At.getParent()); N && ++Steps < 32;
       N = N->getIDom())
    if (SE.isKnownPredicateAt(P, A, B, N->getBlock()->getTerminator()))
      return true;
  return false;
}

/// A <= B where At runs, as numbers that did not wrap around: both are
/// distances within one object.
bool LoopDeferral::isAtMost(const SCEV *A, const SCEV *B, const Instruction &At,
                            unsigned Depth) const {
  if (A == B)
    return true;
  if (A->getType() != B->getType() || !Depth--)
    return false;
  if (isKnown(CmpInst::ICMP_SLE, A, B, At))
    return true;
  auto NotNegative = [&](const SCEV *S) {
    return isKnown(CmpInst::ICMP_SGE, S, SE.getZero(S->getType()), At);
  };
  // c + a <= d + b if c <= d and a <= b.
  auto Split = [&](const SCEV *S) -> std::pair<APInt, const SCEV *> {
    if (const auto *Sum = dyn_cast<SCEVAddExpr>(S))
      if (const auto *C = dyn_cast<SCEVConstant>(Sum->getOperand(0))) {
        SmallVector<const SCEV *, 4> Rest(drop_begin(Sum->operands()));
        return {C->getAPInt(), SE.getAddExpr(Rest)};
      }
    return {APInt(SE.getTypeSizeInBits(S->getType()), 0), S};
  };
  auto [CA, RA] = Split(A);
  auto [CB, RB] = Split(B);
  if ((!CA.isZero() || !CB.isZero()) && CA.sle(CB) &&
      isAtMost(RA, RB, At, Depth))
    return true;
  // c a <= c b if a <= b.
  const auto *MA = dyn_cast<SCEVMulExpr>(A), *MB = dyn_cast<SCEVMulExpr>(B);
  if (MA && MB && MA->getNumOperands() == 2 && MB->getNumOperands() == 2)
    if (const auto *C = dyn_cast<SCEVConstant>(MA->getOperand(0));
        C && C == MB->getOperand(0) && C->getAPInt().isStrictlyPositive() &&
        isAtMost(MA->getOperand(1), MB->getOperand(1), At, Depth))
      return true;
  // Of what is not negative, the wider form has the same order.
  const auto *ZA = dyn_cast<SCEVZeroExtendExpr>(A),
             *ZB = dyn_cast<SCEVZeroExtendExpr>(B);
  if (ZA && ZB && NotNegative(ZB->getOperand()) &&
      isAtMost(ZA->getOperand(), ZB->getOperand(), At, Depth) &&
      NotNegative(ZA->getOperand()))
    return true;
  if (ZA && ZB &&
      isKnown(CmpInst::ICMP_ULE, ZA->getOperand(), ZB->getOperand(), At))
    return true;
  if (const auto *Max = dyn_cast<SCEVSMaxExpr>(B))
    return any_of(Max->operands(),
                  [&](const SCEV *Op) { return isAtMost(A, Op, At, Depth); });
  if (const auto *Max = dyn_cast<SCEVUMaxExpr>(B))
    return NotNegative(B) && any_of(Max->operands(), [&](const SCEV *Op) {
             return isAtMost(A, Op, At, Depth);
           });
  return false;
}

/// The backedges that a loop takes, at most, as a number of Walk's type; null
/// if unknown.
static const SCEV *countFor(const SCEVAddRecExpr &Walk, const LoopFacts &Facts,
                            ScalarEvolution &SE) {
  if (!Facts.BackedgeBound ||
      SE.getTypeSizeInBits(Facts.BackedgeBound->getType()) >
          SE.getTypeSizeInBits(Walk.getType()))
    return nullptr;
  return SE.getNoopOrZeroExtend(Facts.BackedgeBound, Walk.getType());
}

/// Every byte that Load reads in an iteration of L was written by Store before,
/// in the same iteration. Store runs in every turn of one loop that is over
/// when Load runs, or in none but the loops around both.
bool LoopDeferral::covers(const StoreInst &Store, const LoadInst &Load,
                          const Loop &L) const {
  const LoopInfo &LI = Subject.Shape.loops();
  const Loop *Common = LI.getLoopFor(Store.getParent());
  const Loop *Fills = nullptr; // the loop that Store fills memory in
  while (!Common->contains(&Load)) {
    if (Fills)
      return false;
    Fills = Common;
    Common = Common->getParentLoop();
  }
  // Passing the header of L, control comes to the store, or the whole of its
  // loop, before it comes to the load.
  if (Fills ? !Subject.DT.dominates(Fills->getHeader(), Load.getParent())
            : !Subject.DT.dominates(&Store, &Load))
    return false;

  const SCEV *To = SE.getSCEV(const_cast<Value *>(Store.getPointerOperand()));
  const SCEV *From = SE.getSCEV(const_cast<Value *>(Load.getPointerOperand()));
  const SCEV *Base = SE.getPointerBase(To);
  if (SE.getPointerBase(From) != Base || isa<SCEVCouldNotCompute>(Base))
    return false;
  const DataLayout &DL = Load.getDataLayout();
  TypeSize Size = DL.getTypeStoreSize(Store.getValueOperand()->getType());
  if (Size.isScalable() || Size != DL.getTypeStoreSize(Load.getType()))
    return false;
  // Where in the object, in bytes: first and last place.
  const SCEV *First = SE.getMinusSCEV(To, Base), *Last = First;
  if (Fills) {
    const auto *Walk = dyn_cast<SCEVAddRecExpr>(First);
    const LoopFacts &Facts = Subject.Shape.facts(Fills);
    const SCEV *Count = Walk ? countFor(*Walk, Facts, SE) : nullptr;
    if (!Count || Walk->getLoop() != Fills || !Walk->isAffine() ||
        !Facts.Exact ||
        !Subject.DT.dominates(Store.getParent(), Fills->getLoopLatch()) ||
        Fills->getExitingBlock() != Fills->getLoopLatch())
      return false;
    const auto *Step = dyn_cast<SCEVConstant>(Walk->getStepRecurrence(SE));
    if (!Step || Step->getAPInt() != Size.getFixedValue())
      return false;
    First = Walk->getStart();
    Last = Walk->evaluateAtIteration(Count, SE);
  }
  const SCEV *Low = SE.getMinusSCEV(From, Base), *High = Low;
  for (const Loop *Of = LI.getLoopFor(Load.getParent()); Of != Common;
       Of = Of->getParentLoop()) {
    auto Walks = [&](const SCEV *S) {
      const auto *R = dyn_cast<SCEVAddRecExpr>(S);
      return R && R->getLoop() == Of ? R : nullptr;
    };
    const SCEVAddRecExpr *LowWalk = Walks(Low), *HighWalk = Walks(High);
    if (!LowWalk && !HighWalk)
      continue;
    const LoopFacts &Facts = Subject.Shape.facts(Of);
    for (const SCEVAddRecExpr *R : {LowWalk, HighWalk})
      if (R &&
          (!R->isAffine() || !SE.isKnownNonNegative(R->getStepRecurrence(SE)) ||
           !countFor(*R, Facts, SE)))
        return false;
    if (LowWalk)
      Low = LowWalk->getStart();
    if (HighWalk)
      High = HighWalk->evaluateAtIteration(countFor(*HighWalk, Facts, SE), SE);
  }
  return isAtMost(First, Low, Load) && isAtMost(High, Last, Load);
}
