//===- Decisions.h - what a small step of an input decides otherwise -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function is not differentiable where a cast, a step, a kink or a branch on a
// number comes out otherwise for inputs close by. Which of them does is measured: the
// primal is run with each such operation writing down its outcome, at an input
// and a step to both sides of it, and the first outcome that differs is the origin.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_TOOLS_DECISIONS_H
#define RETROGRAD_TOOLS_DECISIONS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace llvm {
class Instruction;
}

namespace retrograd {

struct Decision {
  std::string File, Function; ///< as debug information has them
  unsigned Line = 0;
  std::string What;
  unsigned long Time = 0; ///< the how many-th execution of the operation, from 1
  std::string Number;     ///< the input whose step changes it
};

/// Why I has no derivative that differences would agree with; null if it has one.
const char *notDifferentiable(const llvm::Instruction &I);

/// Runs the program (checkProgram with Trace) in Source. Base names temporary files. Nothing
/// if no decision changes, or if the program cannot be made.
std::optional<Decision> measureDecisions(llvm::StringRef Driver, llvm::StringRef Source,
                                         llvm::StringRef Base,
                                         llvm::ArrayRef<std::string> Flags);

} // namespace retrograd

#endif
