//===- ComputedGotos.h - labels whose ways are known ------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `goto *p` jumps to a label of its own function. A copy of the function has
// labels of its own, so that addresses of labels may not pass between the two:
// a copy needs to know every place at which it may find one.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_ENTRY_COMPUTEDGOTOS_H
#define RETROGRAD_ENTRY_COMPUTEDGOTOS_H

#include "llvm/ADT/SetVector.h"
#include <optional>

namespace llvm {
class BasicBlock;
class Function;
class GlobalVariable;
} // namespace llvm

namespace retrograd {

struct ComputedGotos {
  /// Blocks whose address is taken.
  llvm::SmallSetVector<const llvm::BasicBlock *, 8> Labels;
  /// Constant variables that hold addresses of labels, or differences of them.
  llvm::SmallSetVector<llvm::GlobalVariable *, 2> Tables;
};

/// The labels of F and the tables that hold them. Nothing where an address of a
/// label may come from elsewhere or leave F: by a variable that is written, by
/// memory of a caller, by a call, as a result.
std::optional<ComputedGotos> findComputedGotos(const llvm::Function &F);

} // namespace retrograd

#endif
