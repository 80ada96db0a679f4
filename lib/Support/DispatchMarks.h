//===- DispatchMarks.h - what preparation says of calls by address --------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attributes of the functions that stand for calls through pointers
// (Primal/DispatchCalls.h), and of copies.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_SUPPORT_DISPATCHMARKS_H
#define RETROGRAD_SUPPORT_DISPATCHMARKS_H

#include "llvm/ADT/StringRef.h"

namespace retrograd {

/// On a dispatcher: its last parameter is the address to be called, and the
/// attribute's value the number of functions that this may be.
inline constexpr llvm::StringLiteral DispatchesCalls = "rg-dispatches";
/// On a function that stands for a callee nobody can see: without
/// differentiating it it can be called, and no caller is refused because of it.
inline constexpr llvm::StringLiteral UnseenCallee = "rg-unseen";
/// On a copy of a function for the constants that a dispatcher passes.
inline constexpr llvm::StringLiteral FixedArguments = "rg-fixed-arguments";
/// Metadata of a copy of memory, or of a load or store: it moves characters or
/// counts of owners, no numbers and no pointers. Also of an atomic operation on
/// such a count.
inline constexpr llvm::StringLiteral CopiesCharacters = "rg.characters";
/// Metadata of an access to an integer of less than four bytes that a struct
/// declares as a member: no part of a number, and no evidence of what others
/// take its place for.
inline constexpr llvm::StringLiteral DeclaredMember = "rg.member";
/// Metadata of a copy of memory, `!{!"0:f64", i64 8}` as in rg.layout: the
/// standard library moves elements of this type, whatever else an analysis
/// finds at its ends.
inline constexpr llvm::StringLiteral CopiesElements = "rg.elements";
/// Named metadata of a module that copies the bytes of variables which are
/// floats from or to memory
/// (`memcpy(&words[i], &x, sizeof x)`): it may keep them in what is declared to
/// be something else.
inline constexpr llvm::StringLiteral CopiesBits = "rg.copies.bits";

} // namespace retrograd

#endif
