//===- Originals.h - what memory held when the function began ---*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A nest that works in place reads elements before it overwrites them:
//
//   for i: for j: for k > i: b[i][j] += a[k][i] * b[k][j]
//
// The reverse sweep needs each b[k][j] that was read: n * n * n / 2 numbers, of
// which only n * n differ, since all of these loads find what was there when
// the function began. So they are kept by place: in an array as long as what is
// read of b, at the element's place in it.
//
// Only where it is known at the start how far the loads reach
// (docs/DisjointArguments.md), and where more iterations read than there are
// places.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PLAN_ORIGINALS_H
#define RETROGRAD_PLAN_ORIGINALS_H

#include "llvm/ADT/SmallVector.h"

namespace llvm {
class LoadInst;
} // namespace llvm

namespace retrograd {

struct PlanSubject;

/// A load whose results may be kept by place.
struct Original {
  const llvm::LoadInst *Load;
  bool Used = false; ///< some need is met so
};

llvm::SmallVector<Original, 2> findOriginals(const PlanSubject &Subject);

} // namespace retrograd

#endif
