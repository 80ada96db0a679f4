//===- LeavingThreads.cpp - threads that return before a barrier ----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   y[t] = s[t % 32];
//   if (t >= 32) return;      these threads begin their reverse sweep here,
//   __syncthreads();          while the others still have this
//   s[t] = ...;               and its adjoint in front of them
//
// A thread that has returned counts as arrived at every barrier that follows,
// so the primal's accesses are in order. In the reverse sweep that thread would
// have to wait for the others' adjoints first, and there is no barrier that it
// could wait at: how many the others will meet, it does not know. So such a
// branch is refused if a thread that leaves has touched active memory that
// others touch in an order that only barriers give. Threads that leave before
// they have touched anything (`if (i >= n) return;`) are the common case, and
// right.
//
// A branch lets threads leave if its condition may differ between the threads
// of a block, a barrier lies on some way to where both ways meet again, none on
// another, and none behind that: if there were, leaving at the branch would
// leave the others waiting, so the program relies on all threads taking the
// branch alike.
//
// Limits: a condition counts as the same for all threads if it is computed from
// nothing that tells threads apart, or compares two numbers whose difference is
// (`for (t = i; t < n + i; ++t)`), where neither may have wrapped around. LLVM
// forgets that signed sums do not wrap around when it changes their order, so
// no flag is asked of them; of unsigned ones none either, unless something is
// taken away (`i - 4` wraps around for the first threads). A sum that passes
// the end of its type for some threads of a block alone would let them meet
// other barriers than the rest, which CUDA forbids. What parameters are is
// asked at all calls that are seen, up to the kernel's; memory that threads
// share counts as holding the same for all of them.
//
//===----------------------------------------------------------------------===//

#include "Catalogue/Catalogue.h"
#include "Catalogue/ThreadIdentity.h"
#include "Plan/AccumulationPlan.h"
#include "Plan/Legality.h"
#include "Request/EntryPoints.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace retrograd;

namespace {
using BlockSet = SmallPtrSet<const BasicBlock *, 16>;

/// What can differ between the threads of a block.
class ThreadDependence {
public:
  explicit ThreadDependence(const ProgramFacts &Facts)
      : Facts(Facts), Cat(Facts.catalogue()) {}

  bool of(const Value *V) {
    SmallVector<const Value *, 16> Work{V};
    SmallPtrSet<const Value *, 32> Seen;
    while (!Work.empty()) {
      const Value *W = Work.pop_back_val();
      if (!Seen.insert(W).second)
        continue;
      if (const auto *A = dyn_cast<Argument>(W)) {
        for (const User *U : A->getParent()->users())
          if (const auto *C = dyn_cast<CallBase>(U);
              C && C->getCalledOperand() == A->getParent() &&
              A->getArgNo() < C->arg_size())
            Work.push_back(C->getArgOperand(A->getArgNo()));
        for (const OutsideEvidence::HandedIn &H : Facts.handedIn())
          if (H.Parameter == A && (!H.LoadedAt || !addStored(H.Passed, Work)))
            Work.push_back(H.Passed);
        continue;
      }
      const auto *I = dyn_cast<Instruction>(W);
      if (!I)
        continue;
      if (const auto *L = dyn_cast<LoadInst>(I);
          L && addStored(L->getPointerOperand(), Work))
        continue;
      if (isa<AllocaInst, AtomicRMWInst, AtomicCmpXchgInst>(I))
        return true;
      if (const auto *C = dyn_cast<CallBase>(I)) {
        const OperationRecord *R = Cat.lookup(*C);
        if (R && R->Handler == HandlerKind::Barrier)
          continue; // what it counts, all learn alike
        std::optional<ThreadIdentity> Who = ThreadIdentity::of(*C);
        if ((Who && !Who->isSameInBlock()) ||
            (R && R->Id == "thread_registers"))
          return true;
      }
      // What a phi is, those branches decide, too, that lead here.
      if (const auto *P = dyn_cast<PHINode>(I))
        for (const BasicBlock *In : P->blocks()) {
          addCondition(*In, Work);
          if (const BasicBlock *Before = In->getSinglePredecessor())
            addCondition(*Before, Work);
        }
      append_range(Work, I->operands());
    }
    return false;
  }

  static const Value *conditionOf(const BasicBlock &B) {
    if (const auto *Br = dyn_cast<BranchInst>(B.getTerminator()))
      return Br->isConditional() ? Br->getCondition() : nullptr;
    const auto *S = dyn_cast<SwitchInst>(B.getTerminator());
    return S ? S->getCondition() : nullptr;
  }

  /// Whether all threads that come to a branch on Condition equally often find
  /// the same there.
  bool decides(const Value *Condition, ScalarEvolution &SE) {
    if (!of(Condition))
      return false;
    using namespace PatternMatch;
    const Value *A, *B;
    if (match(Condition, m_Not(m_Value(A))))
      return decides(A, SE);
    if (match(Condition, m_CombineOr(m_LogicalOp(m_Value(A), m_Value(B)),
                                     m_BinOp(m_Value(A), m_Value(B)))) &&
        Condition->getType()->isIntegerTy(1))
      return decides(A, SE) || decides(B, SE);
    const auto *Cmp = dyn_cast<ICmpInst>(Condition);
    return !Cmp || !comparesAlike(*Cmp, SE);
  }

private:
  /// The difference of what is compared does not tell threads apart. That is
  /// the difference of the numbers, and not of what they are modulo a power of
  /// two, if none of the sums that do tell threads apart can have wrapped
  /// around.
  bool comparesAlike(const ICmpInst &Cmp, ScalarEvolution &SE) {
    Value *A = Cmp.getOperand(0), *B = Cmp.getOperand(1);
    if (!SE.isSCEVable(A->getType()) || A->getType()->isPointerTy())
      return false;
    auto IsExact = [&](bool Signed) {
      SmallPtrSet<const Value *, 16> Seen;
      return !mayWrap(A, Signed, Seen) && !mayWrap(B, Signed, Seen);
    };
    if (!Cmp.isEquality() && !IsExact(Cmp.isSigned()) &&
        !(Cmp.hasSameSign() && IsExact(!Cmp.isSigned())))
      return false;
    struct Leaves {
      ThreadDependence &Depends;
      bool Differ = false;
      bool follow(const SCEV *S) {
        if (const auto *Unknown = dyn_cast<SCEVUnknown>(S))
          Differ |= Depends.of(Unknown->getValue());
        Differ |= isa<SCEVCouldNotCompute>(S);
        return !Differ;
      }
      bool isDone() const { return Differ; }
    } Found{*this};
    visitAll(SE.getMinusSCEV(SE.getSCEV(A), SE.getSCEV(B)), Found);
    return !Found.Differ;
  }

  /// Whether arithmetic that tells threads apart can wrap around on the way to
  /// V in a program that keeps CUDA's rule on barriers (see the head of this
  /// file). What is no sum or product of others is a number by itself.
  bool mayWrap(const Value *V, bool Signed,
               SmallPtrSetImpl<const Value *> &Seen) {
    const auto *I = dyn_cast<Instruction>(V);
    if (!I || !Seen.insert(V).second || !of(V))
      return false;
    if (const auto *P = dyn_cast<PHINode>(I))
      return any_of(P->incoming_values(),
                    [&](const Use &U) { return mayWrap(U, Signed, Seen); });
    auto AnyOperand = [&] {
      return mayWrap(I->getOperand(0), Signed, Seen) ||
             mayWrap(I->getOperand(1), Signed, Seen);
    };
    if (const auto *Or = dyn_cast<PossiblyDisjointInst>(I);
        Or && Or->isDisjoint())
      return AnyOperand();
    const auto *Op = dyn_cast<OverflowingBinaryOperator>(I);
    if (!Op) {
      // Parts of a number are sums of it, too: halves.
      return I->isBinaryOp() || isa<TruncInst>(I);
    }
    auto IsNegative = [](const Value *Operand) {
      const auto *C = dyn_cast<ConstantInt>(Operand);
      return C && C->isNegative();
    };
    bool TakesAway =
        I->getOpcode() == Instruction::Sub || any_of(I->operands(), IsNegative);
    return (!Signed && TakesAway && !Op->hasNoUnsignedWrap()) || AnyOperand();
  }

  /// P is a variable that is written once, as parameters are that nobody has
  /// put into registers yet: what it holds.
  static bool addStored(const Value *P, SmallVectorImpl<const Value *> &Work) {
    const auto *Variable = dyn_cast<AllocaInst>(P->stripPointerCasts());
    const Value *Stored = nullptr;
    if (!Variable)
      return false;
    for (const User *U : Variable->users()) {
      const auto *S = dyn_cast<StoreInst>(U);
      if (S && S->getPointerOperand() == Variable && !Stored)
        Stored = S->getValueOperand();
      else if (S || !(isa<LoadInst>(U) ||
                      cast<Instruction>(U)->isLifetimeStartOrEnd() ||
                      isEntryArgument(*U)))
        return false;
    }
    if (Stored)
      Work.push_back(Stored);
    return Stored;
  }

  /// A derivative reads what references to numbers lead to.
  static bool isEntryArgument(const User &U) {
    const auto *C = dyn_cast<CallBase>(&U);
    return C && C->getCalledFunction() && isEntryPoint(*C->getCalledFunction());
  }

  static void addCondition(const BasicBlock &B,
                           SmallVectorImpl<const Value *> &Work) {
    if (const Value *C = conditionOf(B))
      Work.push_back(C);
  }

  const ProgramFacts &Facts;
  const Catalogue &Cat;
};
} // namespace

/// Blocks that control can reach from Starts, without leaving or passing Ends.
static BlockSet reachable(ArrayRef<const BasicBlock *> Starts,
                          function_ref<bool(const BasicBlock &)> Ends) {
  BlockSet Found;
  SmallVector<const BasicBlock *, 16> Work(Starts.begin(), Starts.end());
  while (!Work.empty()) {
    const BasicBlock *B = Work.pop_back_val();
    if (Ends(*B) || !Found.insert(B).second)
      continue;
    append_range(Work, successors(B));
  }
  return Found;
}

static bool meets(const Instruction &I, const Catalogue &Cat,
                  SmallPtrSetImpl<const Function *> &Seen) {
  const auto *C = dyn_cast<CallBase>(&I);
  if (!C)
    return false;
  if (const OperationRecord *R = Cat.lookup(*C))
    return R->Handler == HandlerKind::Barrier &&
           !StringRef(C->getCalledFunction()->getName()).contains("warp");
  const Function *Callee = C->getCalledFunction();
  return Callee && !Callee->isDeclaration() && Seen.insert(Callee).second &&
         any_of(instructions(*Callee),
                [&](const Instruction &J) { return meets(J, Cat, Seen); });
}

void Legality::checkLeavingThreads() {
  if (!Subject.Machine.manyThreads() ||
      Subject.Request.Mode == DerivativeMode::Forward)
    return;
  const Catalogue &Cat = Subject.facts().catalogue();
  BlockSet Barriers;
  for (const Instruction &I : instructions(Subject.F)) {
    SmallPtrSet<const Function *, 8> Seen;
    if (Subject.Shape.isLive(I.getParent()) && meets(I, Cat, Seen))
      Barriers.insert(I.getParent());
  }
  if (Barriers.empty())
    return;
  auto IsBarrier = [&](const BasicBlock &B) { return Barriers.contains(&B); };
  auto Never = [](const BasicBlock &) { return false; };
  const PostDominatorTree PostDominators(Subject.F);

  // An access whose adjoint other threads can notice, and whether it writes.
  struct Access {
    const Instruction *I;
    TypeAnalysis::ObjectId Object;
    bool Writes;
  };
  auto AccessesOf = [&](const BasicBlock &B, SmallVectorImpl<Access> &Into) {
    for (const Instruction &I : B) {
      const Value *P = getLoadStorePointerOperand(&I);
      if (const auto *A = dyn_cast<AtomicRMWInst>(&I))
        P = A->getPointerOperand();
      if (P ? !hasReverse(I, Subject.Activity) || Accumulations.isThreadsOwn(P)
            : !isa<CallBase>(I) || !hasReverse(I, Subject.Activity) ||
                  !I.mayReadOrWriteMemory())
        continue;
      if (!P && Cat.lookup(I) && Cat.lookup(I)->Handler == HandlerKind::Barrier)
        continue;
      Into.push_back(
          {&I, P ? Subject.facts().types().objectOf(P) : TypeAnalysis::NoObject,
           I.mayWriteToMemory()});
    }
  };
  auto Conflicts = [](const Access &A, const Access &B) {
    return (A.Writes || B.Writes) &&
           (A.Object == B.Object || A.Object == TypeAnalysis::NoObject ||
            B.Object == TypeAnalysis::NoObject);
  };

  ThreadDependence Depends(Subject.facts());
  for (const BasicBlock &X : Subject.F) {
    const Value *Condition = ThreadDependence::conditionOf(X);
    if (!Subject.Shape.isLive(&X) || !Condition)
      continue;
    const auto *Node = PostDominators.getNode(&X);
    const BasicBlock *Join =
        Node && Node->getIDom() ? Node->getIDom()->getBlock() : nullptr;
    auto IsJoin = [&](const BasicBlock &B) { return &B == Join; };
    SmallVector<const BasicBlock *, 4> Ways(successors(&X));
    BlockSet Between = reachable(Ways, IsJoin);
    if (none_of(Between, [&](const BasicBlock *B) { return IsBarrier(*B); }) ||
        (Join && any_of(reachable({Join}, Never),
                        [&](const BasicBlock *B) { return IsBarrier(*B); })))
      continue;
    // The blocks of those who leave: they get to the join, or the end, and meet
    // no barrier.
    auto Leaves = [&](const BasicBlock *From) {
      BlockSet Free = reachable({From}, [&](const BasicBlock &B) {
        return IsBarrier(B) || IsJoin(B);
      });
      return any_of(Free, [&](const BasicBlock *B) {
        return succ_empty(B) || is_contained(successors(B), Join);
      });
    };
    BlockSet Left;
    for (const BasicBlock *B : reachable(Ways, [&](const BasicBlock &B) {
           return IsBarrier(B) || IsJoin(B);
         }))
      if (Leaves(B))
        Left.insert(B);
    bool Direct = is_contained(Ways, Join);
    if ((Left.empty() && !Direct) ||
        !Depends.decides(Condition, Subject.Shape.evolution()))
      continue;
    // What they did there and before, and what the others do behind a barrier.
    bool BarrierBefore = false;
    SmallVector<Access, 16> Theirs, Others;
    for (const BasicBlock &B : Subject.F) {
      bool Before =
          Subject.Shape.isLive(&B) && reachable({&B}, Never).contains(&X);
      BarrierBefore |= Before && IsBarrier(B);
      if (Before || Left.contains(&B))
        AccessesOf(B, Theirs);
    }
    SmallVector<const BasicBlock *, 8> Behind;
    for (const BasicBlock *B : Between)
      if (IsBarrier(*B))
        Behind.push_back(B);
    BlockSet Later = reachable(Behind, Never);
    for (const BasicBlock &B : Subject.F)
      if (Subject.Shape.isLive(&B) && (BarrierBefore || Later.contains(&B)))
        AccessesOf(B, Others);
    // Threads that are done with a loop sooner than others need not return.
    const Loop *Around = Subject.Shape.loops().getLoopFor(&X);
    bool LeavesLoop = Around && any_of(Ways, [&](const BasicBlock *B) {
                        return !Around->contains(B);
                      });
    for (const Access &A : Theirs)
      if (any_of(Others, [&](const Access &B) { return Conflicts(A, B); }))
        return refuse(
            RefusalKind::Device, *X.getTerminator(),
            LeavesLoop
                ? "some threads may leave this loop here while others go on to "
                  "a barrier in it: the adjoints of what they all did before "
                  "would come in the wrong order; give the loop a number of "
                  "rounds that is the same for all threads of the block, and "
                  "guard the work instead"
                : "some threads return here and others go on to a barrier: "
                  "the adjoints of what "
                  "they all did before would come in the wrong order; let "
                  "all threads reach the "
                  "barrier, and guard the work instead");
  }
}
