//===- TeamMarks.h - functions that a team of threads runs -----*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Preparation gives each parallel region a function that forks
// (Parallel/OpenMPForm.h), and this attribute.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_SUPPORT_TEAMMARKS_H
#define RETROGRAD_SUPPORT_TEAMMARKS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Function.h"

namespace retrograd {

/// On a function: a call of it runs its primal once on each thread of a team.
/// Its first parameter is the number of threads that the program asks for.
inline constexpr llvm::StringLiteral RunsInTeam = "rg-team";
/// Its value where a call does not wait: one more thread runs the primal
/// (Parallel/ThreadForm.h). The first parameter names that.
inline constexpr llvm::StringLiteral StartsThread = "thread";
/// The same of a task of OpenMP's (Parallel/OpenMPForm.h).
inline constexpr llvm::StringLiteral StartsTask = "task";

/// What routines of the runtime return that try to begin a turn, and fail
/// (RG_NO_TURN in runtime/team.h).
inline constexpr uint64_t FailedTurn = ~uint64_t(0) - 1;

/// On a variable of the module that holds pointers only while derivatives run:
/// its shadow starts as it is (Parallel/OpenMPForm.cpp, copyprivate).
inline constexpr llvm::StringLiteral HoldsWithinDerivative = "rg-within";

/// Calls of F go on before its primal has ended.
inline bool startsWork(const llvm::Function &F) {
  return F.hasFnAttribute(RunsInTeam) &&
         !F.getFnAttribute(RunsInTeam).getValueAsString().empty();
}

} // namespace retrograd

#endif
