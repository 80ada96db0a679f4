//===- RewriteLoops.h - loops of a function, one at a time ------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What steps that replace loops by several have in common. A rewritten loop
// invalidates what is known of all loops of the function, so the walk starts
// again behind each; no loop, and none that was made of one, is asked about
// twice.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_POLISH_REWRITELOOPS_H
#define RETROGRAD_POLISH_REWRITELOOPS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class BasicBlock;
class Loop;
} // namespace llvm

namespace retrograd {

/// The headers of the loops that one loop has become. Empty: it was left alone.
using LoopHeaders = llvm::SmallVector<llvm::BasicBlock *, 2>;

/// Offers the loops of F that Wanted accepts to Rewrite, outer ones first, in
/// LLVM's simplified form. The analyses of F are valid, here and when Rewrite
/// is called. True if one was rewritten.
bool rewriteLoops(llvm::Function &F, llvm::FunctionAnalysisManager &FAM,
                  llvm::function_ref<bool(const llvm::Loop &)> Wanted,
                  llvm::function_ref<LoopHeaders(llvm::Loop &)> Rewrite);

} // namespace retrograd

#endif
