//===- AccessOrder.h - element by element, which access is last -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loop nests that work in place (LU, Cholesky) read elements of an array that
// they go on writing, but not these: they are final. Alias analysis sees one
// array. Here both addresses are affine in the counters of the loops around
// them, each counter lies between the loop's bounds, and the question is
// whether a system of linear inequalities has a solution:
//
//   an iteration of the load's loops, one of the store's, the second one later,
//   both at one address.
//
// Rows of unknown length (A[i * n + k], n an argument) are taken apart into row
// and column where the bounds show that the column lies within the row.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_ANALYSIS_ACCESSORDER_H
#define RETROGRAD_ANALYSIS_ACCESSORDER_H

namespace llvm {
class LoadInst;
class LoopInfo;
class ScalarEvolution;
class StoreInst;
} // namespace llvm

namespace retrograd {

class AccessOrder {
public:
  AccessOrder(llvm::ScalarEvolution &SE, const llvm::LoopInfo &Loops)
      : SE(SE), Loops(Loops) {}

  /// In one run of the function, W may write a byte that L has read before.
  /// True if it is not known.
  bool mayFollow(const llvm::StoreInst &W, const llvm::LoadInst &L) const;
  /// W may have written a byte before L reads it. True if it is not known.
  bool mayPrecede(const llvm::StoreInst &W, const llvm::LoadInst &L) const;

private:
  llvm::ScalarEvolution &SE;
  const llvm::LoopInfo &Loops;
};

} // namespace retrograd

#endif
