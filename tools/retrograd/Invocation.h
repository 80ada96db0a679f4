//===- Invocation.h - what a command was asked for ------------ -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_TOOLS_INVOCATION_H
#define RETROGRAD_TOOLS_INVOCATION_H

#include "llvm/Support/JSON.h"
#include <string>
#include <vector>

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
  bool Brief = false; ///< no table: what is wrong, and whose fault it is
  bool Keep = false;
  /// End with a line for another process to read (Doctor.h).
  bool Findings = false;
  /// CUDA: run on the GPU of this machine, not on the processor.
  bool OnGpu = false;
  llvm::json::Object *Json = nullptr; ///< where check puts its numbers, too

  bool isCuda() const { return llvm::StringRef(File).ends_with(".cu"); }
};

} // namespace retrograd

#endif
