//===- Decisions.h - what a small step of an input decides otherwise ------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function is not differentiable where a cast, a step, a kink or a branch on
// a number comes out otherwise for inputs close by. Which of them does is
// measured: the primal is run with each such operation writing down its
// outcome, at an input and a step to both sides of it, and the first outcome
// that differs is the origin.
//
// What the bits of a number decide is asked second: comparisons of integers,
// switches and indices are written down only if nothing else differs, since
// there are many of them, and those that follow from a cast would hide it.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_TOOLS_DECISIONS_H
#define RETROGRAD_TOOLS_DECISIONS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class DISubprogram;
class Instruction;
class Module;
} // namespace llvm

namespace retrograd {

struct Decision {
  std::string File;     ///< as debug information has it
  std::string Function; ///< qualified
  unsigned Line = 0;
  std::string What;
  unsigned long Time =
      0;              ///< the how many-th execution of the operation, from 1
  std::string Number; ///< the input whose step changes it
};

/// The name by which the user's program calls a function: "ns::S::f".
std::string qualifiedName(const llvm::DISubprogram &SP);

/// What running the primal showed.
struct Measured {
  bool Ran = false;
  std::optional<Decision>
      Changed; ///< the first decision that a small step changes
  /// What a sanitizer said of the primal, with its place, where no decision
  /// changes.
  std::optional<std::string> Undefined;
};

/// Why I has no derivative that differences would agree with; null if it has
/// one.
const char *notDifferentiable(const llvm::Instruction &I);

/// Links the files of bitcode among Flags (objects of -flto, of any language)
/// into M. The flags without them.
std::vector<std::string> linkBitcode(llvm::Module &M,
                                     llvm::ArrayRef<std::string> Flags);

/// Runs the program (checkProgram with Trace) in Source. Base names temporary
/// files.
Measured measureDecisions(llvm::StringRef Driver, llvm::StringRef Source,
                          llvm::StringRef Base,
                          llvm::ArrayRef<std::string> Flags);

/// Runs it under the sanitizers, and says what the first of them finds:
/// undefined behaviour has no derivative. Nothing if they find nothing, or
/// cannot be had.
std::optional<std::string> findUndefined(llvm::StringRef Driver,
                                         llvm::StringRef Source,
                                         llvm::StringRef Base,
                                         llvm::ArrayRef<std::string> Flags);

} // namespace retrograd

#endif
