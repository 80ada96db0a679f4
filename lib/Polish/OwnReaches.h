//===- OwnReaches.h - loops in which a thread meets no other ----*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In the reverse of a parallel region, an addition asks whether its place is
// one that its thread alone adds to (runtime/reach.c). An innermost loop asks
// once, when it is entered:
//
//   if (each group of places lies where the thread is alone, or all of it in
//       one of its copies)
//     the loop, with plain additions, distance to the copy added
//   else
//     the loop as it was
//
// What is left asks by itself.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_POLISH_OWNREACHES_H
#define RETROGRAD_POLISH_OWNREACHES_H

#include "llvm/IR/PassManager.h"

namespace retrograd {
struct Options;

bool useOwnReaches(llvm::Function &Derivative, llvm::ModuleAnalysisManager &MAM,
                   const Options &Opts);

} // namespace retrograd

#endif
