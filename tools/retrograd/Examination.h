//===- Examination.h - functions of a file, checked apart ----- -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_TOOLS_EXAMINATION_H
#define RETROGRAD_TOOLS_EXAMINATION_H

#include "CheckProgram.h"
#include "Doctor.h"
#include "Invocation.h"
#include <optional>
#include <string>

namespace retrograd {

/// Checks another function of the file, by this tool in a process of its own:
/// it may crash or refuse.
Findings examine(const Invocation &I, const CheckSettings &S,
                 const Subject &Of);

/// Runs the checked function under the sanitizers.
std::optional<std::string> undefinedIn(const Invocation &I, CheckSettings S,
                                       const Subject &Of);

/// Runs a function of the file as it is, for what it decides.
Measured measure(const Invocation &I, const CheckSettings &Given,
                 const Subject &Of);

/// What the race check of the processor says of the function's own launch
/// (docs/user/CudaOnCpu.md), a message per line; nothing where it did not run.
std::optional<std::string> racesIn(const Invocation &I, const Signature &F,
                                   CheckSettings S);

} // namespace retrograd

#endif
