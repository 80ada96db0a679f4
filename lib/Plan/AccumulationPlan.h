//===- AccumulationPlan.h - how adjoints are added --------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An adjoint of memory that several threads share is added to atomically,
// unless the memory is surely the thread's own. This class decides how for each
// load, store and atomic operation. A condition on the launch of a kernel that
// only the host can check is part of the decision.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PLAN_ACCUMULATIONPLAN_H
#define RETROGRAD_PLAN_ACCUMULATIONPLAN_H

#include "Analysis/OneWriter.h"
#include "Analysis/ThreadModel.h"
#include "Analysis/ThreadOwnership.h"
#include "Analysis/WorkOwnership.h"
#include "Diagnostics/Refusal.h"
#include "Plan/CallPlan.h"
#include "Rules/Rules.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/PostDominators.h"

namespace retrograd {

class AccumulationPlan {
public:
  using Refuser = llvm::function_ref<void(
      RefusalKind, const llvm::Instruction &, std::string)>;

  AccumulationPlan(const PlanSubject &Subject, const CallPlan &Calls)
      : Subject(Subject), Calls(Calls),
        Threads(Subject.F, Subject.facts(), Subject.Opts) {}

  ThreadModel::Company company() const { return Threads.company(); }
  /// Only the thread that computes P accesses what P points to.
  bool isThreadsOwn(const llvm::Value *P) const;

  /// How to add to an adjoint of the value that L loads.
  Accumulation accumulation(const llvm::LoadInst &L) const;
  /// Threads that add to the same places do so in the order of their numbers.
  bool addInOrder() const { return Subject.Opts.Deterministic; }
  /// In a function that a team runs: why that way, for people.
  llvm::StringRef reasonOfAccumulation(const llvm::LoadInst &L) const;
  /// The parameter that L reads through where the block has a copy of its
  /// adjoints, which is added to it in the end: the warps of a block read the
  /// same places of it. Else null.
  const llvm::Argument *copiedForBlock(const llvm::LoadInst &L) const;
  /// How to take the adjoint of the value that S stores.
  Taking taking(const llvm::StoreInst &S) const;
  AtomicPlace atomicPlace(const llvm::AtomicRMWInst &M) const {
    return AtomicPlaces.lookup(&M);
  }
  /// What has to hold of the launch so that no two threads add to one adjoint.
  /// Null if nothing is known.
  const ThreadOwnership::Condition *ownership() const {
    return Owned ? &Ownership.condition() : nullptr;
  }
  /// The same for the places of exchanges.
  const ThreadOwnership::Condition &ownershipOfAtomics() const {
    return OwnershipOfAtomics.condition();
  }

  /// What has to hold of the launch so that seeds may stay as they are.
  llvm::ArrayRef<OneWriter::Condition> seedConditions() const {
    return SeedConditions;
  }

  /// Some addition is one within reach.
  bool addsWithinReach() const { return !Reached.empty(); }

  // The steps of the plan's builder, in this order.
  /// The parameters that all threads are called with alike.
  void setUniform(llvm::BitVector Params) { Uniform = std::move(Params); }
  /// Where the exchanges, minima and maxima of active numbers go, and whether
  /// their reverse can tell who won (docs/Atomics.md).
  void findKeptNumbers(Refuser Refuse);
  /// Whether the adjoints that are to stay as they are can (docs/Seeds.md).
  void findSeeds(Refuser Refuse);
  /// Which adjoints need no atomic addition though threads share the memory.
  void findOwnWork();
  /// What ownership() says.
  void findOwnership();

private:
  bool isGivenAlike(const llvm::Argument &A) const;
  bool isSeed(const llvm::Value *P) const;
  bool isWrittenToo(const llvm::LoadInst &L) const;
  bool isReadBefore(const llvm::StoreInst &S) const;
  bool canAddAtEnd(const llvm::LoadInst &L) const;
  bool isOnlyRead(const llvm::Argument &A) const;
  bool hasBarriers() const;
  bool isOneTeam() const;
  bool goesOnAlone() const;
  bool findUntold(llvm::BitVector &Objects) const;
  void findReached(llvm::ArrayRef<const llvm::LoadInst *> Loads);

  const PlanSubject &Subject;
  const CallPlan &Calls;
  ThreadModel Threads;
  llvm::BitVector Uniform;
  std::optional<WorkOwnership> OwnWork;
  llvm::SmallPtrSet<const llvm::LoadInst *, 16> Reached;
  ThreadOwnership Ownership, OwnershipOfAtomics;
  bool Owned = false;
  llvm::SmallVector<OneWriter::Condition, 4> SeedConditions;
  llvm::DenseMap<const llvm::AtomicRMWInst *, AtomicPlace> AtomicPlaces;
  mutable std::optional<llvm::PostDominatorTree> PostDominators;
  mutable std::optional<bool> WaitsSomewhere;
  mutable llvm::DenseMap<const llvm::Argument *, bool> OnlyRead;
};

} // namespace retrograd

#endif
