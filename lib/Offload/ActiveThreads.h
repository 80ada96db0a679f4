//===- ActiveThreads.h - which threads have something to do -----*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Regions often start with a guard: if (threadIdx.x < h), if (i < n). Where
// those who fail it do nothing, the loops over threads need not visit them, and
// what is left in the loop is free of the branch: the guards of a tree
// reduction cost as much as its steps otherwise.
//
// Of what is asked behind the guards, most blocks know the answer for all of
// their threads: i > 0 ? a[i - 1] : a[i] is false at an edge of the grid only.
// Away from the edges, threads that are neighbours read neighbours, and the
// loop vectorises.
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
  /// Looks at the guards of Region, a function of one thread, whose indices in
  /// its block are Tid. IsUniform: of parameters, whether all threads of the
  /// block get the same. Idle: what Region returns for threads that have
  /// nothing to do; null where it always returns the same. What is found refers
  /// to instructions of Region, which stays as it is for as long as bounds and
  /// copies are asked for.
  ActiveThreads(llvm::Function &Region, llvm::ArrayRef<llvm::Argument *> Tid,
                std::function<bool(const llvm::Argument *)> IsUniform,
                const llvm::ConstantInt *Idle = nullptr);

  /// Whether there is a guard to make use of.
  bool isLimited() const { return !Guards.empty(); }
  /// Whether blocks at an edge of the grid differ from those within.
  bool hasEdges() const { return !Edges.empty(); }

  struct Bounds {
    llvm::Value *From[3] = {},
                *To[3] = {}; ///< i32, per axis; null where all are active
    llvm::Value *Any =
        nullptr; ///< i1: whether there is anybody; null where the bounds say so
    llvm::Value *Exact =
        nullptr; ///< i1: the bounds hold (no index wraps around)
    llvm::Value *Inner = nullptr; ///< i1: all active threads are away from the
                                  ///< edges; null without edges
  };
  /// Computes the bounds where B stands, outside of the region. ValueOf gives
  /// parameters' values; from First to Last, i32 per axis, are the threads that
  /// run the region at all.
  Bounds
  bounds(llvm::IRBuilder<> &B,
         llvm::function_ref<llvm::Value *(const llvm::Argument *)> ValueOf,
         llvm::ArrayRef<llvm::Value *> First,
         llvm::ArrayRef<llvm::Value *> Last) const;

  /// The region as threads within the bounds run it, or threads of blocks away
  /// from the edges.
  llvm::Function *withoutGuards() const { return specialised(false); }
  llvm::Function *withoutEdges() const { return specialised(true); }

private:
  /// For those who go on, Index compares with Bound as Holds says. Index is the
  /// sum of a thread's index along Axis and what all agree on, Bound something
  /// that all agree on. Along NoAxis all agree on both.
  static constexpr unsigned NoAxis = 3;
  struct Guard {
    llvm::CmpInst::Predicate Holds;
    llvm::Value *Index, *Bound;
    unsigned Axis;
  };
  llvm::Function &Region;
  llvm::SmallVector<llvm::Argument *, 3> Tid;
  std::function<bool(const llvm::Argument *)> IsUniform;
  const llvm::ConstantInt *Idle;
  llvm::SmallVector<Guard, 4> Guards;
  /// What all threads find along x, but at an edge.
  llvm::SmallVector<Guard, 4> Edges;
  /// Comparisons that the guards say all about, and what they are for those who
  /// go on.
  llvm::SmallVector<std::pair<llvm::ICmpInst *, bool>, 4> Decided;
  /// The same of the edges.
  llvm::SmallVector<std::pair<llvm::ICmpInst *, bool>, 4> DecidedWithin;

  void findGuards();
  void findEdges();
  llvm::Function *specialised(bool Within) const;

  bool isUniform(const llvm::Value *V, unsigned Depth = 0) const;
  /// The axis of the one index that V is a sum of, or -1.
  int axisOf(const llvm::Value *V) const;
  void add(llvm::Value *Condition, bool Holds);
  bool addGuard(llvm::CmpInst::Predicate Holds, llvm::Value *Left,
                llvm::Value *Right);
};

} // namespace retrograd

#endif
