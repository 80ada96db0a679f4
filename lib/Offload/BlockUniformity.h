//===- BlockUniformity.h - values by threads of a block ---------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's uniformity analysis for the threads of a block. NVPTX's own answer is
// about warps, and takes every call for different. What is the same for all
// threads is kept once for a block; a branch on it is one that all threads take
// together.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_OFFLOAD_BLOCKUNIFORMITY_H
#define RETROGRAD_OFFLOAD_BLOCKUNIFORMITY_H

#include "llvm/ADT/DenseSet.h"

namespace llvm {
class Function;
class Value;
} // namespace llvm

namespace retrograd {

/// Which values of Kernel can differ between threads of a block; with All,
/// every instruction counts as one.
llvm::DenseSet<const llvm::Value *> divergentValues(llvm::Function &Kernel,
                                                    bool All);

} // namespace retrograd

#endif
