//===- CallerText.h - a function that calls another, as text ----*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A check calls a function by its name, with arguments that it can fill. A
// member, an instance of a template or a function that takes structs by value
// is called by a function that is written for it, from debug information.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_TOOLS_CALLERTEXT_H
#define RETROGRAD_TOOLS_CALLERTEXT_H

#include <string>

namespace llvm {
class Function;
} // namespace llvm

namespace retrograd {

/// The text, as C or C++, of a function `rg_caller` that takes what a check can
/// fill, and calls F. Empty where debug information does not suffice.
std::string callerText(const llvm::Function &F, bool CPlusPlus, bool OnDevice);

} // namespace retrograd

#endif
