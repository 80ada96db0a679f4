//===- InertRegions.h - what the reverse sweep passes by --------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reverse sweep goes through the blocks of the primal backwards, and has to
// know at each meeting of ways which one was taken. Where nothing between a
// block and one in front of it has a reverse, it goes from the one to the other
// and need not know: neither the way, nor how often a loop has run.
//
//   loops       all blocks of the loop are inert; what the loop is left to is
//               reached by it alone. Behind it, the reverse sweep goes on in
//               front of it.
//   branches    all blocks between a meeting and the branch that dominates it
//               are inert, and lead nowhere else.
//
// A phi that has an adjoint hands it to the way that was taken: such a meeting
// needs to know.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PLAN_INERTREGIONS_H
#define RETROGRAD_PLAN_INERTREGIONS_H

#include "Plan/PlanSubject.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace retrograd {

struct Replay;

/// Other threads or ranks count on C in the reverse sweep, whatever the
/// adjoints are.
bool isAwaited(const llvm::CallBase &C, const ProgramFacts &Facts);

class InertRegions {
public:
  InertRegions() = default;
  /// Loops that are filled again are none of them.
  InertRegions(const PlanSubject &Subject, llvm::ArrayRef<Replay> Replays);

  /// The reverse sweep does not come to B.
  bool contains(const llvm::BasicBlock *B) const { return Inert.contains(B); }
  /// Where the reverse sweep goes on behind B; null: the ways that led to B.
  const llvm::BasicBlock *inFrontOf(const llvm::BasicBlock *B) const {
    return Before.lookup(B);
  }

private:
  void findLoop(const PlanSubject &Subject, const llvm::Loop &L);
  void findBranch(const PlanSubject &Subject, const llvm::BasicBlock &Meeting);
  llvm::SmallPtrSet<const llvm::BasicBlock *, 16> WithoutReverse;
  llvm::SmallPtrSet<const llvm::BasicBlock *, 16> Inert;
  llvm::DenseMap<const llvm::BasicBlock *, const llvm::BasicBlock *> Before;
};

} // namespace retrograd

#endif
