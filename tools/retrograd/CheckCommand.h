//===- CheckCommand.h - compile, run, compare, report --------- -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_TOOLS_CHECKCOMMAND_H
#define RETROGRAD_TOOLS_CHECKCOMMAND_H

#include "CheckProgram.h"
#include "Invocation.h"

namespace retrograd {

/// Both return the exit status of the tool.
int checkCommand(const Invocation &I, const CheckSettings &S);
int gradCommand(const Invocation &I);

} // namespace retrograd

#endif
