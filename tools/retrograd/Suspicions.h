//===- Suspicions.h - what the user said of a function ----------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rules that somebody registered for a function, claims that it is like
// another, and marks that drop a derivative: each may be the cause of a wrong
// derivative. Which one can be depends on what a check found.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_TOOLS_SUSPICIONS_H
#define RETROGRAD_TOOLS_SUSPICIONS_H

#include "Doctor.h"
#include "Request/Registrations.h"
#include <string>
#include <vector>

namespace retrograd {

/// A rule, a mark or a claim of the user's about a function: what is said about
/// it.
struct Suspicion {
  std::string What;
  /// The rule's line; 0: that of the function it is registered for.
  unsigned Line = 0;
  std::string Further = {}; ///< a second line, if there is more to say
};

/// What is registered for F and can be the reason of what was found.
std::vector<Suspicion> suspicionsOf(const Invocation &I,
                                    const llvm::Function &F,
                                    const Findings &Found,
                                    llvm::ArrayRef<Registration> All);

/// If Inst drops a derivative because the user said so: what is to be said of
/// it.
std::string markOf(const Invocation &I, const llvm::Instruction &Inst,
                   llvm::ArrayRef<Registration> All);

} // namespace retrograd

#endif
