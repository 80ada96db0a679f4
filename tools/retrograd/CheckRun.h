//===- CheckRun.h - programs that a check makes and runs ------ -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_TOOLS_CHECKRUN_H
#define RETROGRAD_TOOLS_CHECKRUN_H

#include "CheckProgram.h"
#include "Invocation.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/Twine.h"

namespace retrograd {

/// Says why there is no answer. 2, the exit status for that.
int complain(const llvm::Twine &Message);

/// Runs a program; its output goes to ours unless Output names a file.
int execute(llvm::StringRef Program, llvm::ArrayRef<std::string> Arguments,
            std::string &Problem, llvm::StringRef Output = "");

/// The folder of one check, removed when done unless the user wants it.
class Workplace {
public:
  explicit Workplace(bool Keep);
  ~Workplace();
  Workplace(const Workplace &) = delete;
  Workplace &operator=(const Workplace &) = delete;

  std::string file(llvm::StringRef Name) const;
  bool failed() const { return Failed; }

private:
  llvm::SmallString<256> Path;
  bool Keep, Failed = false;
};

bool writeFile(const std::string &Path, llvm::StringRef Text);

/// The compiler driver for the function's language.
std::string driverFor(const Invocation &I, const Signature &F);

std::vector<std::string> withFlags(std::vector<std::string> Words,
                                   llvm::ArrayRef<std::string> Flags);

/// Of the program that is made for the user's file.
std::string ending(const Invocation &I, const Signature &F);

/// Flags that tell the driver how to make a program of a CUDA file (for a GPU
/// the toolkit's runtime is linked), and those that tell libclang how to read
/// one. None for other files.
std::vector<std::string> targetFlags(const Invocation &I);
std::vector<std::string> readingFlags(const Invocation &I);

} // namespace retrograd

#endif
