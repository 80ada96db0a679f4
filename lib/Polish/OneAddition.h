//===- OneAddition.h - one loop adds what several would ---------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Problem: A norm goes over a row three times: for the sum, for the sum of
// squares, for the results. Each reversed loop adds to the adjoints of the same
// row, which memory has to read and write each time. By hand, one loop adds.
//
// Method: Of two loops that run for the same iterations and add to the same
// places, the second computes again what the first adds, from what the first
// has read, and adds both. Two loops are the same if all that counts and ends
// them is, instruction by instruction; so are places. The first loop runs if
// and only if the second does: by the conditions on the ways to them.
//
// What makes it right: between the two, nobody looks at the adjoint (nothing in
// the kernel does but add), and nothing that the first loop has read changes
// (nothing in the kernel writes there). Both by restrict parameters.
//
// Not handled: loops with branches or within loops, and what the first takes by
// an exchange: it could not be taken twice.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_POLISH_ONEADDITION_H
#define RETROGRAD_POLISH_ONEADDITION_H

#include "llvm/IR/PassManager.h"

namespace retrograd {

/// In F, a kernel that derivatives were inlined into. Whether it has changed.
bool addOnce(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

} // namespace retrograd

#endif
