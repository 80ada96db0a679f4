//===- TeamMarks.h - marks of programs with threads -------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What preparation and emission agree on for programs with threads, beside the
// bindings of calls (CallBinding.h).
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_SUPPORT_TEAMMARKS_H
#define RETROGRAD_SUPPORT_TEAMMARKS_H

#include "llvm/ADT/StringRef.h"

namespace retrograd {

/// What routines of the runtime return that try to begin a turn, and fail
/// (RG_NO_TURN in runtime/team.h).
inline constexpr uint64_t FailedTurn = ~uint64_t(0) - 1;

/// What rg_once_begins returns to who is to run the function (RG_INNER_TURN).
inline constexpr uint64_t ClaimedTurn = ~uint64_t(0);

/// On a variable of the module that holds pointers only while derivatives run:
/// its shadow starts as it is (Parallel/OpenMPRegions.cpp, copyprivate).
inline constexpr llvm::StringLiteral HoldsWithinDerivative = "rg-within";

} // namespace retrograd

#endif
