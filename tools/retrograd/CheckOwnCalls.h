//===- CheckOwnCalls.h - checks at the user's own calls ------- -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_TOOLS_CHECKOWNCALLS_H
#define RETROGRAD_TOOLS_CHECKOWNCALLS_H

#include "CheckProgram.h"
#include "Doctor.h"
#include "Invocation.h"

namespace retrograd {

/// Checks at the points, and with the memory, of the derivative calls in the
/// user's own program, if the file is one. Whether something is wrong.
bool checkOwnCalls(const Invocation &I, const Signature &F,
                   const CheckSettings &Given);

/// Says whose fault it is.
void findFault(const Invocation &I, const CheckSettings &S,
               const Findings &Found);

} // namespace retrograd

#endif
