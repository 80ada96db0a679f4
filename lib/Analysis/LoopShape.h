//===- LoopShape.h - what reversal needs to know of a loop ------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each natural loop: how often its header can run, if that is known before
// the loop is entered, and which header phis are affine in the iteration
// number, so that the reverse sweep can compute them from its own counter.
//
// Only exits that can lead to a return count: an exit into a throw, abort or
// other dead end is never taken by a run that is reversed. That makes loops
// with bounds checks countable.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_ANALYSIS_LOOPSHAPE_H
#define RETROGRAD_ANALYSIS_LOOPSHAPE_H

#include "Analysis/LiveBlocks.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"

namespace retrograd {

/// Of a header phi: it has no value twice in a run of the loop, which ends when
/// it comes to a bound, although its step is not a constant.
constexpr llvm::StringLiteral DistinctMetadata = "rg.distinct";

/// A header phi equal to Start + Step * iteration. Step is a constant number
/// of units (bytes for pointers) or a loop-invariant value of the phi's type.
struct AffinePhi {
  llvm::Value *Start = nullptr;
  int64_t ConstantStep = 0;
  llvm::Value *InvariantStep = nullptr; ///< used when not null
};

struct LoopFacts {
  /// Backedge-taken count bound, an invariant of the loop that can be expanded
  /// in the preheader; null when unknown. Exact when Exact.
  const llvm::SCEV *BackedgeBound = nullptr;
  /// Every run that is reversed takes the backedge exactly BackedgeBound times.
  bool Exact = false;
  /// No run has more iterations than so many; 0 when unknown.
  uint64_t MostTrips = 0;
};

class LoopShape {
public:
  LoopShape(llvm::Function &F, llvm::LoopInfo &LI, llvm::ScalarEvolution &SE);

  /// True if a return can be reached from B. Other blocks run in the primal
  /// sweep and are never reversed.
  bool isLive(const llvm::BasicBlock *B) const { return Live.contains(B); }
  const LoopFacts &facts(const llvm::Loop *L) const {
    return Facts.find(L)->second;
  }
  /// Null if Phi is not an affine header phi.
  const AffinePhi *affine(const llvm::PHINode *Phi) const {
    auto It = Affine.find(Phi);
    return It == Affine.end() ? nullptr : &It->second;
  }
  llvm::LoopInfo &loops() const { return LI; }
  llvm::ScalarEvolution &evolution() const { return SE; }
  void print(llvm::raw_ostream &OS) const;

private:
  void analyseLoop(llvm::Loop &L);

  llvm::Function &F;
  llvm::LoopInfo &LI;
  llvm::ScalarEvolution &SE;
  llvm::SmallPtrSet<const llvm::BasicBlock *, 32> Live;
  llvm::DenseMap<const llvm::Loop *, LoopFacts> Facts;
  llvm::DenseMap<const llvm::PHINode *, AffinePhi> Affine;
};

} // namespace retrograd

#endif
