//===- LaterWrites.h - what changes after a call has returned ---*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A split function's reverse half runs when its callers' reverse halves come to
// it: after all that these still did when it had returned. Which memory may be
// other memory then than it was when the function returned? The union over all
// its calls: what can run behind the call in the caller, and what changes after
// the caller has returned in turn.
//
// Of memory that only one run of a function knows (isOwn), later runs of it
// write other instances: what changes after the run has ended does not count.
//
// Flow-sensitive in each function (a call within a loop is followed by all of
// the loop), insensitive to the path of calls. Time: one pass over each
// function, and over the calls until nothing grows.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_ANALYSIS_LATERWRITES_H
#define RETROGRAD_ANALYSIS_LATERWRITES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class CallBase;
class Function;
class Instruction;
} // namespace llvm

namespace retrograd {
class ProgramFacts;

class LaterWrites {
public:
  /// The first function is the root: nothing runs after it but, where the
  /// request is a split one, code of the user's, which is not asked here.
  LaterWrites(llvm::ArrayRef<llvm::Function *> Functions,
              const ProgramFacts &Facts);

  /// Work goes on that no call here waits for, or of which nobody sees where it
  /// ends: threads, devices. Any memory may change at any time.
  bool anyTime() const { return AnyTime; }
  /// ProgramFacts::freesLate.
  bool freesLate(const llvm::CallBase &C) const { return Last.contains(&C); }
  /// Objects that may change after a call of F has returned, and before the
  /// root is done. Not to be asked of an anyTime() program.
  const llvm::BitVector &after(const llvm::Function &F) const;
  /// Objects whose instances only one run of F can reach, with what it calls;
  /// and what F cannot reach at all.
  const llvm::BitVector &own(const llvm::Function &F) const;

private:
  void compute() const;
  void findLast();
  void findKept() const;
  llvm::BitVector findOwn(const llvm::Function &F) const;
  void addBehindCalls(const llvm::Function &Caller) const;
  const llvm::Function *calleeOf(const llvm::Instruction &I) const;

  const ProgramFacts &Facts;
  llvm::SmallVector<const llvm::Function *, 0> Functions;
  bool AnyTime = false;
  llvm::SmallPtrSet<const llvm::CallBase *, 8> Last;
  // When it is first asked.
  mutable bool Computed = false;
  /// What global variables lead to, and what somebody may have kept the address
  /// of who writes there later without being given it again.
  mutable llvm::BitVector Global, Kept;
  mutable llvm::BitVector None, All;
  mutable llvm::DenseMap<const llvm::Function *, llvm::BitVector> After, Own;
};

} // namespace retrograd

#endif
