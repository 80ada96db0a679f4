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

namespace retrograd {

/// On a function: a call of it runs its primal once on each thread of a team.
/// Its first parameter is the number of threads that the program asks for.
inline constexpr llvm::StringLiteral RunsInTeam = "rg-team";

} // namespace retrograd

#endif
