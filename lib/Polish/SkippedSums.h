//===- SkippedSums.h - iterations in which no lane has a sum ----*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Problem: lanes that reverse a loop in step vote, at the end of an iteration,
// whether one of them has something to add (Emit/StepSums.cpp). A lane that has
// skipped it brings nine zeros there, each moved to a register, and asks
// whether one of them is something.
//
// Method: the question is asked on the ways that have numbers; those that bring
// zeros alone answer no. What they bring is nothing then, and becomes zeros
// behind the vote, where some lane has something.
//
// Not handled: numbers that are looked at elsewhere.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_POLISH_SKIPPEDSUMS_H
#define RETROGRAD_POLISH_SKIPPEDSUMS_H

#include "llvm/IR/PassManager.h"

namespace retrograd {

bool answerWhereSkipped(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

} // namespace retrograd

#endif
