//===- LockStep.cpp - loops that threads repeat almost alike -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread of a GPU that runs over an array in strides of the grid shares cache lines
// with its neighbours, iteration by iteration. One thread after the other would touch
// every line of the array many times, far apart. So
//
//   if (i < n) do { body; i += stride; } while (i < n);
//
// becomes
//
//   if (all(i < n)) {
//     do { body; i += stride; } while (all(i < n));     // the block together
//     if (!(i < n)) goto end;
//   }
//   if (i < n) do { body; i += stride; } while (i < n); // the rest, each by itself
//
// where all() is CUDA's own reduction at a barrier. The first loop is one that all threads
// repeat alike, which SplitPoints then turns inside out. A barrier more changes no program
// whose threads do not race.
//
//===----------------------------------------------------------------------===//

#include "Offload/LockStep.h"
#include "Offload/SplitPoints.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"

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

/// Whether all threads that have not ended come to the start of Place, always together:
/// no branch that they take differently has Place ahead on one side and not on the other.
bool reachedByAll(Function &F, const BasicBlock *Place, IsUniformFn IsUniform) {
  // What can come first behind the start of a block: waits, Place, the end (null).
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
    const Value *Condition = Br && Br->isConditional() ? Br->getCondition() : Switch ? Switch->getCondition() : nullptr;
    if (!Condition || IsUniform(Condition))
      continue;
    Set Some;
    for (const BasicBlock *Succ : successors(&BB)) {
      Set S = Of(Succ);
      S.erase(nullptr); // who has ended does not wait
      if (S.empty())
        continue;
      bool Same = S.size() == Some.size() && all_of(S, [&](const void *P) { return Some.count(P); });
      if (!Some.empty() && !Same)
        return false;
      Some = S;
    }
  }
  return true;
}

/// i < n with i stepping by what all threads agree on, and n agreed on, too.
bool stepsAlike(const Loop &L, const Value *Condition, IsUniformFn IsUniform) {
  auto *Compare = dyn_cast<ICmpInst>(Condition);
  if (!Compare)
    return false;
  for (unsigned Side = 0; Side != 2; ++Side) {
    const Value *Index = Compare->getOperand(Side), *Bound = Compare->getOperand(1 - Side);
    while (auto *Cast = dyn_cast<CastInst>(Index))
      Index = Cast->getOperand(0);
    const PHINode *Phi = dyn_cast<PHINode>(Index);
    auto *Next = dyn_cast<BinaryOperator>(Index);
    if (!Phi && Next && Next->getOpcode() == Instruction::Add)
      Phi = dyn_cast<PHINode>(Next->getOperand(0)) ? dyn_cast<PHINode>(Next->getOperand(0))
                                                   : dyn_cast<PHINode>(Next->getOperand(1));
    if (!Phi || Phi->getParent() != L.getHeader() || !IsUniform(Bound))
      continue;
    auto *Step = dyn_cast<BinaryOperator>(Phi->getIncomingValueForBlock(L.getLoopLatch()));
    if (!Step || Step->getOpcode() != Instruction::Add)
      continue;
    const Value *By = Step->getOperand(0) == Phi ? Step->getOperand(1) : Step->getOperand(0);
    if ((Step->getOperand(0) == Phi || Step->getOperand(1) == Phi) && IsUniform(By))
      return true;
  }
  return false;
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
          Call && !(Call->getCalledFunction() && Call->getCalledFunction()->isIntrinsic() && !Call->isConvergent()))
        return false;
      if (const Value *At = getLoadStorePointerOperand(&I))
        Varies |= !IsUniform(At);
    }
  return Varies && Carried <= 6;
}

Value *allThreads(IRBuilder<> &B, Value *Condition) {
  return B.CreateIntrinsic(Intrinsic::nvvm_barrier_cta_red_and_aligned_all, {}, {B.getInt32(0), Condition});
}

bool transform(Function &F, Loop &L, LoopInfo &LI, DominatorTree &DT, IsUniformFn IsUniform) {
  BasicBlock *Exiting = L.getExitingBlock(), *Latch = L.getLoopLatch(), *Preheader = L.getLoopPreheader();
  BasicBlock *Exit = L.getExitBlock();
  if (!L.isInnermost() || !Exiting || Exiting != Latch || !Preheader || !Exit || L.getParentLoop())
    return false;
  auto *Repeat = dyn_cast<BranchInst>(Latch->getTerminator());
  if (!Repeat || !Repeat->isConditional() || IsUniform(Repeat->getCondition()) ||
      !stepsAlike(L, Repeat->getCondition(), IsUniform) || !isWorthwhile(L, IsUniform))
    return false;
  // The guard: who has nothing to do goes round the loop.
  BasicBlock *GuardBlock = Preheader->getSinglePredecessor();
  auto *Guard = GuardBlock ? dyn_cast<BranchInst>(GuardBlock->getTerminator()) : nullptr;
  if (!Guard || !Guard->isConditional() || IsUniform(Guard->getCondition()) ||
      Guard->getSuccessor(0) == Guard->getSuccessor(1))
    return false;
  // Nothing but the way into the loop may stand in the preheader: it is passed twice.
  for (Instruction &I : *Preheader)
    if (!I.isTerminator() && (I.mayHaveSideEffects() || I.mayReadFromMemory()))
      return false;
  if (!reachedByAll(F, GuardBlock, IsUniform))
    return false;

  // Together: a copy of preheader and loop.
  ValueToValueMapTy Map;
  SmallVector<BasicBlock *, 8> Blocks;
  Loop *Together = cloneLoopWithPreheader(Preheader, GuardBlock, &L, Map, ".together", &LI, &DT, Blocks);
  remapInstructionsInBlocks(Blocks, Map);
  auto *Together0 = cast<BasicBlock>(Map[Preheader]);
  auto *LatchCopy = cast<BasicBlock>(Map[Latch]);
  auto *RepeatCopy = cast<BranchInst>(LatchCopy->getTerminator());
  Value *Mine = RepeatCopy->getCondition();
  bool RepeatsOnTrue = Repeat->getSuccessor(0) == L.getHeader();
  (void)Together;

  // Behind it: the rest, or the end.
  BasicBlock *Behind = BasicBlock::Create(F.getContext(), "rest", &F, Preheader);
  IRBuilder<> B(RepeatCopy);
  Value *Left = RepeatsOnTrue ? Mine : B.CreateNot(Mine);
  Value *All = allThreads(B, Left);
  B.CreateCondBr(All, cast<BasicBlock>(Map[L.getHeader()]), Behind);
  RepeatCopy->eraseFromParent();
  B.SetInsertPoint(Behind);
  B.CreateCondBr(Left, L.getHeader(), Exit);
  auto Copied = [&](Value *V) {
    auto It = Map.find(V);
    return It == Map.end() ? V : static_cast<Value *>(It->second);
  };
  for (PHINode &Phi : L.getHeader()->phis())
    Phi.addIncoming(Copied(Phi.getIncomingValueForBlock(Latch)), Behind);
  for (PHINode &Phi : Exit->phis())
    Phi.addIncoming(Copied(Phi.getIncomingValueForBlock(Exiting)), Behind);

  // In front: together if all have something to do.
  bool EntersOnTrue = Guard->getSuccessor(0) == Preheader;
  B.SetInsertPoint(Guard);
  Value *Enters = EntersOnTrue ? Guard->getCondition() : B.CreateNot(Guard->getCondition());
  Value *AllEnter = allThreads(B, Enters);
  BasicBlock *Alone = SplitBlock(GuardBlock, Guard->getIterator());
  GuardBlock->getTerminator()->eraseFromParent();
  B.SetInsertPoint(GuardBlock);
  B.CreateCondBr(AllEnter, Together0, Alone);
  return true;
}

} // namespace

unsigned retrograd::runLoopsInLockStep(Function &Kernel, IsUniformFn IsUniform) {
  unsigned Count = 0;
  for (Instruction &I : instructions(Kernel))
    if (auto *Call = dyn_cast<CallInst>(&I)) {
      bool Is = false;
      // With operations of a warp, warps are what runs together.
      if (splitKindOf(*Call, Is) == SplitKind::WarpOperation && Is)
        return 0;
    }
  // Each loop once; the analyses are made anew after each.
  SmallPtrSet<const BasicBlock *, 8> Tried;
  for (bool Changed = true; Changed;) {
    Changed = false;
    DominatorTree DT(Kernel);
    LoopInfo LI(DT);
    for (Loop *L : LI.getLoopsInPreorder()) {
      if (!Tried.insert(L->getHeader()).second)
        continue;
      if (transform(Kernel, *L, LI, DT, IsUniform)) {
        ++Count;
        Changed = true;
        break;
      }
    }
  }
  return Count;
}
