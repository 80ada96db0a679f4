//===- ActiveThreads.cpp - which threads have something to do -------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A guard compares a thread's index, or the sum of it and of what all threads
// agree on, with something else that all agree on. Sums are taken as signed
// numbers of 64 bits: that is what the region computes unless its own sum wraps
// around for some thread, which Bounds::Exact excludes.
//
//===----------------------------------------------------------------------===//

#include "Offload/ActiveThreads.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace retrograd;

/// Threads of a block along an axis; larger launches are refused.
static constexpr int64_t MostThreads = 1024;
/// Of a 64-bit number, so that sums of a few cannot wrap.
static constexpr int64_t Far = int64_t(1) << 60;

/// Whether a thread that goes to BB leaves the region without having done
/// anything, by Idle if there is one.
static bool leavesAtOnce(const BasicBlock *BB, const ConstantInt *Idle) {
  for (unsigned Steps = 0; Steps != 8; ++Steps) {
    for (const Instruction &I : *BB)
      if (!I.isTerminator() && (I.mayHaveSideEffects() || I.isVolatile()))
        return false;
    if (auto *Return = dyn_cast<ReturnInst>(BB->getTerminator()))
      return !Idle || Return->getReturnValue() == Idle;
    BB = BB->getSingleSuccessor();
    if (!BB)
      return false;
  }
  return false;
}

bool ActiveThreads::isUniform(const Value *V, unsigned Depth) const {
  if (isa<Constant>(V))
    return true;
  if (auto *A = dyn_cast<Argument>(V))
    return IsUniform(A);
  auto *I = dyn_cast<Instruction>(V);
  return I && Depth < 16 && !isa<PHINode>(I) && !I->mayReadOrWriteMemory() &&
         isSafeToSpeculativelyExecute(I) &&
         all_of(
             I->operands(),
             [&](const Use &U) { return isUniform(U, Depth + 1); });
}

/// V as a sum or difference; false if it is neither.
static bool matchSum(const Value *V, Value *&Left, Value *&Right, bool &Minus) {
  Minus = false;
  if (match(V, m_Add(m_Value(Left), m_Value(Right))) ||
      match(V, m_DisjointOr(m_Value(Left), m_Value(Right))))
    return true;
  Minus = true;
  return match(V, m_Sub(m_Value(Left), m_Value(Right)));
}

int ActiveThreads::axisOf(const Value *V) const {
  for (unsigned D = 0; D != 3; ++D)
    if (V == Tid[D])
      return D;
  if (isa<ZExtInst, SExtInst>(V))
    return axisOf(cast<CastInst>(V)->getOperand(0));
  Value *Left, *Right;
  bool Minus;
  if (!matchSum(V, Left, Right, Minus))
    return -1;
  if (isUniform(Right))
    return axisOf(Left);
  return !Minus && isUniform(Left) ? axisOf(Right) : -1;
}

void ActiveThreads::add(Value *Condition, bool Holds) {
  Value *Left, *Right;
  if (Holds ? match(Condition, m_LogicalAnd(m_Value(Left), m_Value(Right)))
            : match(Condition, m_LogicalOr(m_Value(Left), m_Value(Right)))) {
    add(Left, Holds);
    add(Right, Holds);
    return;
  }
  if (match(Condition, m_Not(m_Value(Left))))
    return add(Left, !Holds);
  auto *Compare = dyn_cast<ICmpInst>(Condition);
  if (!Compare || !Compare->getOperand(0)->getType()->isIntegerTy() ||
      Compare->getOperand(0)->getType()->getIntegerBitWidth() > 64)
    return;
  ICmpInst::Predicate P =
      Holds ? Compare->getPredicate() : Compare->getInversePredicate();
  // Both are at least 0: as LLVM writes it.
  bool All = P == ICmpInst::ICMP_SGT &&
                     match(Compare->getOperand(1), m_AllOnes()) &&
                     match(Compare->getOperand(0),
                           m_Or(m_Value(Left), m_Value(Right))) &&
                     axisOf(Compare->getOperand(0)) < 0
                 ? addGuard(P, Left, Compare->getOperand(1)) &
                       addGuard(P, Right, Compare->getOperand(1))
                 : addGuard(P, Compare->getOperand(0), Compare->getOperand(1));
  if (All)
    Decided.push_back({Compare, Holds});
}

bool ActiveThreads::addGuard(CmpInst::Predicate Holds, Value *Left,
                             Value *Right) {
  if (isUniform(Left) && isUniform(Right)) {
    Guards.push_back({Holds, Left, Right, NoAxis});
    return true;
  }
  for (unsigned Side = 0; Side != 2; ++Side, std::swap(Left, Right),
                Holds = ICmpInst::getSwappedPredicate(Holds)) {
    int Axis = isUniform(Right) ? axisOf(Left) : -1;
    if (Axis < 0)
      continue;
    if (Holds ==
        ICmpInst::ICMP_NE) { // one interval only if it is all but the first
      Value *Index = Left;
      match(Left, m_ZExtOrSExt(m_Value(Index)));
      auto *Sum = dyn_cast<OverflowingBinaryOperator>(Index);
      if (!match(Right, m_Zero()) ||
          !(isa<Argument>(Index) || (Sum && Sum->hasNoUnsignedWrap())))
        return false;
      Holds = ICmpInst::ICMP_UGT;
    }
    Guards.push_back({Holds, Left, Right, unsigned(Axis)});
    return true;
  }
  return false;
}

ActiveThreads::ActiveThreads(Function &Region, ArrayRef<Argument *> Tid,
                             std::function<bool(const Argument *)> IsUniform,
                             const ConstantInt *Idle)
    : Region(Region), Tid(Tid.begin(), Tid.end()),
      IsUniform(std::move(IsUniform)), Idle(Idle) {
  findGuards();
  findEdges();
}

void ActiveThreads::findGuards() {
  SmallPtrSet<const BasicBlock *, 8> Seen;
  const BasicBlock *BB = &Region.getEntryBlock();
  while (BB && Seen.insert(BB).second) {
    for (const Instruction &I : *BB)
      if (!I.isTerminator() && (I.mayHaveSideEffects() || I.isVolatile()))
        return;
    auto *Br = dyn_cast<BranchInst>(BB->getTerminator());
    if (!Br)
      return;
    if (Br->isUnconditional()) {
      BB = Br->getSuccessor(0);
      continue;
    }
    bool LeavesOnTrue = leavesAtOnce(Br->getSuccessor(0), Idle),
         LeavesOnFalse = leavesAtOnce(Br->getSuccessor(1), Idle);
    if (LeavesOnTrue == LeavesOnFalse)
      return;
    add(Br->getCondition(), /*Holds=*/LeavesOnFalse);
    BB = Br->getSuccessor(LeavesOnTrue);
  }
}

/// A number that says where a grid starts (0, 1, the width of a stencil) rather
/// than where it ends.
static bool isLowEdge(const Value *Bound) {
  auto *C = dyn_cast<ConstantInt>(Bound);
  return C && C->getValue().abs().ult(16);
}

void ActiveThreads::findEdges() {
  for (Instruction &I : instructions(Region)) {
    auto *Compare = dyn_cast<ICmpInst>(&I);
    if (!Compare || !Compare->getOperand(0)->getType()->isIntegerTy() ||
        Compare->getOperand(0)->getType()->getIntegerBitWidth() > 64 ||
        is_contained(make_first_range(Decided), Compare))
      continue;
    for (unsigned Side = 0; Side != 2; ++Side) {
      Value *Index = Compare->getOperand(Side),
            *Bound = Compare->getOperand(1 - Side);
      // The thread's index alone says where in the block it is, not where in
      // the grid.
      if (isa<Argument>(Index) || !isUniform(Bound) || axisOf(Index) != 0)
        continue;
      ICmpInst::Predicate P =
          Side ? Compare->getSwappedPredicate() : Compare->getPredicate();
      // Within: above the low edge, below the high one, unequal to either.
      bool Greater = ICmpInst::isGT(P) || ICmpInst::isGE(P);
      bool Holds = ICmpInst::isEquality(P) ? P == ICmpInst::ICMP_NE
                                           : Greater == isLowEdge(Bound);
      Edges.push_back(
          {Holds ? P : ICmpInst::getInversePredicate(P), Index, Bound, 0});
      DecidedWithin.push_back({Compare, Holds});
      break;
    }
  }
}

namespace {
/// Writes expressions of a region where all threads agree, and their
/// conditions.
struct Outside {
  IRBuilder<> &B;
  function_ref<Value *(const Argument *)> ValueOf;
  function_ref<bool(const Value *)> IsUniform;
  Value *Exact;
  DenseMap<const Value *, Value *> Known = DenseMap<const Value *, Value *>();

  Value *copy(Value *V) {
    if (isa<Constant>(V))
      return V;
    if (auto *A = dyn_cast<Argument>(V))
      return ValueOf(A);
    if (Value *Old = Known.lookup(V))
      return Old;
    Instruction *Copy = cast<Instruction>(V)->clone();
    for (Use &U : Copy->operands())
      U.set(copy(U));
    Copy->dropPoisonGeneratingFlags();
    Copy->setDebugLoc(DebugLoc());
    return Known[V] = B.Insert(Copy);
  }
  Value *wide(Value *V, bool Signed = true) {
    return Signed ? B.CreateSExt(V, B.getInt64Ty())
                  : B.CreateZExt(V, B.getInt64Ty());
  }
  void require(Value *Condition) { Exact = B.CreateAnd(Exact, Condition); }
  void requireRange(Value *V, int64_t Low, int64_t High) {
    require(B.CreateAnd(B.CreateICmpSGE(V, B.getInt64(Low)),
                        B.CreateICmpSLE(V, B.getInt64(High))));
  }

  /// What is added to the thread's index in Index, as a signed 64-bit number.
  Value *offset(Value *Index) {
    if (isa<Argument>(Index))
      return B.getInt64(0);
    if (auto *Cast = dyn_cast<CastInst>(Index)) {
      Value *Off = offset(Cast->getOperand(0));
      if (isa<ZExtInst>(Cast))
        require(B.CreateICmpSGE(
            Off, B.getInt64(0))); // as signed number what it is as unsigned one
      return Off;
    }
    Value *Left, *Right;
    bool Minus;
    matchSum(Index, Left, Right, Minus);
    if (!IsUniform(Right))
      std::swap(Left, Right);
    Value *Off = offset(Left), *Other = wide(copy(Right));
    unsigned Bits = Index->getType()->getIntegerBitWidth();
    requireRange(Other, Bits == 64 ? -Far : INT64_MIN,
                 Bits == 64 ? Far : INT64_MAX);
    Off = Minus ? B.CreateSub(Off, Other) : B.CreateAdd(Off, Other);
    int64_t Limit = Bits == 64 ? 2 * Far : int64_t(1) << (Bits - 1);
    requireRange(Off, -Limit, Limit - MostThreads);
    return Off;
  }
};
} // namespace

ActiveThreads::Bounds
ActiveThreads::bounds(IRBuilder<> &B,
                      function_ref<Value *(const Argument *)> ValueOf,
                      ArrayRef<Value *> First, ArrayRef<Value *> Last) const {
  Bounds Result;
  auto AgreeOn = [&](const Value *V) { return isUniform(V); };
  Outside Out{B, ValueOf, AgreeOn, B.getTrue()};
  auto Narrow = [&](unsigned Axis, Value *From, Value *To) {
    // From and To are of 64 bits; what is kept lies in [First, Last].
    if (!Result.From[Axis]) {
      Result.From[Axis] = B.CreateZExt(First[Axis], B.getInt64Ty());
      Result.To[Axis] = B.CreateZExt(Last[Axis], B.getInt64Ty());
    }
    if (From)
      Result.From[Axis] =
          B.CreateBinaryIntrinsic(Intrinsic::smax, Result.From[Axis], From);
    if (To)
      Result.To[Axis] =
          B.CreateBinaryIntrinsic(Intrinsic::smin, Result.To[Axis], To);
  };
  for (const Guard &G : Guards) {
    ICmpInst::Predicate P = G.Holds;
    if (G.Axis == NoAxis) {
      Value *Holds = B.CreateICmp(P, Out.copy(G.Index), Out.copy(G.Bound));
      Result.Any = Result.Any ? B.CreateAnd(Result.Any, Holds) : Holds;
      continue;
    }
    Value *Off = Out.offset(G.Index), *Bound = Out.wide(Out.copy(G.Bound));
    if (G.Bound->getType()->getIntegerBitWidth() == 64)
      Out.requireRange(Bound, -2 * Far, 2 * Far);
    if (ICmpInst::isUnsigned(P)) {
      // As signed numbers, if neither side of the comparison is too large for
      // one.
      Out.require(B.CreateICmpSGE(Bound, B.getInt64(0)));
      if (P == ICmpInst::ICMP_UGT || P == ICmpInst::ICMP_UGE)
        Out.require(B.CreateICmpSGE(Off, B.getInt64(0)));
      else
        Narrow(G.Axis, B.CreateNeg(Off), nullptr);
      P = ICmpInst::getSignedPredicate(P);
    }
    Value *Here = B.CreateSub(Bound, Off),
          *Next = B.CreateAdd(Here, B.getInt64(1));
    bool AtLeast = P == ICmpInst::ICMP_SGE || P == ICmpInst::ICMP_EQ,
         AtMost = P == ICmpInst::ICMP_SLE || P == ICmpInst::ICMP_EQ;
    Narrow(G.Axis,
           AtLeast                   ? Here
           : P == ICmpInst::ICMP_SGT ? Next
                                     : nullptr,
           AtMost                    ? Next
           : P == ICmpInst::ICMP_SLT ? Here
                                     : nullptr);
  }
  Result.Exact = Out.Exact;
  if (!Edges.empty()) {
    Value *From = Result.From[0] ? Result.From[0]
                                 : B.CreateZExt(First[0], B.getInt64Ty());
    Value *To =
        Result.To[0] ? Result.To[0] : B.CreateZExt(Last[0], B.getInt64Ty());
    for (const Guard &G : Edges) {
      Value *Off = Out.offset(G.Index), *Bound = Out.wide(Out.copy(G.Bound));
      Value *Lowest = B.CreateAdd(Off, From),
            *Highest = B.CreateAdd(Off, B.CreateSub(To, B.getInt64(1)));
      if (ICmpInst::isUnsigned(G.Holds)) {
        Out.require(B.CreateICmpSGE(Bound, B.getInt64(0)));
        Out.require(B.CreateICmpSGE(Lowest, B.getInt64(0)));
      }
      ICmpInst::Predicate P = ICmpInst::isUnsigned(G.Holds)
                                  ? ICmpInst::getSignedPredicate(G.Holds)
                                  : G.Holds;
      if (P == ICmpInst::ICMP_NE)
        Out.require(B.CreateOr(B.CreateICmpSGT(Lowest, Bound),
                               B.CreateICmpSLT(Highest, Bound)));
      else
        Out.require(B.CreateICmp(
            P, ICmpInst::isGT(P) || ICmpInst::isGE(P) ? Lowest : Highest,
            Bound));
    }
    Result.Inner = Out.Exact;
  }
  for (unsigned D = 0; D != 3; ++D)
    if (Result.From[D]) {
      // An empty interval may lie outside of the block.
      Result.To[D] =
          B.CreateBinaryIntrinsic(Intrinsic::smax, Result.To[D], B.getInt64(0));
      Result.From[D] = B.CreateBinaryIntrinsic(Intrinsic::smin, Result.From[D],
                                               Result.To[D]);
      Result.From[D] = B.CreateTrunc(Result.From[D], B.getInt32Ty());
      Result.To[D] = B.CreateTrunc(Result.To[D], B.getInt32Ty());
    }
  return Result;
}

Function *ActiveThreads::specialised(bool Within) const {
  ValueToValueMapTy Map;
  Function *Copy = CloneFunction(&Region, Map);
  Copy->setName(Region.getName() + (Within ? ".within" : ".active"));
  // Cloning makes new ones of distinct metadata, and loops speak of these.
  for (Instruction &I : instructions(Region))
    if (MDNode *Group = I.getMetadata(LLVMContext::MD_access_group))
      cast<Instruction>(Map[&I])->setMetadata(LLVMContext::MD_access_group,
                                              Group);
  for (const auto *Side : {&Decided, &DecidedWithin})
    if (Side == &Decided || Within)
      for (auto [Compare, Holds] : *Side)
        cast<Instruction>(Map[Compare])
            ->replaceAllUsesWith(
                ConstantInt::getBool(Region.getContext(), Holds));
  // The sums do not wrap around for these threads, so that LLVM sees neighbours
  // in memory.
  for (const auto *Side : {&Guards, &Edges})
    if (Side == &Guards || Within)
      for (const Guard &G : *Side)
        for (auto *I = G.Axis == NoAxis ? nullptr
                                        : dyn_cast<Instruction>(G.Index);
             I; I = dyn_cast<Instruction>(I->getOperand(
                    isa<CastInst>(I) || isUniform(I->getOperand(1)) ? 0 : 1))) {
          auto *Here = cast<Instruction>(Map[I]);
          if (isa<OverflowingBinaryOperator>(Here))
            Here->setHasNoSignedWrap();
          else if (isa<ZExtInst>(Here))
            Here->setNonNeg();
        }
  return Copy;
}
