//===- MeetAtFences.cpp - blocks that wait for each other meet ------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Problem:
//
//   if (thread == 0) {
//     part[block] = sum;
//     __threadfence();
//     last = atomicInc(&count, blocks) == blocks - 1;
//   }
//   __syncthreads();
//   if (last) ... all of part ...
//
// The last block reads what all have written. Backwards, its adjoints have to
// come first, and the other blocks to wait for them. Whichever block was the
// last, in the primal none has waited.
//
// Method: The fence becomes a barrier of the grid, whose reverse is one. A
// barrier that each block comes to once changes nothing in the primal, except
// that all blocks have to be on the device together: the launch of such a
// derivative is cooperative (docs/HostDevice.md). Nothing else orders accesses
// of different blocks if there is one fence alone and nobody asks others in
// front of it: what a block writes for others, it writes in front of the fence,
// and what it reads of others, behind it.
//
// Of a minimum, a maximum or an exchange in global memory, what remains is
// known when all blocks are through: there is a barrier of the grid at the end
// (docs/Atomics.md).
//
// Not handled: derivatives that kernels ask for by themselves, since the launch
// is the program's; several fences, fences in loops, or where it is not seen
// that one thread of a block comes to it, or all.
//
//===----------------------------------------------------------------------===//

#include "Analysis/KeptNumber.h"
#include "Bitcode/RuntimeLibrary.h"
#include "Primal/PrimalSteps.h"
#include "Support/Kernels.h"
#include "Target/Target.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace retrograd;

namespace {

/// Axes of a block, by bit.
enum : unsigned { AxisX = 1, AxisY = 2, AxisZ = 4 };

class Meeting {
public:
  Meeting(Function &F, RuntimeLibrary &Runtime)
      : F(F), Runtime(Runtime), DT(F), PDT(F), LI(DT), B(F.getContext()) {}

  bool run() {
    const bool Ends = meetAtEnd(), Meets = meetAtFence();
    return Ends || Meets;
  }

private:
  Function &F;
  RuntimeLibrary &Runtime;
  DominatorTree DT;
  PostDominatorTree PDT;
  LoopInfo LI;
  IRBuilder<> B;

  static bool isFence(const Instruction &I) {
    const auto *II = dyn_cast<IntrinsicInst>(&I);
    return II && (II->getIntrinsicID() == Intrinsic::nvvm_membar_gl ||
                  II->getIntrinsicID() == Intrinsic::nvvm_membar_sys);
  }

  bool isOfBlock(const Value *P) const {
    const Target Machine(*F.getParent());
    return Machine.spaceOf(*P) == MemorySpace::Shared ||
           Machine.spaceOf(*P) == MemorySpace::Private ||
           isa<AllocaInst>(getUnderlyingObject(P, /*MaxLookup=*/0));
  }

  /// All threads of a block come to it, once.
  bool allComeTo(const BasicBlock &Block) const {
    return !LI.getLoopFor(&Block) && PDT.dominates(&Block, &F.getEntryBlock());
  }

  /// The axes along which a thread is the first one where V is zero; 0 if that
  /// is not seen.
  static unsigned axesOfZero(const Value *V) {
    Value *X = nullptr, *Y = nullptr;
    if (match(V, m_ZExtOrSExt(m_Value(X))))
      return axesOfZero(X);
    // Of sums that do not wrap around, all parts are zero.
    if (match(V, m_Add(m_Value(X), m_Value(Y))) ||
        match(V, m_Or(m_Value(X), m_Value(Y)))) {
      const unsigned A = axesOfZero(X), B = axesOfZero(Y);
      return A && B ? A | B : 0;
    }
    if (match(V, m_Mul(m_Value(X), m_Value(Y)))) {
      if (isCountOfThreads(X))
        std::swap(X, Y);
      return isCountOfThreads(Y) ? axesOfZero(X) : 0;
    }
    const auto *II = dyn_cast<IntrinsicInst>(V);
    switch (II ? II->getIntrinsicID() : Intrinsic::not_intrinsic) {
    case Intrinsic::nvvm_read_ptx_sreg_tid_x:
      return AxisX;
    case Intrinsic::nvvm_read_ptx_sreg_tid_y:
      return AxisY;
    case Intrinsic::nvvm_read_ptx_sreg_tid_z:
      return AxisZ;
    default:
      return 0;
    }
  }
  static bool isCountOfThreads(const Value *V) {
    Value *X = nullptr, *Y = nullptr;
    if (match(V, m_ZExtOrSExt(m_Value(X))))
      return isCountOfThreads(X);
    if (match(V, m_Mul(m_Value(X), m_Value(Y))))
      return isCountOfThreads(X) && isCountOfThreads(Y);
    const auto *II = dyn_cast<IntrinsicInst>(V);
    switch (II ? II->getIntrinsicID() : Intrinsic::not_intrinsic) {
    case Intrinsic::nvvm_read_ptx_sreg_ntid_x:
    case Intrinsic::nvvm_read_ptx_sreg_ntid_y:
    case Intrinsic::nvvm_read_ptx_sreg_ntid_z:
      return true;
    default:
      return false;
    }
  }

  /// The axes along which a thread is a certain one where Asks is true.
  static unsigned axesWhere(Value *Asks) {
    Value *X = nullptr, *Y = nullptr;
    if (match(Asks, m_LogicalAnd(m_Value(X), m_Value(Y))))
      return axesWhere(X) | axesWhere(Y);
    CmpPredicate P;
    if (!match(Asks, m_ICmp(P, m_Value(X), m_Value(Y))) ||
        P != ICmpInst::ICMP_EQ)
      return 0;
    if (match(Y, m_Zero()))
      return axesOfZero(X);
    // Another thread than the first one, along one axis.
    return isa<ConstantInt>(Y) && isa<IntrinsicInst>(X) ? axesOfZero(X) : 0;
  }
  static unsigned axesWhereNot(Value *Asks) {
    Value *X = nullptr, *Y = nullptr;
    if (match(Asks, m_LogicalOr(m_Value(X), m_Value(Y))))
      return axesWhereNot(X) | axesWhereNot(Y);
    CmpPredicate P;
    return match(Asks, m_ICmp(P, m_Value(X), m_Value(Y))) &&
                   P == ICmpInst::ICMP_NE && match(Y, m_Zero())
               ? axesOfZero(X)
               : 0;
  }

  /// Of the threads at Above, those that come to At: which axes tell them.
  unsigned axesToward(const BasicBlock &At, const BasicBlock &Above) const {
    const auto *Br = dyn_cast<BranchInst>(Above.getTerminator());
    if (!Br || !Br->isConditional())
      return 0;
    for (unsigned K : {0u, 1u}) {
      const BasicBlock *S = Br->getSuccessor(K);
      if (DT.dominates(BasicBlockEdge(&Above, S), &At) && PDT.dominates(&At, S))
        return K ? axesWhereNot(Br->getCondition())
                 : axesWhere(Br->getCondition());
    }
    return 0;
  }

  /// One thread of each block comes to Block, once, if blocks have one thread
  /// along the other axes: the axes that are asked for. 0 if that is not seen.
  unsigned oneComesTo(const BasicBlock &Block) const {
    unsigned Axes = 0;
    const BasicBlock *At = &Block;
    if (LI.getLoopFor(At))
      return 0;
    while (!allComeTo(*At)) {
      const DomTreeNode *Node = DT.getNode(At)->getIDom();
      const BasicBlock *Above = Node ? Node->getBlock() : nullptr;
      if (!Above)
        return 0;
      if (!PDT.dominates(At, Above)) {
        const unsigned Here =
            LI.getLoopFor(Above) ? 0 : axesToward(*At, *Above);
        if (!Here)
          return 0;
        Axes |= Here;
      }
      At = Above;
    }
    return Axes;
  }

  /// Nobody has asked what other blocks have done where Fence comes.
  bool asksNobodyBefore(const Instruction &Fence) const {
    return none_of(instructions(F), [&](const Instruction &I) {
      const Value *P = nullptr;
      if (const auto *L = dyn_cast<LoadInst>(&I))
        P = L->isVolatile() || L->isAtomic() ? L->getPointerOperand() : nullptr;
      else if (isa<AtomicRMWInst, AtomicCmpXchgInst>(I))
        P = I.use_empty() ? nullptr : I.getOperand(0);
      return P && !isOfBlock(P) &&
             isPotentiallyReachable(&I, &Fence, nullptr, &DT, &LI);
    });
  }

  Value *axis(Intrinsic::ID Which) {
    return B.CreateIntrinsic(Which, ArrayRef<Value *>());
  }

  void callBarrier() {
    StringRef Name = F.getFnAttribute(GridBarrierName).getValueAsString();
    Function *Barrier = Runtime.require(Name);
    B.CreateCall(Barrier ? FunctionCallee(Barrier)
                         : F.getParent()->getOrInsertFunction(
                               Name, FunctionType::get(B.getVoidTy(), false)));
  }

  /// In front of At, to which all threads of a block come.
  void meetWithAll(Instruction &At) {
    auto Wait = [&] {
      B.CreateIntrinsic(Intrinsic::nvvm_barrier_cta_sync_aligned_all,
                        ArrayRef<Value *>(B.getInt32(0)));
    };
    B.SetInsertPoint(&At);
    B.SetCurrentDebugLocation(At.getDebugLoc());
    Wait();
    Value *Row =
        B.CreateAdd(axis(Intrinsic::nvvm_read_ptx_sreg_tid_y),
                    B.CreateMul(axis(Intrinsic::nvvm_read_ptx_sreg_ntid_y),
                                axis(Intrinsic::nvvm_read_ptx_sreg_tid_z)));
    Value *Thread = B.CreateAdd(
        axis(Intrinsic::nvvm_read_ptx_sreg_tid_x),
        B.CreateMul(axis(Intrinsic::nvvm_read_ptx_sreg_ntid_x), Row));
    Instruction *One = SplitBlockAndInsertIfThen(
        B.CreateICmpEQ(Thread, B.getInt32(0)), &At, /*Unreachable=*/false);
    B.SetInsertPoint(One);
    callBarrier();
    B.SetInsertPoint(&At);
    Wait();
  }

  bool meetAtFence() {
    SmallVector<Instruction *, 2> Fences;
    for (Instruction &I : instructions(F))
      if (isFence(I))
        Fences.push_back(&I);
    if (Fences.size() != 1 || !asksNobodyBefore(*Fences.front()))
      return false;
    Instruction &Fence = *Fences.front();
    if (allComeTo(*Fence.getParent())) {
      meetWithAll(Fence);
    } else {
      const unsigned Axes = oneComesTo(*Fence.getParent());
      if (!Axes)
        return false;
      B.SetInsertPoint(&Fence);
      B.SetCurrentDebugLocation(Fence.getDebugLoc());
      Value *Others = B.getInt32(1);
      constexpr std::pair<unsigned, Intrinsic::ID> Counts[] = {
          {AxisX, Intrinsic::nvvm_read_ptx_sreg_ntid_x},
          {AxisY, Intrinsic::nvvm_read_ptx_sreg_ntid_y},
          {AxisZ, Intrinsic::nvvm_read_ptx_sreg_ntid_z}};
      for (auto [Axis, Count] : Counts)
        if (!(Axes & Axis))
          Others = B.CreateMul(Others, axis(Count));
      B.CreateCall(Runtime.require("rg_one_at_fence"),
                   {Others, Runtime.text("rg.name.", F.getName())});
      callBarrier();
    }
    Fence.eraseFromParent();
    return true;
  }

  /// Behind minima, maxima and exchanges in memory of all blocks.
  bool meetAtEnd() {
    if (F.hasFnAttribute(GridBarrierAtEnd))
      return false;
    // Of exchanges alone, each thread may have a place of its own.
    auto IsKept = [&](const Instruction &I) {
      return keptNumber(I) && !isOfBlock(I.getOperand(0)) &&
             cast<AtomicRMWInst>(I).getOperation() != AtomicRMWInst::Xchg;
    };
    if (none_of(instructions(F), IsKept))
      return false;
    ReturnInst *End = nullptr;
    for (BasicBlock &Block : F)
      if (auto *R = dyn_cast<ReturnInst>(Block.getTerminator())) {
        if (End)
          return false;
        End = R;
      }
    if (!End || !allComeTo(*End->getParent()))
      return false;
    F.addFnAttr(GridBarrierAtEnd);
    meetWithAll(*End);
    // The blocks are other ones now.
    DT.recalculate(F);
    PDT.recalculate(F);
    LI.releaseMemory();
    LI.analyze(DT);
    return true;
  }
};

} // namespace

bool retrograd::meetAtFences(Function &F, RuntimeLibrary &Runtime) {
  return F.hasFnAttribute(GridBarrierName) && Meeting(F, Runtime).run();
}
