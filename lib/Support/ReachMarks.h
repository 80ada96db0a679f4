//===- ReachMarks.h - groups of accesses of a parallel region ---*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Left by Parallel/Reaches.h in prepared primals of regions.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_SUPPORT_REACHMARKS_H
#define RETROGRAD_SUPPORT_REACHMARKS_H

#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/Metadata.h"
#include <optional>

namespace retrograd {

/// On the prepared primal of a region, a task or a thread: how many groups of
/// accesses it has.
inline constexpr llvm::StringLiteral NumReaches = "rg-reaches";
/// On a load of it: the number of its group.
inline constexpr llvm::StringLiteral InReach = "rg.reach";

inline unsigned numReaches(const llvm::Function &Prepared) {
  unsigned N = 0;
  Prepared.getFnAttribute(NumReaches).getValueAsString().getAsInteger(10, N);
  return N;
}

inline std::optional<unsigned> reachOf(const llvm::Instruction &Access) {
  const llvm::MDNode *Mark = Access.getMetadata(InReach);
  if (!Mark)
    return std::nullopt;
  return llvm::mdconst::extract<llvm::ConstantInt>(Mark->getOperand(0))
      ->getZExtValue();
}

} // namespace retrograd

#endif
