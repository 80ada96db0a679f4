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

/// Puts the nest in the order of S in front of the nest that there is, which
/// stays for parameters that the nest does not hold for. Nothing is changed if
/// that is not possible. Afterwards no analysis of the function is valid.
bool generate(Nest &N, Scheduler &Of, const Schedule &S);

} // namespace retrograd::loops

#endif
