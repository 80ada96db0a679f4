//===- ActiveThreads.h - which threads have something to do -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Regions often start with a guard: if (threadIdx.x < h), if (i < n). Where those who fail
// it do nothing, the loops over threads need not visit them, and what is left in the loop is
// free of the branch: the guards of a tree reduction cost as much as its steps otherwise.
//
//===----------------------------------------------------------------------===//
#ifndef RETROGRAD_OFFLOAD_ACTIVETHREADS_H
#define RETROGRAD_OFFLOAD_ACTIVETHREADS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstrTypes.h"
#include <functional>

namespace llvm {
class Argument;
class Function;
class Value;
} // namespace llvm

namespace retrograd {

class ActiveThreads {
public:
  /// Looks at the guards of Region, a function of one thread, whose indices in its block are Tid.
  /// IsUniform: of parameters, whether all threads of the block get the same.
  ActiveThreads(llvm::Function &Region, llvm::ArrayRef<llvm::Argument *> Tid,
                std::function<bool(const llvm::Argument *)> IsUniform);

  /// Whether there is a guard to make use of.
  bool isLimited() const { return !Guards.empty(); }

  struct Bounds {
    llvm::Value *From[3] = {}, *To[3] = {}; ///< i32, per axis; null where all are active
    llvm::Value *Exact = nullptr;           ///< i1: the bounds hold (no index wraps around)
  };
  /// Computes the bounds where B stands, outside of the region. ValueOf gives parameters' values,
  /// Ntid the block's size.
  Bounds bounds(llvm::IRBuilder<> &B, llvm::function_ref<llvm::Value *(const llvm::Argument *)> ValueOf,
                llvm::ArrayRef<llvm::Value *> Ntid) const;

  /// The region as threads within the bounds run it.
  llvm::Function *withoutGuards() const;

private:
  /// For those who go on, Index compares with Bound as Holds says. Index is the sum of a thread's index
  /// along Axis and what all agree on, Bound something that all agree on.
  struct Guard {
    llvm::CmpInst::Predicate Holds;
    llvm::Value *Index, *Bound;
    unsigned Axis;
  };
  llvm::Function &Region;
  llvm::SmallVector<llvm::Argument *, 3> Tid;
  std::function<bool(const llvm::Argument *)> IsUniform;
  llvm::SmallVector<Guard, 4> Guards;
  /// Comparisons that the guards say all about, and what they are for those who go on.
  llvm::SmallVector<std::pair<llvm::ICmpInst *, bool>, 4> Decided;

  bool isUniform(const llvm::Value *V, unsigned Depth = 0) const;
  /// The axis of the one index that V is a sum of, or -1.
  int axisOf(const llvm::Value *V) const;
  void add(llvm::Value *Condition, bool Holds);
  bool addGuard(llvm::CmpInst::Predicate Holds, llvm::Value *Left, llvm::Value *Right);
};

} // namespace retrograd

#endif
