//===- SplitAtMeetings.h - loops around the place they meet --- -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop over a row that also uses one place, which may be a place of the row:
//
//   for j: d[i][j] = ..., d[i][k] += ...
//
// Only where j is k do the two meet, but LLVM has to expect it everywhere: it
// neither keeps the place in a register nor vectorises. Here the loop runs up
// to the meeting point, then as it was, then on from there.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_POLISH_SPLITATMEETINGS_H
#define RETROGRAD_POLISH_SPLITATMEETINGS_H

#include "llvm/IR/PassManager.h"

namespace retrograd {

/// In a finished derivative. True if it was changed.
bool splitAtMeetings(llvm::Function &Derivative,
                     llvm::FunctionAnalysisManager &FAM);

} // namespace retrograd

#endif
