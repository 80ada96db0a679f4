//===- LowerEntryCalls.h - replace the user's derivative calls --*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The last step of a request: the call of a function that does not exist becomes
// a call of the derivative. What goes where was decided by Request/EntryCalls.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PASS_LOWERENTRYCALLS_H
#define RETROGRAD_PASS_LOWERENTRYCALLS_H

#include "Request/EntryCalls.h"

namespace retrograd {

/// Replaces one entry call by a call of Derivative, whose type is
/// Entry.Request.functionType(). Entry.Call is gone afterwards.
void lowerEntryCall(EntryCall &Entry, llvm::Function &Derivative);

/// Removes an entry call that was diagnosed; its result becomes zero. The module
/// stays valid, and the host fails in its own way because of the error.
void removeRefusedCall(llvm::CallBase &Call);

/// Deletes declarations of entry points and markers that nothing uses any more:
/// users only declare them, so they must not reach the linker.
void removeUnusedEntryDeclarations(llvm::Module &M);

/// A function with a body for one that has none but is known to the catalogue
/// (`__enzyme_autodiff(sin, x)`): it calls Known and returns its result.
llvm::Function *makeForwarder(llvm::Function &Known);

/// Gives every entry call whose function is a parameter of the function around
/// it (a wrapper) a private copy of that wrapper per function passed by callers
/// in this module, and redirects those callers. Returns true if IR changed.
///
/// At -O0 and across noinline, `template <class F> double grad(F *f, double x)
/// { return __enzyme_autodiff<double>((void *)f, x); }` is such a wrapper.
bool specializeWrappers(llvm::Module &M);

} // namespace retrograd

#endif
