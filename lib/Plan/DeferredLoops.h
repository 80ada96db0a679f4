//===- DeferredLoops.h - loops that run in the reverse sweep ----*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop whose results nobody asks for before its own reverse, such as the sum
// over all data of an objective whose value is not wanted, need not run in the
// primal sweep. It is deferred: the reverse sweep, on entering iteration i,
// first runs iteration i of the primal and then reverses it. What an iteration
// keeps lives as long as the iteration, and every iteration keeps it at the
// same place: the tape is that of one iteration, and the data are read once.
//
// Where somebody asks for the results in the end - they are returned, or stored
// to memory that is not looked at again - the loop *carries* them: its
// iterations run in the primal's order, and what becomes of the results is
// computed, stored and returned when the reverse sweep is over. The adjoints
// that its iterations share must then be the same for all of them: what it adds
// up, it only adds up.
//
// Otherwise iterations run from the last to the first. That is the same
// computation if each of them finds what it found in the primal's order:
//
//   - header phis are affine in the iteration number, carried, or sums that no
//   one reads;
//   - loads read what the loop does not write and can be repeated at any time
//     (OverwriteAnalysis), or what the same iteration has written before
//     (isCovered);
//   - stores go to memory of the function's own that is read in this loop
//   alone;
//   - there is nothing else that has an effect, and one exit, at the latch.
//
// An innermost loop directly within a deferred one may be deferred, too (a
// *nest*): where the reverse of the outer iteration comes to it, each of its
// iterations runs and is reversed. The outer iteration is then over before what
// the inner loop brings is known: the outer loop must want it for its own
// results alone, and carries them.
//
// A loop whose results are asked for, and that is none of these, may run twice
// (*again*): in the primal sweep, where nothing of it is kept but what its
// iterations start from, and, iteration by iteration, in the reverse sweep. The
// second run finds what the first one found, by the same conditions; it leaves
// out what only others read. Worth its time where there are loops within that
// keep something, on machines where memory is what is short. Barriers of the
// block run again, too, and with them tiles that a block fills (Replays).
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PLAN_DEFERREDLOOPS_H
#define RETROGRAD_PLAN_DEFERREDLOOPS_H

#include "Rules/Need.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"

namespace retrograd {

class CallPlan;
class Recipes;
struct Deferrals;
struct PlanSubject;

/// What is done with a loop's results when the reverse sweep is over.
struct LateUses {
  llvm::SmallSetVector<const llvm::StoreInst *, 8> Stores;
  bool Return = false; ///< they are, or lead to, what is returned
  bool Around = false; ///< the deferred loop around this one carries them on

  bool any() const { return Return || Around || !Stores.empty(); }
};

class LoopDeferral {
public:
  /// `Read` has what the reverse sweep may look up, whatever is kept.
  /// `Unneeded` are stores that are left out.
  LoopDeferral(const PlanSubject &Subject, const CallPlan &Calls,
               const Recipes &How, const Deferrals &Deferred,
               llvm::ArrayRef<const llvm::StoreInst *> Unneeded,
               const llvm::DenseSet<Need> &Read);

  /// L, an outermost loop or one in a deferred loop, may run in the reverse
  /// sweep instead of the primal one. It carries its results where there are
  /// `Late` uses.
  bool isDeferrable(const llvm::Loop &L, LateUses &Late);

  /// L, an outermost loop, may run a second time in the reverse sweep,
  /// iteration by iteration. `Once` has the stores that are left out then.
  bool canRunAgain(const llvm::Loop &L,
                   llvm::SmallVectorImpl<const llvm::StoreInst *> &Once);

private:
  bool hasShape(const llvm::Loop &L) const;
  bool fitsIn(const llvm::Loop &L, const llvm::Loop &Around);
  bool resultsFit(const llvm::Loop &L, LateUses *Late) const;
  bool isUnread(const llvm::Value &V, LateUses *Late = nullptr,
                const llvm::Loop *Of = nullptr) const;
  bool canBeLate(const llvm::StoreInst &S, const llvm::Value &V) const;
  bool onlyAddsUp(const llvm::Loop &L) const;
  /// The operands by which the derivative of I is 1, and the arms of a choice.
  llvm::SmallVector<const llvm::Value *, 2>
  addends(const llvm::Instruction &I) const;
  bool isSum(const llvm::PHINode &Phi, const llvm::Loop &L) const;
  bool collectStores(const llvm::Loop &L);
  bool isOwn(const llvm::Value &Object, const llvm::Loop &L) const;
  bool isResult(const llvm::StoreInst &S, const llvm::Loop &L) const;
  bool staysHere(const llvm::Instruction &Made) const;
  bool isOnlyReadIn(const llvm::Loop &L) const;
  bool isHarmless(const llvm::Instruction &I, const llvm::Loop &L) const;
  bool isCovered(const llvm::LoadInst &Load, const llvm::Loop &L) const;
  bool covers(const llvm::StoreInst &Store, const llvm::LoadInst &Load,
              const llvm::Loop &L) const;
  bool isFilled(const llvm::LoadInst &Load, const llvm::Loop &L) const;
  bool touches(const llvm::Value *P) const;
  bool isKnown(llvm::CmpInst::Predicate P, const llvm::SCEV *A,
               const llvm::SCEV *B, const llvm::Instruction &At) const;
  bool isAtMost(const llvm::SCEV *A, const llvm::SCEV *B,
                const llvm::Instruction &At, unsigned Depth = 6) const;

  const PlanSubject &Subject;
  const CallPlan &Calls;
  const Recipes &How;
  const Deferrals &Deferred;
  llvm::ArrayRef<const llvm::StoreInst *> Unneeded;
  const llvm::DenseSet<Need> &Read;
  llvm::ScalarEvolution &SE;
  /// Of the loop that is looked at: its stores and the objects that they write.
  llvm::SmallVector<const llvm::StoreInst *, 8> Stores;
  llvm::SmallPtrSet<const llvm::Value *, 4> Written;
};

} // namespace retrograd

#endif
