//===- ExplainCommand.h - the plan beside the source ------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_TOOLS_EXPLAINCOMMAND_H
#define RETROGRAD_TOOLS_EXPLAINCOMMAND_H

#include <string>
#include <vector>

namespace retrograd {

struct ExplainSettings {
  std::string BinDirectory; ///< where rg-clang and rg-clang++ are
  std::string File;         ///< absolute
  std::string Shown;        ///< as the user wrote it
  std::string Function;     ///< whose gradient; empty: the file's own calls
  std::string Page;         ///< an HTML page to write; empty: text to stdout
  bool Json = false;        ///< JSON to stdout
  std::vector<std::string> Flags; ///< for the compiler
};

/// The exit status of the tool.
int explainCommand(const ExplainSettings &S);

} // namespace retrograd

#endif
