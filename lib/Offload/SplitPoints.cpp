//===- SplitPoints.cpp - where the threads of a block wait for each other -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Offload/SplitPoints.h"
#include "Offload/Steps.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace retrograd;

bool retrograd::isLeastOfBlock(const Value &V) {
  auto *Call = dyn_cast<CallInst>(&V);
  return Call && Call->getCalledFunction() &&
         Call->getCalledFunction()->getName() == LeastOfBlock;
}

SplitKind retrograd::splitKindOf(const CallInst &Call, bool &IsSplit) {
  IsSplit = isLeastOfBlock(Call);
  if (IsSplit)
    return SplitKind::BlockBarrier;
  const Function *Callee = Call.getCalledFunction();
  if (Callee && Callee->getName() == StepName) {
    IsSplit = true;
    return SplitKind::Step;
  }
  StringRef Name = Callee && Callee->isIntrinsic() ? Callee->getName() : "";
  if (!Name.consume_front("llvm.nvvm."))
    return SplitKind::Entry;
  static constexpr struct {
    StringRef Prefix;
    SplitKind Kind;
  } Families[] = {
      {"barrier.cta.sync.", SplitKind::BlockBarrier},
      {"barrier.cta.red.", SplitKind::BlockBarrier},
      {"shfl.", SplitKind::WarpOperation},
      {"vote.", SplitKind::WarpOperation},
      {"match.", SplitKind::WarpOperation},
      {"redux.sync.", SplitKind::WarpOperation},
      {"bar.warp.sync", SplitKind::WarpOperation},
      {"activemask", SplitKind::WarpOperation},
  };
  for (const auto &Family : Families)
    if (Name.starts_with(Family.Prefix)) {
      IsSplit = true;
      return Family.Kind;
    }
  return SplitKind::Entry;
}

SplitPoints::SplitPoints(Function &F,
                         function_ref<bool(const Value *)> IsUniform,
                         bool CutLoops, bool EachApart)
    : F(F) {
  cutAtOperations();
  if (EachApart) {
    Agree = Agreement::Divergent;
    sortByProgramOrder();
    return;
  }
  Agree = classify(IsUniform, nullptr);
  // Where each thread has a place of its own any cut is right, but worth its
  // price for loops that were made to be cut alone.
  bool Apart = Warps || Agree == Agreement::Divergent;
  findLoops(IsUniform, /*OnlyMarked=*/!CutLoops || Apart);
  while (cutAtUniformBranch(/*OnlyLoops=*/Agree == Agreement::Divergent,
                            IsUniform))
    ;
  if (Agree != Agreement::Divergent)
    Agree = std::max(Agree, agreementAtCuts(IsUniform));
  sortByProgramOrder();
  DominatorTree DT(F);
  LoopInfo Loops(DT);
  for (Loop *L : Loops.getLoopsInPreorder())
    if (BasicBlock *Exiting = L->getExitingBlock();
        Exiting && Exiting->getTerminator()->hasMetadata(TogetherMark))
      TogetherBlocks.insert(L->block_begin(), L->block_end());
}

bool SplitPoints::isReachedTogether(const Instruction &V) const {
  return TogetherBlocks.contains(V.getParent()) || isLeastOfBlock(V);
}

void SplitPoints::add(Split S) {
  Index[S.Resume] = Splits.size();
  Splits.push_back(S);
}

void SplitPoints::cutAtOperations() {
  add({&F.getEntryBlock(), SplitKind::Entry});
  SmallVector<CallInst *, 8> Ops;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallInst>(&I); Call && isSplitOperation(*Call))
      Ops.push_back(Call);
  for (CallInst *Op : Ops) {
    Split S;
    bool Is;
    S.Kind = splitKindOf(*Op, Is);
    Warps |= S.Kind == SplitKind::WarpOperation;
    S.Op = Op;
    if (Op->arg_size()) {
      SmallVector<Type *, 4> Types;
      SmallVector<Value *, 4> Operands(Op->args());
      for (Value *V : Operands)
        Types.push_back(V->getType());
      // A name of its own per cut: the types differ.
      FunctionCallee Deposit = F.getParent()->getOrInsertFunction(
          ("rg..deposit." + Op->getCalledFunction()->getName()).str(),
          FunctionType::get(Type::getVoidTy(F.getContext()), Types, false));
      S.Deposit = CallInst::Create(Deposit, Operands, "", Op->getIterator());
      S.Deposit->setDebugLoc(Op->getDebugLoc());
      // Immediate arguments stay; nothing reads the others here any more.
      for (unsigned I = 0; I != Op->arg_size(); ++I)
        if (!isa<Constant>(Op->getArgOperand(I)))
          Op->setArgOperand(I,
                            PoisonValue::get(Op->getArgOperand(I)->getType()));
    }
    S.Resume = SplitBlock(Op->getParent(), Op->getIterator());
    add(S);
  }
}

DenseMap<const BasicBlock *, BitVector>
SplitPoints::nextSets(const BasicBlock *Extra) const {
  DenseMap<const BasicBlock *, BitVector> Next;
  for (const BasicBlock &BB : F)
    Next[&BB] = BitVector(Splits.size() + 2);
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const BasicBlock *BB : post_order(&F)) {
      BitVector Set = Next[BB];
      if (isa<ReturnInst>(BB->getTerminator()))
        Set.set(exitBit());
      for (const BasicBlock *Succ : successors(BB))
        Set |= firstFrom(Succ, Extra, Next);
      if (Set != Next[BB]) {
        Next[BB] = Set;
        Changed = true;
      }
    }
  }
  return Next;
}

/// The cuts that can come first when control goes to Succ.
BitVector SplitPoints::firstFrom(
    const BasicBlock *Succ, const BasicBlock *Extra,
    const DenseMap<const BasicBlock *, BitVector> &Next) const {
  int K = Succ == Extra ? int(exitBit()) + 1 : at(Succ);
  if (K < 0)
    return Next.lookup(Succ);
  BitVector Set(size() + 2);
  Set.set(K);
  return Set;
}

static const Value *conditionOf(const Instruction *T) {
  if (auto *Br = dyn_cast<BranchInst>(T))
    return Br->isConditional() ? Br->getCondition() : nullptr;
  if (auto *Switch = dyn_cast<SwitchInst>(T))
    return Switch->getCondition();
  return nullptr;
}

Agreement SplitPoints::classify(IsUniformFn IsUniform,
                                const BasicBlock *Extra) const {
  Agreement Agree = Agreement::Uniform;
  auto Next = nextSets(Extra);
  for (const BasicBlock &BB : F) {
    const Value *Condition = conditionOf(BB.getTerminator());
    if (!Condition || IsUniform(Condition))
      continue;
    BitVector Any(size() + 2);
    bool Decides = false, DecidesMoreThanTheEnd = false;
    BitVector SomeCut(size() + 2);
    for (const BasicBlock *Succ : successors(&BB)) {
      BitVector Set = firstFrom(Succ, Extra, Next);
      if (Set.none()) // the way to a trap
        continue;
      if (Any.any() && Set != Any)
        Decides = true;
      Any = Set;
      BitVector Cuts = Set;
      Cuts.reset(exitBit());
      if (Cuts.none())
        continue;
      if (SomeCut.any() && Cuts != SomeCut)
        DecidesMoreThanTheEnd = true;
      SomeCut = Cuts;
    }
    // With several cuts ahead on one side, threads that take that side still
    // have to agree among themselves: the branches that follow are looked at,
    // too. But a thread that stays behind in a loop is not at the end: it may
    // come later to the same cut, which is fine for cuts and wrong for branches
    // taken for all.
    if (DecidesMoreThanTheEnd)
      Agree = Agreement::Divergent;
    else if (Decides && Agree == Agreement::Uniform)
      Agree = Agreement::ExitOnly;
  }
  return Agree;
}

/// That a cut in BB is the next one for all is not enough, if it is no
/// operation: `if (x < least[i]) for (...)` in a loop brings some threads to
/// the inner loop now, and others in a later iteration of the outer one, with
/// another counter. A branch that threads take differently and that decides
/// whether they come has one side from which they never do.
bool SplitPoints::isMetTogether(const BasicBlock &BB,
                                IsUniformFn IsUniform) const {
  SmallPtrSet<const BasicBlock *, 32> Leading;
  SmallVector<const BasicBlock *, 32> Work{&BB};
  while (!Work.empty())
    for (const BasicBlock *From : predecessors(Work.pop_back_val()))
      if (Leading.insert(From).second)
        Work.push_back(From);
  auto Leads = [&](const BasicBlock *To) {
    return To == &BB || Leading.contains(To);
  };
  // The branches that decide, and those that decide about these.
  PostDominatorTree Post(F);
  SmallSetVector<const BasicBlock *, 16> Decided;
  Decided.insert(&BB);
  for (unsigned At = 0; At != Decided.size(); ++At) {
    const BasicBlock *Now = Decided[At];
    for (const BasicBlock *Branch : Leading) {
      const Value *Condition = conditionOf(Branch->getTerminator());
      if (!Condition || Post.properlyDominates(Now, Branch) ||
          none_of(successors(Branch), [&](const BasicBlock *To) {
            return Post.dominates(Now, To);
          }))
        continue;
      if (!IsUniform(Condition) && count_if(successors(Branch), Leads) > 1)
        return false;
      Decided.insert(Branch);
    }
  }
  return true;
}

/// How far threads stay together once all cuts are made: a branch that they
/// take differently leaves no choice of the next cut, but the end. That both
/// its sides have the same choice is not enough: each may choose for itself.
Agreement SplitPoints::agreementAtCuts(IsUniformFn IsUniform) const {
  Agreement Agree = Agreement::Uniform;
  auto Next = nextSets(nullptr);
  for (const BasicBlock &BB : F) {
    const Value *Condition = conditionOf(BB.getTerminator());
    if (!Condition || IsUniform(Condition))
      continue;
    BitVector Cuts(size() + 2);
    for (const BasicBlock *Succ : successors(&BB))
      Cuts |= firstFrom(Succ, nullptr, Next);
    bool MayEnd = Cuts.test(exitBit());
    Cuts.reset(exitBit());
    if (Cuts.count() > 1)
      return Agreement::Divergent;
    if (MayEnd && Cuts.any())
      Agree = Agreement::ExitOnly;
  }
  return Agree;
}

/// Innermost loops that all threads repeat equally often, worth turning inside
/// out: with accesses that differ between threads, nothing that cannot be
/// vectorised, and not too much to carry from one iteration to the next. And
/// those that were marked.
void SplitPoints::findLoops(IsUniformFn IsUniform, bool OnlyMarked) {
  DominatorTree DT(F);
  LoopInfo Loops(DT);
  for (Loop *L : Loops.getLoopsInPreorder()) {
    BasicBlock *Exiting = L->getExitingBlock();
    const Value *Condition =
        Exiting ? conditionOf(Exiting->getTerminator()) : nullptr;
    if (!L->isInnermost() || !Condition || !IsUniform(Condition) ||
        !L->getLoopPreheader() || !L->getLoopLatch())
      continue;
    if (Exiting->getTerminator()->hasMetadata(TogetherMark)) {
      LoopEnds.insert(Exiting->getTerminator());
      continue;
    }
    bool Fit = !OnlyMarked, Varies = false;
    unsigned Carried = 0;
    for (PHINode &Phi : L->getHeader()->phis())
      Carried += !IsUniform(&Phi);
    for (BasicBlock *BB : L->blocks()) {
      Fit &= at(BB) < 0;
      for (Instruction &I : *BB) {
        if (auto *Call = dyn_cast<CallInst>(&I))
          Fit &= Call->getCalledFunction() &&
                 Call->getCalledFunction()->isIntrinsic() &&
                 !Call->isConvergent();
        Fit &= !I.isAtomic();
        if (const Value *At = getLoadStorePointerOperand(&I))
          Varies |= !IsUniform(At) ||
                    (isa<StoreInst>(I) &&
                     !IsUniform(cast<StoreInst>(I).getValueOperand()));
      }
    }
    if (!Fit || !Varies || Carried > 4 ||
        classify(IsUniform, Exiting) == Agreement::Divergent ||
        !isMetTogether(*Exiting, IsUniform))
      continue;
    LoopEnds.insert(Exiting->getTerminator());
  }
  // Several loops together may be more than each alone: those in divergent
  // branches have been turned down one by one, and the others are passed by all
  // threads that are left.
  if (!LoopEnds.empty() && Agree == Agreement::Uniform)
    for (const Instruction *End : LoopEnds)
      Agree = std::max(Agree, classify(IsUniform, End->getParent()));
}

bool SplitPoints::cutAtUniformBranch(bool OnlyLoops, IsUniformFn IsUniform) {
  auto Next = nextSets(nullptr);
  for (BasicBlock &BB : F) {
    Instruction *T = BB.getTerminator();
    const Value *Condition = conditionOf(T);
    if (!Condition || !IsUniform(Condition))
      continue;
    if (int K = at(&BB); K >= 0 && Splits[K].Kind == SplitKind::UniformBranch)
      continue;
    BitVector First;
    bool Decides = false;
    for (const BasicBlock *Succ : successors(&BB)) {
      BitVector Set = firstFrom(Succ, nullptr, Next);
      if (Set.none())
        continue;
      Decides |= First.size() && Set != First;
      First = Set;
    }
    if (!LoopEnds.contains(T) && (OnlyLoops || !Decides))
      continue;
    // All that are left have to come here: not under a branch that some take
    // and others do not.
    if (!OnlyLoops && !LoopEnds.contains(T) &&
        (classify(IsUniform, &BB) == Agreement::Divergent ||
         !isMetTogether(BB, IsUniform)))
      continue;
    BasicBlock *Branch = SplitBlock(&BB, T->getIterator());
    add({Branch, SplitKind::UniformBranch});
    SmallVector<BasicBlock *, 4> Targets(successors(Branch));
    SmallPtrSet<BasicBlock *, 4> Seen;
    for (BasicBlock *Target : Targets)
      if (Seen.insert(Target).second) {
        // Several cases of a switch may share a target: one edge block for them
        // all.
        BasicBlock *Edge = BasicBlock::Create(F.getContext(), "", &F, Target);
        BranchInst::Create(Target, Edge);
        Branch->getTerminator()->replaceSuccessorWith(Target, Edge);
        for (PHINode &Phi : Target->phis()) {
          bool First = true;
          for (unsigned I = 0; I < Phi.getNumIncomingValues();)
            if (Phi.getIncomingBlock(I) != Branch)
              ++I;
            else if (First) {
              Phi.setIncomingBlock(I++, Edge);
              First = false;
            } else
              Phi.removeIncomingValue(I, false);
        }
        add({Edge, SplitKind::Edge});
      }
    return true;
  }
  return false;
}

void SplitPoints::sortByProgramOrder() {
  DenseMap<const BasicBlock *, unsigned> Order;
  ReversePostOrderTraversal<Function *> RPO(&F);
  unsigned N = 0;
  for (BasicBlock *BB : RPO)
    Order[BB] = N++;
  erase_if(Splits, [&](const Split &S) { return !Order.count(S.Resume); });
  llvm::sort(Splits, [&](const Split &A, const Split &B) {
    return Order[A.Resume] < Order[B.Resume];
  });
  Index.clear();
  for (unsigned K = 0; K != Splits.size(); ++K)
    Index[Splits[K].Resume] = K;
}

SmallVector<BasicBlock *, 16> SplitPoints::region(unsigned K) const {
  SmallVector<BasicBlock *, 16> Blocks{Splits[K].Resume};
  SmallPtrSet<BasicBlock *, 16> Seen{Splits[K].Resume};
  for (unsigned I = 0; I != Blocks.size(); ++I)
    for (BasicBlock *Succ : successors(Blocks[I]))
      if (at(Succ) < 0 && Seen.insert(Succ).second)
        Blocks.push_back(Succ);
  return Blocks;
}

BitVector SplitPoints::next(unsigned K) const {
  BitVector Set(size() + 1);
  for (BasicBlock *BB : region(K)) {
    if (isa<ReturnInst>(BB->getTerminator()))
      Set.set(exitBit());
    for (BasicBlock *Succ : successors(BB))
      if (int J = at(Succ); J >= 0)
        Set.set(J);
  }
  return Set;
}
