//===- CheckCommand.h - compile, run, compare, report -----------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_TOOLS_CHECKCOMMAND_H
#define RETROGRAD_TOOLS_CHECKCOMMAND_H

#include "CheckProgram.h"

namespace retrograd {

/// What every command needs to know.
struct Invocation {
  std::string BinDirectory; ///< where rg-clang and rg-clang++ are
  std::string File;         ///< absolute
  std::string Shown;        ///< as the user wrote it
  std::string Function;
  std::vector<std::string> Flags; ///< for the compiler
  bool PrintAll = false;
  bool Doctor = true; ///< look for the origin of what is wrong
  bool Keep = false;
};

/// Both return the exit status of the tool.
int checkCommand(const Invocation &I, const CheckSettings &S);
int gradCommand(const Invocation &I);

} // namespace retrograd

#endif
