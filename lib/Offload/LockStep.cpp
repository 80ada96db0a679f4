//===- LockStep.cpp - loops that threads repeat almost alike --------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread of a GPU that runs over an array in strides of the grid shares cache
// lines with its neighbours, iteration by iteration. One thread after the other
// would touch every line of the array many times, far apart. So
//
//   if (i < n) do { body; i += stride; } while (i < n);
//
// becomes
//
//   m = least(number of iterations of this thread, 0 if it has none);
//   if (m) {
//     k = 0;
//     do { body; } while (++k < m);                     // the block together,
//     i = start + k * stride if (!(i < n)) goto end;
//   }
//   if (i < n) do { body; i += stride; } while (i < n); // the rest, each by
//   itself
//
// where least() is a reduction over the block at a barrier of our own
// (rg.least, in runtime/device/warp.c). The first loop is one that all threads
// repeat alike, which SplitPoints then turns inside out, four iterations at a
// time: what a thread carries round lives in memory between them. There i is a
// sum of what a thread starts with and what all agree on, so that neighbours'
// accesses are seen to be neighbours. A barrier more changes no program whose
// threads do not race.
//
//===----------------------------------------------------------------------===//

#include "Offload/LockStep.h"
#include "Offload/SplitPoints.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

using namespace llvm;
using namespace retrograd;

namespace {

using IsUniformFn = function_ref<bool(const Value *)>;

/// The first operation at which threads wait in BB, or null.
const Instruction *firstWait(const BasicBlock &BB) {
  for (const Instruction &I : BB)
    if (auto *Call = dyn_cast<CallInst>(&I); Call && isSplitOperation(*Call))
      return &I;
  return nullptr;
}

/// Whether all threads that have not ended come to the start of Place, always
/// together: no branch that they take differently has Place ahead on one side
/// and not on the other.
bool reachedByAll(Function &F, const BasicBlock *Place, IsUniformFn IsUniform) {
  // What can come first behind the start of a block: waits, Place, the end
  // (null).
  using Set = SmallPtrSet<const void *, 8>;
  DenseMap<const BasicBlock *, Set> First;
  auto Of = [&](const BasicBlock *BB) {
    Set S;
    if (BB == Place)
      S.insert(Place);
    else if (const Instruction *Wait = firstWait(*BB))
      S.insert(Wait);
    else
      S = First[BB];
    return S;
  };
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const BasicBlock &BB : F) {
      Set S;
      if (isa<ReturnInst>(BB.getTerminator()))
        S.insert(nullptr);
      for (const BasicBlock *Succ : successors(&BB))
        for (const void *P : Of(Succ))
          S.insert(P);
      if (S.size() != First[&BB].size()) {
        First[&BB] = S;
        Changed = true;
      }
    }
  }
  for (const BasicBlock &BB : F) {
    auto *Br = dyn_cast<BranchInst>(BB.getTerminator());
    auto *Switch = dyn_cast<SwitchInst>(BB.getTerminator());
    const Value *Condition = Br && Br->isConditional() ? Br->getCondition()
                             : Switch                  ? Switch->getCondition()
                                                       : nullptr;
    if (!Condition || IsUniform(Condition))
      continue;
    Set Some;
    for (const BasicBlock *Succ : successors(&BB)) {
      Set S = Of(Succ);
      S.erase(nullptr); // who has ended does not wait
      if (S.empty())
        continue;
      bool Same = S.size() == Some.size() &&
                  all_of(S, [&](const void *P) { return Some.count(P); });
      if (!Some.empty() && !Same)
        return false;
      Some = S;
    }
  }
  return true;
}

/// A value of a loop that all threads change alike: Phi, increased by Step once
/// per iteration.
struct Stepping {
  PHINode *Phi = nullptr;
  Value *Step = nullptr;
};
Stepping steppingOf(const Loop &L, PHINode *Phi, IsUniformFn IsUniform) {
  auto *Next =
      dyn_cast<BinaryOperator>(Phi->getIncomingValueForBlock(L.getLoopLatch()));
  if (Phi->getParent() != L.getHeader() || !Next ||
      Next->getOpcode() != Instruction::Add)
    return {};
  for (unsigned Side = 0; Side != 2; ++Side)
    if (Value *Step = Next->getOperand(1 - Side);
        Next->getOperand(Side) == Phi && L.isLoopInvariant(Step) &&
        IsUniform(Step))
      return {Phi, Step};
  return {};
}

/// The test of a loop that goes on while Index < Bound, or Index <= Bound,
/// where Index is what Steps.Phi is before (or AfterStep: after) its step, and
/// Bound the same for all threads.
struct Test {
  Stepping Steps;
  bool AfterStep = false, Signed = false, OrEqual = false;
  Value *Bound = nullptr;
};
std::optional<Test> testOf(const Loop &L, IsUniformFn IsUniform) {
  auto *Repeat = cast<BranchInst>(L.getLoopLatch()->getTerminator());
  auto *Compare = dyn_cast<ICmpInst>(Repeat->getCondition());
  if (!Compare || !Compare->getOperand(0)->getType()->isIntegerTy())
    return std::nullopt;
  for (unsigned Side = 0; Side != 2; ++Side) {
    Value *Index = Compare->getOperand(Side),
          *Bound = Compare->getOperand(1 - Side);
    ICmpInst::Predicate P =
        Side ? Compare->getSwappedPredicate() : Compare->getPredicate();
    if (Repeat->getSuccessor(0) != L.getHeader())
      P = ICmpInst::getInversePredicate(P);
    if (!L.isLoopInvariant(Bound) || !IsUniform(Bound) ||
        (P != ICmpInst::ICMP_SLT && P != ICmpInst::ICMP_ULT &&
         P != ICmpInst::ICMP_SLE && P != ICmpInst::ICMP_ULE))
      continue;
    for (PHINode &Phi : L.getHeader()->phis()) {
      bool After = Index == Phi.getIncomingValueForBlock(L.getLoopLatch());
      if (!After && Index != &Phi)
        continue;
      if (Stepping Steps = steppingOf(L, &Phi, IsUniform); Steps.Phi)
        return Test{Steps, After, ICmpInst::isSigned(P),
                    P == ICmpInst::ICMP_SLE || P == ICmpInst::ICMP_ULE, Bound};
    }
  }
  return std::nullopt;
}

/// How often the loop's body certainly runs once it is entered, as an i32: the
/// index goes up to the bound without wrapping, since the bound is a number of
/// its type.
Value *iterations(IRBuilder<> &B, const Test &T, Value *Start) {
  Type *Ty = Start->getType();
  Value *One = ConstantInt::get(Ty, 1), *Step = T.Steps.Step;
  Value *Index = T.AfterStep ? B.CreateAdd(Start, Step) : Start;
  ICmpInst::Predicate Less =
      T.Signed ? (T.OrEqual ? ICmpInst::ICMP_SLE : ICmpInst::ICMP_SLT)
               : (T.OrEqual ? ICmpInst::ICMP_ULE : ICmpInst::ICMP_ULT);
  Value *Repeats = B.CreateAnd(B.CreateICmp(Less, Index, T.Bound),
                               T.Signed ? B.CreateICmpSGE(Step, One)
                                        : B.CreateICmpUGE(Step, One));
  Value *Distance = B.CreateSub(T.Bound, Index);
  if (!T.OrEqual)
    Distance = B.CreateSub(Distance, One);
  // The first test is of the first iteration's index: the body has run once by
  // then.
  Value *Times = B.CreateUDiv(
      Distance, B.CreateBinaryIntrinsic(Intrinsic::umax, Step, One));
  if (unsigned Bits = Ty->getIntegerBitWidth(); Bits >= 32)
    Times = B.CreateBinaryIntrinsic(Intrinsic::umin, Times,
                                    ConstantInt::get(Ty, 1u << 30));
  Times = B.CreateZExtOrTrunc(Times, B.getInt32Ty());
  return B.CreateSelect(Repeats, B.CreateAdd(Times, B.getInt32(2)),
                        B.getInt32(1));
}

/// A body that vectorises, and accesses that differ between threads.
bool isWorthwhile(const Loop &L, IsUniformFn IsUniform) {
  bool Varies = false;
  unsigned Carried = 0;
  for (const PHINode &Phi : L.getHeader()->phis())
    Carried += !IsUniform(&Phi);
  for (const BasicBlock *BB : L.blocks())
    for (const Instruction &I : *BB) {
      if (auto *Call = dyn_cast<CallInst>(&I);
          Call &&
          !(Call->getCalledFunction() &&
            Call->getCalledFunction()->isIntrinsic() && !Call->isConvergent()))
        return false;
      if (const Value *At = getLoadStorePointerOperand(&I))
        Varies |= !IsUniform(At);
    }
  return Varies && Carried <= 6;
}

/// Iterations of a loop by the block together that a thread runs before the
/// next one does.
constexpr unsigned Rounds = 4;

/// What threads carry round the loop at Head, which they run together, each
/// would write to memory and read again: several iterations at once do so once.
/// The order of a thread's own operations stays.
void unrollTogether(Function &F, BasicBlock *Head) {
  DominatorTree DT(F);
  LoopInfo LI(DT);
  Loop *L = LI.getLoopFor(Head);
  unsigned Size = 0;
  for (const BasicBlock *BB : L->blocks())
    for (const Instruction &I : *BB) {
      if (I.isAtomic())
        return;
      ++Size;
    }
  // The number of the iteration is one phi; without another nothing is carried.
  if (Size > 40 || range_size(Head->phis()) < 2)
    return;
  simplifyLoop(L, &DT, &LI, nullptr, nullptr, nullptr, /*PreserveLCSSA=*/false);
  formLCSSARecursively(*L, DT, &LI, nullptr);
  AssumptionCache AC(F);
  TargetLibraryInfoImpl Library(F.getParent()->getTargetTriple());
  TargetLibraryInfo TLI(Library);
  ScalarEvolution SE(F, TLI, AC, DT, LI);
  TargetTransformInfo TTI(F.getDataLayout());
  OptimizationRemarkEmitter ORE(&F);
  UnrollLoopOptions Options{};
  Options.Count = Rounds;
  Options.Force = Options.Runtime = Options.AllowExpensiveTripCount = true;
  Options.SCEVExpansionBudget = UINT_MAX;
  Loop *Remainder = nullptr;
  UnrollLoop(L, Options, &LI, &SE, &DT, &AC, &TTI, &ORE, /*PreserveLCSSA=*/true,
             &Remainder);
  for (Loop *Part : {L, Remainder})
    if (Part && Part->getLoopLatch())
      Part->getLoopLatch()->getTerminator()->setMetadata(
          TogetherMark, MDNode::get(F.getContext(), {}));
}

bool transform(Function &F, Loop &L, LoopInfo &LI, DominatorTree &DT,
               IsUniformFn IsUniform) {
  BasicBlock *Exiting = L.getExitingBlock(), *Latch = L.getLoopLatch(),
             *Preheader = L.getLoopPreheader();
  BasicBlock *Exit = L.getExitBlock();
  if (!L.isInnermost() || !Exiting || Exiting != Latch || !Preheader || !Exit ||
      L.getParentLoop())
    return false;
  auto *Repeat = dyn_cast<BranchInst>(Latch->getTerminator());
  if (!Repeat || !Repeat->isConditional() ||
      IsUniform(Repeat->getCondition()) || !isWorthwhile(L, IsUniform))
    return false;
  std::optional<Test> Test = testOf(L, IsUniform);
  if (!Test)
    return false;
  // The guard: who has nothing to do goes round the loop.
  BasicBlock *GuardBlock = Preheader->getSinglePredecessor();
  auto *Guard =
      GuardBlock ? dyn_cast<BranchInst>(GuardBlock->getTerminator()) : nullptr;
  if (!Guard || !Guard->isConditional() || IsUniform(Guard->getCondition()) ||
      Guard->getSuccessor(0) == Guard->getSuccessor(1))
    return false;
  // What stands in the preheader is needed in front of the guard, to know how
  // often all go round.
  for (Instruction &I : *Preheader)
    if (!I.isTerminator() && (isa<PHINode>(I) || I.mayReadOrWriteMemory() ||
                              !isSafeToSpeculativelyExecute(&I)))
      return false;
  if (!reachedByAll(F, GuardBlock, IsUniform))
    return false;

  formLCSSA(L, DT, &LI,
            nullptr); // what is used behind the loop comes through phis of Exit
  for (Instruction &I : make_early_inc_range(*Preheader))
    if (!I.isTerminator()) {
      I.moveBefore(Guard->getIterator());
      I.dropPoisonGeneratingFlags();
    }

  // Together: a copy of preheader and loop.
  ValueToValueMapTy Map;
  SmallVector<BasicBlock *, 8> Blocks;
  cloneLoopWithPreheader(Preheader, GuardBlock, &L, Map, ".together", &LI, &DT,
                         Blocks);
  remapInstructionsInBlocks(Blocks, Map);
  auto Copied = [&](Value *V) {
    auto It = Map.find(V);
    return It == Map.end() ? V : static_cast<Value *>(It->second);
  };
  auto *InFront = cast<BasicBlock>(Map[Preheader]),
       *Head = cast<BasicBlock>(Map[L.getHeader()]);
  auto *RepeatCopy =
      cast<BranchInst>(cast<BasicBlock>(Map[Latch])->getTerminator());

  // In front of it: as often as all have something to do, if at all.
  IRBuilder<> B(Guard);
  Value *Enters = Guard->getSuccessor(0) == Preheader
                      ? Guard->getCondition()
                      : B.CreateNot(Guard->getCondition());
  Value *Mine = B.CreateSelect(
      Enters,
      iterations(B, *Test,
                 Test->Steps.Phi->getIncomingValueForBlock(Preheader)),
      B.getInt32(0));
  Value *Common =
      B.CreateCall(F.getParent()->getOrInsertFunction(
                       LeastOfBlock, B.getInt32Ty(), B.getInt32Ty()),
                   Mine, "common");
  BasicBlock *Alone = SplitBlock(GuardBlock, Guard->getIterator());
  GuardBlock->getTerminator()->eraseFromParent();
  B.SetInsertPoint(GuardBlock);
  B.CreateCondBr(B.CreateICmpNE(Common, B.getInt32(0)), InFront, Alone);

  // Behind it: the rest, or the end.
  BasicBlock *Behind =
      BasicBlock::Create(F.getContext(), "rest", &F, Preheader);
  B.SetInsertPoint(RepeatCopy);
  Value *Left = RepeatCopy->getCondition();
  if (Repeat->getSuccessor(0) != L.getHeader())
    Left = B.CreateNot(Left);
  PHINode *Count = PHINode::Create(B.getInt32Ty(), 2, "count", Head->begin());
  Value *Next = B.CreateAdd(Count, B.getInt32(1), "", true, true);
  Count->addIncoming(B.getInt32(0), InFront);
  Count->addIncoming(Next, RepeatCopy->getParent());
  B.CreateCondBr(B.CreateICmpULT(Next, Common), Head, Behind)
      ->setMetadata(TogetherMark, MDNode::get(F.getContext(), {}));
  RepeatCopy->eraseFromParent();
  B.SetInsertPoint(Behind);
  B.CreateCondBr(Left, L.getHeader(), Exit);
  for (PHINode &Phi : L.getHeader()->phis())
    Phi.addIncoming(Copied(Phi.getIncomingValueForBlock(Latch)), Behind);
  for (PHINode &Phi : Exit->phis())
    Phi.addIncoming(Copied(Phi.getIncomingValueForBlock(Exiting)), Behind);

  // What steps is computed of the number of iterations that were.
  B.SetInsertPoint(Head, Head->getFirstNonPHIIt());
  for (PHINode &Phi : make_early_inc_range(L.getHeader()->phis()))
    if (Stepping Steps = steppingOf(L, &Phi, IsUniform); Steps.Phi) {
      auto *Copy = cast<PHINode>(Map[&Phi]);
      Value *Times = B.CreateZExtOrTrunc(Count, Phi.getType());
      Copy->replaceAllUsesWith(
          B.CreateAdd(Copy->getIncomingValueForBlock(InFront),
                      B.CreateMul(Times, Steps.Step)));
      Copy->eraseFromParent();
    }
  unrollTogether(F, Head);
  return true;
}

} // namespace

bool retrograd::runLoopInLockStep(Function &Kernel, IsUniformFn IsUniform,
                                  SmallPtrSetImpl<const BasicBlock *> &Tried) {
  DominatorTree DT(Kernel);
  LoopInfo LI(DT);
  for (Loop *L : LI.getLoopsInPreorder())
    if (Tried.insert(L->getHeader()).second &&
        transform(Kernel, *L, LI, DT, IsUniform))
      return true;
  return false;
}
