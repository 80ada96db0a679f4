//===- DispatchMarks.h - what preparation says of calls by address --------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attributes of the functions that stand for calls through pointers
// (Primal/DispatchCalls.h).
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_SUPPORT_DISPATCHMARKS_H
#define RETROGRAD_SUPPORT_DISPATCHMARKS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/InstrTypes.h"

namespace retrograd {

/// On a dispatcher: its last parameter is the address to be called, and the
/// attribute's value the number of functions that this may be.
inline constexpr llvm::StringLiteral DispatchesCalls = "rg-dispatches";
/// On a dispatcher: the address may be a trampoline's, which leads to variables
/// as well as to code (Primal/Language/Trampolines.h).
inline constexpr llvm::StringLiteral ReadsTrampolines = "rg-reads-trampolines";
/// On a function that stands for a callee nobody can see: without
/// differentiating it it can be called, and no caller is refused because of it.
/// On a call: the program ends there, since the callee has no derivative.
inline constexpr llvm::StringLiteral UnseenCallee = "rg-unseen";
/// On a copy of a function for the constants that a dispatcher passes.
inline constexpr llvm::StringLiteral FixedArguments = "rg-fixed-arguments";
/// On a function of the runtime: what it keeps by address is its own, and never
/// what a pointer of the program leads to. On a call: the runtime makes it.
inline constexpr llvm::StringLiteral OfRuntime = "rg-of-runtime";
/// On a function that generated code hands to the runtime, to be called on
/// other threads: no pointer of the program leads to it.
inline constexpr llvm::StringLiteral HandedToRuntime = "rg-handed";
/// On a call: it ends an object, by the table of the object's type. One whose
/// type is not in the module ends the program.
inline constexpr llvm::StringLiteral DropsObject = "rg-drops-object";
/// On a call: it is one through a pointer to a member that is the address of a
/// function, and so calls none that only virtual tables hold.
inline constexpr llvm::StringLiteral CallsByAddress = "rg-by-address";

/// Call only compares its operand U with addresses of code, and calls it.
inline bool isCodeFor(const llvm::CallBase &Call, const llvm::Use &U) {
  const llvm::Function *Callee = Call.getCalledFunction();
  return Call.isCallee(&U) ||
         (Callee && Callee->hasFnAttribute(DispatchesCalls) &&
          !Callee->hasFnAttribute(ReadsTrampolines) && Call.isArgOperand(&U) &&
          Call.getArgOperandNo(&U) + 1 == Call.arg_size());
}

} // namespace retrograd

#endif
