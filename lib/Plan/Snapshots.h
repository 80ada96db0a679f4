//===- Snapshots.h - arrays that are kept as a whole ------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stencil in a loop over time reads each number of an array several times:
//
//   for t:
//     for i: for j: k[i][j] = f(u[i][j], u[i-1][j] + u[i+1][j] + ...)
//     for i: for j: u[i][j] += h * k[i][j]
//
// The reverse sweep needs u[i][j] and the sum, two numbers for each iteration,
// and the loads that the sum is made of find numbers that later steps have
// overwritten. But while the nest runs once, nobody writes to u. So u is kept
// as a whole, once for each run of the nest, in front of it, and the loads read
// from there again.
//
// How long the array is tells its allocation, or its type. Whatever a load
// reads by a pointer into it lies in it, so the places of the loads need not be
// known.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PLAN_SNAPSHOTS_H
#define RETROGRAD_PLAN_SNAPSHOTS_H

#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace llvm {
class LoadInst;
class Loop;
class Value;
} // namespace llvm

namespace retrograd {

struct PlanSubject;

struct Snapshot {
  const llvm::Loop *Nest;   ///< kept in front of it, once for each of its runs
  const llvm::Value *Array; ///< where the array begins
  /// Their product is the array's length in bytes.
  llvm::SmallVector<const llvm::Value *, 2> Sizes;
  llvm::SmallVector<const llvm::LoadInst *, 8> Loads;
  /// The innermost loop that some load stands in, and how much of the array
  /// there is for each of its iterations, in all of its runs: an estimate, in
  /// 16ths of a byte.
  const llvm::Loop *Innermost = nullptr;
  uint64_t Share = 0;
};

llvm::SmallVector<Snapshot, 2> findSnapshots(const PlanSubject &Subject);

} // namespace retrograd

#endif
