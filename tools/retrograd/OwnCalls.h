//===- OwnCalls.h - what the user's own derivative calls are given --------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random points are seldom on a kink, where the user's own point may be, and
// the check's own shadows are in order, where the user's may not be. A file
// that has a `main` is a program: it is run with its derivatives, and each
// derivative call of the checked function writes down what it is given.
//
// The program runs without the right to change any file (Landlock; without
// that it is not run), without input, for some seconds, under AddressSanitizer,
// which knows how large the objects are that pointers lead to.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_TOOLS_OWNCALLS_H
#define RETROGRAD_TOOLS_OWNCALLS_H

#include "Invocation.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace retrograd {

/// What one parameter of the function got.
struct OwnArgument {
  bool Constant = false; ///< marked enzyme_const
  double Number = 0;     ///< of a number by value
  int64_t Integer = 0;   ///< of an integer by value
  bool Pointer = false;
  uint64_t Address = 0, Shadow = 0; ///< Shadow: 0 for none
  bool HasShadow = false;           ///< the call gives one, be it null
  uint64_t Behind = 0,
           ShadowBehind = 0; ///< bytes to the end of the object; 0: not known
  std::string Bytes;         ///< what is behind Address, up to some length
};

struct OwnCall {
  unsigned Line = 0;
  std::vector<OwnArgument> Arguments; ///< one per parameter of the function
};

struct OwnProgram {
  std::vector<OwnCall> Calls; ///< the first execution of each
  std::string
      Fault; ///< what AddressSanitizer said of the program; empty for nothing
};

/// Runs I.File if it is a program that differentiates I.Function. Base names
/// temporary files. No calls if that cannot be done.
OwnProgram recordOwnCalls(const Invocation &I, llvm::StringRef Driver,
                          llvm::StringRef Base);

} // namespace retrograd

#endif
