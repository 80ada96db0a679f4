//===- WorkOwnership.h - places that one thread of a team has ---*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The adjoint of a load is added to its place. In a function that a team runs
// that is atomic, unless no other thread can add to the place at the time. Two
// proofs:
//
//   Written. The thread writes the very place that it loads from, in the same
//   iteration of all loops around and with nothing between that waits for
//   others. Whoever else loaded there at the time would race with the store.
//
//   Apart. In a worksharing loop, the loads of an iteration lie in a window of
//   w bytes at  base + s * i,  with w <= |s| and a base that all threads share.
//   Each i belongs to one thread. So no two iterations touch one place. All
//   active loads of the function that may touch the same memory must be in the
//   window.
//
// Not handled: bases that may or may not be one array, windows that overlap
// (stencils), strides that only the run knows.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_ANALYSIS_WORKOWNERSHIP_H
#define RETROGRAD_ANALYSIS_WORKOWNERSHIP_H

#include "Analysis/LoopShape.h"
#include "Analysis/ProgramFacts.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Dominators.h"

namespace retrograd {

class WorkOwnership {
public:
  /// Loads: those of F whose adjoints are added to memory that is not the
  /// thread's own.
  /// AlsoElsewhere: so are others', by calls and copies.
  WorkOwnership(const llvm::Function &F, const ProgramFacts &Facts,
                const LoopShape &Shape, llvm::DominatorTree &DT,
                llvm::ArrayRef<const llvm::LoadInst *> Loads,
                bool AlsoElsewhere);
  bool isWritten(const llvm::LoadInst &L) const { return Written.contains(&L); }
  bool isApart(const llvm::LoadInst &L) const { return Apart.contains(&L); }
  /// The two may touch the same memory, as far as objects tell.
  bool mayMeet(const llvm::LoadInst &A, const llvm::LoadInst &B) const;

private:
  /// Base + Step * iteration of Work, from Low to High bytes beside it.
  struct Window {
    const llvm::LoadInst *Load;
    const llvm::Loop *Work = nullptr;
    const llvm::SCEV *Base = nullptr;
    int64_t Step = 0, Low = 0, High = 0;
  };
  bool waits(const llvm::Instruction &I) const;
  bool writesToo(const llvm::LoadInst &L) const;
  Window windowOf(const llvm::LoadInst &L) const;
  const llvm::Value *boundOf(const llvm::Loop &Work) const;
  bool startsOnce(const llvm::Instruction &Start) const;
  bool isShared(const llvm::SCEV *S) const;
  bool isShared(const llvm::Value *V, unsigned Depth = 0) const;
  void findApart(llvm::ArrayRef<const llvm::LoadInst *> Loads);

  const llvm::Function &F;
  const ProgramFacts &Facts;
  const LoopShape &Shape;
  llvm::DominatorTree &DT;
  llvm::SmallPtrSet<const llvm::LoadInst *, 16> Written, Apart;
};

} // namespace retrograd

#endif
