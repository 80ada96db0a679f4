//===- CrossingValues.cpp - what threads keep while they wait -------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Offload/CrossingValues.h"
#include "Plan/MinCut.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

bool retrograd::isSpecialRegister(const Instruction &I) {
  auto *Call = dyn_cast<CallInst>(&I);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  if (Callee && Callee->getName() == "rg.thread.number")
    return true;
  return Callee && Callee->isIntrinsic() &&
         Callee->getName().starts_with("llvm.nvvm.read.ptx.sreg.") &&
         Callee->doesNotAccessMemory();
}

bool retrograd::canRecompute(const Instruction &I) {
  if (isSpecialRegister(I))
    return true;
  if (auto *Load = dyn_cast<LoadInst>(&I)) {
    // Constant memory is what it is for the whole launch.
    constexpr unsigned ConstantSpace = 4;
    return Load->isSimple() &&
           (Load->getPointerAddressSpace() == ConstantSpace ||
            Load->hasMetadata(LLVMContext::MD_invariant_load));
  }
  switch (I.getOpcode()) {
  case Instruction::UDiv:
  case Instruction::SDiv:
  case Instruction::URem:
  case Instruction::SRem:
  case Instruction::FDiv:
  case Instruction::FRem:
    return false;
  default:
    break;
  }
  if (isa<BinaryOperator, UnaryOperator, CastInst, CmpInst, GetElementPtrInst,
          SelectInst, ExtractValueInst, InsertValueInst, ExtractElementInst,
          InsertElementInst, ShuffleVectorInst>(I))
    return true;
  if (auto *Intrinsic = dyn_cast<IntrinsicInst>(&I))
    switch (Intrinsic->getIntrinsicID()) {
    case Intrinsic::smin:
    case Intrinsic::smax:
    case Intrinsic::umin:
    case Intrinsic::umax:
    case Intrinsic::abs:
    case Intrinsic::fabs:
    case Intrinsic::fma:
    case Intrinsic::fmuladd:
    case Intrinsic::minnum:
    case Intrinsic::maxnum:
    case Intrinsic::fshl:
    case Intrinsic::fshr:
    case Intrinsic::ctpop:
    case Intrinsic::ctlz:
    case Intrinsic::cttz:
      return true;
    default:
      return false;
    }
  return false;
}

CrossingValues::CrossingValues(Function &F, const SplitPoints &Points,
                               function_ref<bool(const Value *)> IsUniform,
                               bool Recompute) {
  Needed.resize(Points.size());
  findNeeded(F, Points);
  findMemory(F, Points);
  chooseSlots(IsUniform, Recompute);
}

void CrossingValues::findNeeded(Function &F, const SplitPoints &Points) {
  for (Instruction &V : instructions(F)) {
    if (isa<AllocaInst>(V))
      continue;
    // Where V is alive at the start of a block: walk back from each use.
    SmallVector<BasicBlock *, 8> Work;
    SmallPtrSet<BasicBlock *, 16> Seen;
    auto AliveAtStart = [&](BasicBlock *BB) {
      if (Seen.insert(BB).second)
        Work.push_back(BB);
    };
    for (Use &U : V.uses()) {
      auto *User = cast<Instruction>(U.getUser());
      BasicBlock *At = User->getParent();
      if (auto *Phi = dyn_cast<PHINode>(User)) {
        At = Phi->getIncomingBlock(U);
        if (At == V.getParent())
          continue;
      } else if (At == V.getParent())
        continue; // V comes first there
      AliveAtStart(At);
    }
    while (!Work.empty()) {
      BasicBlock *BB = Work.pop_back_val();
      if (int K = Points.at(BB); K >= 0)
        Needed[K].insert(&V);
      for (BasicBlock *Pred : predecessors(BB))
        if (Pred != V.getParent())
          AliveAtStart(Pred);
    }
  }
}

void CrossingValues::findMemory(Function &F, const SplitPoints &Points) {
  // To which regions a block belongs, and which regions come behind each.
  DenseMap<const BasicBlock *, SmallVector<unsigned, 2>> Regions;
  SmallVector<BitVector, 0> Next;
  for (unsigned K = 0; K != Points.size(); ++K) {
    for (const BasicBlock *BB : Points.region(K))
      Regions[BB].push_back(K);
    Next.push_back(Points.next(K));
  }
  // Regions that can be entered again after they were left.
  BitVector Repeats(Points.size());
  for (unsigned K = 0; K != Points.size(); ++K) {
    BitVector Reached(Points.size());
    for (SmallVector<unsigned, 16> Work{K}; !Work.empty();)
      for (unsigned J : Next[Work.pop_back_val()].set_bits())
        if (J < Points.size() && !Reached.test(J)) {
          Reached.set(J);
          Work.push_back(J);
        }
    if (Reached.test(K))
      Repeats.set(K);
  }
  for (Instruction &I : F.getEntryBlock()) {
    auto *A = dyn_cast<AllocaInst>(&I);
    if (!A)
      continue;
    // The regions in which its address, or anything made of it, is used.
    BitVector Users(Points.size());
    SmallVector<Value *, 8> Work{A};
    SmallPtrSet<Value *, 8> Seen{A};
    bool Persists = false;
    while (!Work.empty())
      for (User *U : Work.pop_back_val()->users()) {
        auto *Inst = cast<Instruction>(U);
        if (Inst->isLifetimeStartOrEnd())
          continue;
        if (auto In = Regions.find(Inst->getParent()); In != Regions.end())
          for (unsigned K : In->second)
            Users.set(K);
        if (auto *Store = dyn_cast<StoreInst>(Inst);
            Store && Seen.count(Store->getValueOperand()))
          Persists = true; // its address is in memory
        if (isa<GetElementPtrInst, CastInst, PHINode, SelectInst>(Inst) &&
            Seen.insert(Inst).second)
          Work.push_back(Inst);
      }
    for (unsigned K : Users.set_bits())
      Persists |= Repeats.test(K);
    if (Persists || Users.count() > 1)
      Memory.insert(A);
  }
}

bool CrossingValues::addressIsKept(const AllocaInst &A) const {
  if (PointerMayBeCaptured(&A, /*ReturnCaptures=*/false))
    return true;
  SmallVector<const Value *, 8> Work{&A};
  SmallPtrSet<const Value *, 8> Seen{&A};
  while (!Work.empty())
    for (const User *U : Work.pop_back_val()->users()) {
      const auto *I = cast<Instruction>(U);
      if (!I->getType()->isPtrOrPtrVectorTy() || isa<LoadInst>(I) ||
          !Seen.insert(I).second)
        continue;
      if (slotOf(I) >= 0)
        return true;
      Work.push_back(I);
    }
  return false;
}

void CrossingValues::chooseSlots(function_ref<bool(const Value *)> IsUniform,
                                 bool Recompute) {
  SetVector<Instruction *> Wanted;
  for (auto &Set : Needed)
    for (Instruction *V : Set)
      Wanted.insert(V);
  auto Keep = [&](Instruction *V) {
    SlotIndex[V] = Slots.size();
    Slots.push_back({V, IsUniform(V)});
  };
  if (!Recompute) {
    for (Instruction *V : Wanted)
      Keep(V);
    return;
  }
  MinCut Cut;
  MapVector<Instruction *, unsigned> Vertex;
  SmallVector<Instruction *, 16> Work;
  auto VertexOf = [&](Instruction *V) {
    auto [It, New] = Vertex.insert({V, 0});
    if (New) {
      const DataLayout &DL = V->getModule()->getDataLayout();
      uint64_t Bytes = V->getType()->isSized()
                           ? DL.getTypeStoreSize(V->getType()).getFixedValue()
                           : 8;
      // A uniform value is kept in a register of the block's own code.
      It->second = Cut.addVertex(IsUniform(V) ? 1 : 8 + Bytes);
      Work.push_back(V);
    }
    return It->second;
  };
  for (Instruction *V : Wanted)
    Cut.markSink(VertexOf(V));
  while (!Work.empty()) {
    Instruction *V = Work.pop_back_val();
    unsigned To = Vertex.lookup(V);
    if (!canRecompute(*V)) {
      Cut.markSource(To);
      continue;
    }
    for (Value *Op : V->operands())
      if (auto *I = dyn_cast<Instruction>(Op); I && !isa<AllocaInst>(I))
        Cut.addEdge(VertexOf(I), To);
  }
  BitVector Chosen = Cut.solve();
  for (auto &[V, Id] : Vertex)
    if (Chosen.test(Id))
      Keep(V);
}
