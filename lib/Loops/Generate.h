//===- Generate.h - from a schedule back to LLVM IR -------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_LOOPS_GENERATE_H
#define RETROGRAD_LOOPS_GENERATE_H

#include "Loops/Schedule.h"

namespace retrograd::loops {

/// Metadata of a loop that has the order that it is to have, or had it once: it
/// is the old version of a nest.
inline constexpr const char *OrderedLoop = "rg.loop.ordered";

/// Loops that threads share.
struct SharedLoops {
  llvm::SmallVector<llvm::Function *, 4> Functions; ///< one for each
  bool Copies = false; ///< threads add to copies of some arrays
};

/// Puts the nest in the order of S in front of the nest that there is, which
/// stays for parameters that the nest does not hold for. Nothing is changed if
/// that is not possible. Afterwards no analysis of the function is valid.
/// With Threads, outer loops whose iterations are independent are shared by
/// threads; each is a function of its own then, which is added to Made.
/// Always: however little there is to do in them.
bool generate(Nest &N, Scheduler &Of, const Schedule &S, bool Threads,
              bool Always, SharedLoops &Made);

} // namespace retrograd::loops

#endif
