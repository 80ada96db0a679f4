//===- ExceptionMarks.h - what primals say of exceptions --------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attributes by which preparation (Primal/LowerExceptions) tells analyses and
// plans what it made of exceptions. See docs/Exceptions.md.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_SUPPORT_EXCEPTIONMARKS_H
#define RETROGRAD_SUPPORT_EXCEPTIONMARKS_H

#include "llvm/ADT/StringRef.h"

namespace retrograd {

/// On a primal: an exception leaves it by a return.
inline constexpr llvm::StringLiteral ReturnsExceptions =
    "rg-returns-exceptions";
/// On a call in a primal: what follows looks for an exception that it returned.
inline constexpr llvm::StringLiteral ExceptionChecked = "rg-exception-checked";
/// On a call in a primal: what it throws cannot be followed.
inline constexpr llvm::StringLiteral ExceptionUnsupported =
    "rg-exception-unsupported";
/// On a call in a primal: a handler begins, whose exception lives until the
/// tape's scope ends.
inline constexpr llvm::StringLiteral ExceptionKept = "rg-exception-kept";
/// On such a call: what it catches is a std::exception.
inline constexpr llvm::StringLiteral StandardException =
    "rg-standard-exception";
/// On the variables for the exception "in flight", null when a derivative
/// begins, and for the one that is "handled".
inline constexpr llvm::StringLiteral ExceptionVariable =
    "rg-exception-variable";

} // namespace retrograd

#endif
