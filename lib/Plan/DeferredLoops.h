//===- DeferredLoops.h - loops that run in the reverse sweep ------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop whose results nobody asks for before its own reverse, such as the sum over
// all data of an objective whose value is not wanted, need not run in the primal
// sweep. It is deferred: the reverse sweep, on entering iteration i, first runs
// iteration i of the primal and then reverses it. What an iteration keeps lives as
// long as the iteration, and every iteration keeps it at the same place: the tape is
// that of one iteration, and the data are read once.
//
// Iterations then run from the last to the first. That is the same computation if
// each of them finds what it found in the primal's order:
//
//   - header phis are affine in the iteration number, or sums that no one reads;
//   - loads read what the loop does not write and can be repeated at any time
//     (OverwriteAnalysis), or what the same iteration has written before (isCovered);
//   - stores go to memory of the function's own that is read in this loop alone;
//   - there is nothing else that has an effect, and one exit, at the latch.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PLAN_DEFERREDLOOPS_H
#define RETROGRAD_PLAN_DEFERREDLOOPS_H

#include "Rules/Need.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"

namespace retrograd {

class DerivativePlan;
class OverwriteAnalysis;

class LoopDeferral {
public:
  /// `Read` has what the reverse sweep may look up, whatever is kept.
  LoopDeferral(const DerivativePlan &Plan, const OverwriteAnalysis &Overwrite,
               const llvm::DominatorTree &DT, const llvm::DenseSet<Need> &Read);

  /// L, an outermost loop, may run in the reverse sweep instead of the primal one.
  bool isDeferrable(const llvm::Loop &L);

private:
  bool hasShape(const llvm::Loop &L) const;
  bool isUnread(const llvm::Value &V) const;
  bool collectStores(const llvm::Loop &L);
  bool staysHere(const llvm::Instruction &Made) const;
  bool isOnlyReadIn(const llvm::Loop &L) const;
  bool isHarmless(const llvm::Instruction &I, const llvm::Loop &L) const;
  bool isCovered(const llvm::LoadInst &Load, const llvm::Loop &L) const;
  bool covers(const llvm::StoreInst &Store, const llvm::LoadInst &Load,
              const llvm::Loop &L) const;
  bool touches(const llvm::Value *P) const;
  bool isKnown(llvm::CmpInst::Predicate P, const llvm::SCEV *A, const llvm::SCEV *B,
               const llvm::Instruction &At) const;
  bool isAtMost(const llvm::SCEV *A, const llvm::SCEV *B, const llvm::Instruction &At,
                unsigned Depth = 6) const;

  const DerivativePlan &Plan;
  const OverwriteAnalysis &Overwrite;
  const llvm::DominatorTree &DT;
  const llvm::DenseSet<Need> &Read;
  llvm::ScalarEvolution &SE;
  /// Of the loop that is looked at: its stores and the objects that they write.
  llvm::SmallVector<const llvm::StoreInst *, 8> Stores;
  llvm::SmallPtrSet<const llvm::Value *, 4> Written;
};

} // namespace retrograd

#endif
