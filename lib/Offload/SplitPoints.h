//===- SplitPoints.h - where the threads of a block wait for each other ---===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel is cut where threads meet: at barriers, at operations of a warp, and
// at branches that all threads take alike and that decide which of those come
// next; and, where threads run in lock step, between loads and stores
// (Steps.h). What lies between two cuts is a region: it starts in the block
// behind a cut and ends at the next cuts that control flow can meet. Threads
// may run a region one after the other. A block of the kernel may belong to
// several regions.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_OFFLOAD_SPLITPOINTS_H
#define RETROGRAD_OFFLOAD_SPLITPOINTS_H

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace llvm {
class BasicBlock;
class CallInst;
class Function;
class Instruction;
class Value;
} // namespace llvm

namespace retrograd {

enum class SplitKind : unsigned char {
  Entry,         ///< the start of the kernel
  BlockBarrier,  ///< all threads of the block wait
  WarpOperation, ///< threads of a warp wait, and may exchange values
  Step,          ///< lanes may wait, so that others come between (Steps.h)
  UniformBranch, ///< a block with nothing but a branch that all threads take
                 ///< alike
  Edge           ///< what such a branch leads to
};

/// i32(i32), an operation of our own: a barrier of the block, and the least of
/// what its threads bring, as unsigned numbers.
inline constexpr llvm::StringLiteral LeastOfBlock = "rg.least";

bool isLeastOfBlock(const llvm::Value &V);

/// Marks the branch that repeats a loop which all threads of a block run
/// equally often, always together: such a loop is cut.
inline constexpr llvm::StringLiteral TogetherMark = "rg.together";

/// What an NVVM intrinsic is for us.
SplitKind splitKindOf(const llvm::CallInst &Call, bool &IsSplit);
inline bool isSplitOperation(const llvm::CallInst &Call) {
  bool Is;
  splitKindOf(Call, Is);
  return Is;
}

struct Split {
  llvm::BasicBlock *Resume; ///< where threads go on; one predecessor at most
  SplitKind Kind;
  llvm::CallInst *Op = nullptr; ///< the operation, first in Resume
  /// Stands before the cut and has the operation's operands: what threads leave
  /// for the others before they wait. Null when there are none.
  llvm::CallInst *Deposit = nullptr;
};

/// How far the threads of a group stay together at the cuts.
enum class Agreement : unsigned char {
  Uniform,  ///< always at the same cut
  ExitOnly, ///< those that have not ended are always at the same cut
  Divergent ///< each thread may be somewhere else
};

class SplitPoints {
public:
  /// Cuts F. IsUniform tells of a value whether all threads of a block agree on
  /// it. CutLoops: also at the ends of innermost loops that all threads repeat
  /// alike, so that the loop over threads becomes the inner one, which
  /// vectorises. EachApart: at operations only, and each thread has a place of
  /// its own.
  SplitPoints(llvm::Function &F,
              llvm::function_ref<bool(const llvm::Value *)> IsUniform,
              bool CutLoops, bool EachApart);

  llvm::ArrayRef<Split> splits() const { return Splits; }
  unsigned size() const { return Splits.size(); }
  bool hasWarpOperations() const { return Warps; }
  Agreement agreement() const { return Agree; }
  /// The index of the cut in front of BB, or -1.
  int at(const llvm::BasicBlock *BB) const {
    auto It = Index.find(BB);
    return It == Index.end() ? -1 : int(It->second);
  }
  /// Whether threads that are not together elsewhere are at V: it stands in a
  /// loop with TogetherMark, or is the least of the block.
  bool isReachedTogether(const llvm::Instruction &V) const;
  /// The blocks of region K, its first block first.
  llvm::SmallVector<llvm::BasicBlock *, 16> region(unsigned K) const;
  /// Which cuts region K can end at; the last bit is the end of the thread.
  llvm::BitVector next(unsigned K) const;
  unsigned exitBit() const { return Splits.size(); }

private:
  llvm::Function &F;
  llvm::SmallVector<Split, 8> Splits;
  llvm::DenseMap<const llvm::BasicBlock *, unsigned> Index;
  bool Warps = false;
  Agreement Agree = Agreement::Uniform;

  void add(Split S);
  void cutAtOperations();
  /// Cuts at one more branch: one of LoopEnds, or (unless OnlyLoops) one that
  /// decides which cut comes next; false when there is none left.
  bool
  cutAtUniformBranch(bool OnlyLoops,
                     llvm::function_ref<bool(const llvm::Value *)> IsUniform);
  using IsUniformFn = llvm::function_ref<bool(const llvm::Value *)>;
  /// How far threads stay together if there were a cut in Extra, too (null:
  /// none).
  Agreement classify(IsUniformFn IsUniform,
                     const llvm::BasicBlock *Extra) const;
  /// Threads that come to BB come there in the same iterations of the loops
  /// around it.
  bool isMetTogether(const llvm::BasicBlock &BB, IsUniformFn IsUniform) const;
  /// As classify, where the cuts are all made.
  Agreement agreementAtCuts(IsUniformFn IsUniform) const;
  /// Per block, the cuts that can come first behind it; bits as in next(), one
  /// more for Extra.
  llvm::DenseMap<const llvm::BasicBlock *, llvm::BitVector>
  nextSets(const llvm::BasicBlock *Extra) const;
  llvm::BitVector
  firstFrom(const llvm::BasicBlock *Succ, const llvm::BasicBlock *Extra,
            const llvm::DenseMap<const llvm::BasicBlock *, llvm::BitVector>
                &Next) const;
  void findLoops(IsUniformFn IsUniform, bool OnlyMarked);
  /// Branches at the ends of loops to cut.
  llvm::SmallPtrSet<const llvm::Instruction *, 4> LoopEnds;
  llvm::SmallPtrSet<const llvm::BasicBlock *, 8>
      TogetherBlocks; ///< of loops with TogetherMark
  void sortByProgramOrder();
};

} // namespace retrograd

#endif
