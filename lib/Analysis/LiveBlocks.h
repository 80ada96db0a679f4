//===- LiveBlocks.h - what a derivative can come back from ------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_ANALYSIS_LIVEBLOCKS_H
#define RETROGRAD_ANALYSIS_LIVEBLOCKS_H

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/BasicBlock.h"

namespace retrograd {

/// Blocks of F from which a return can be reached. The others only lead to
/// throw, abort or an endless loop: nothing there has a derivative.
llvm::SmallPtrSet<const llvm::BasicBlock *, 32>
blocksThatReturn(const llvm::Function &F);

} // namespace retrograd

#endif
