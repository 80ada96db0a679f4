//===- NewCommand.h - a small project to start from -------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_TOOLS_NEWCOMMAND_H
#define RETROGRAD_TOOLS_NEWCOMMAND_H

#include <string>

namespace retrograd {

struct NewProject {
  std::string BinDirectory; ///< where the drivers are
  std::string Folder;       ///< to make; it must not exist
  std::string Language;     ///< "c++", "c", "fortran", "cuda"
};

/// Returns the exit status of the tool.
int newCommand(const NewProject &P);

} // namespace retrograd

#endif
