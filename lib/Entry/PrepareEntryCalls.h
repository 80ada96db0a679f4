//===- PrepareEntryCalls.h - from a module to its requests ------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Request/EntryCalls decodes what it finds and changes nothing. Some calls
// become readable only after a small change of the code around them; these
// changes are made here, and only in modules that hold an entry call.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_ENTRY_PREPAREENTRYCALLS_H
#define RETROGRAD_ENTRY_PREPAREENTRYCALLS_H

#include "Request/EntryCalls.h"
#include "llvm/IR/PassManager.h"

namespace retrograd {

/// The entry calls of M, decoded; see collectEntryCalls. Every Request.Primal
/// has a body, and knows the functions that are passed to it as constant
/// arguments.
EntryCalls
prepareEntryCalls(llvm::Module &M, llvm::ModuleAnalysisManager &MAM,
                  DiagnosticEngine &Diags,
                  llvm::function_ref<bool(const llvm::Function &)> HasRule);

//===-- The steps, for tests
//------------------------------------------------===//

/// Gives every entry call whose function is a parameter of the function around
/// it (a wrapper) a private copy of that wrapper per function passed by callers
/// in this module, and redirects those callers. Returns true if IR changed.
///
/// At -O0 and across noinline, `template <class F> double grad(F *f, double x)
/// { return __enzyme_autodiff<double>((void *)f, x); }` is such a wrapper.
bool specializeWrappers(llvm::Module &M);

/// Makes a call for each of the functions that an entry call may name, where
/// they are known and few; which one runs is asked of the address. Returns true
/// if IR changed.
bool separateFunctions(llvm::Module &M);

/// If constant arguments of the entry call are functions, or null, lets the
/// request name a private copy of the primal that calls them directly
/// (`__enzyme_autodiff(integrate, enzyme_const, rhs, ...)`), or has no memory
/// there that could be without a shadow (`enzyme_const, nullptr`).
void specializePrimal(EntryCall &Entry);

/// A function with a body for one that has none but is known to the catalogue
/// (`__enzyme_autodiff(sin, x)`): it calls Known and returns its result.
llvm::Function *makeForwarder(llvm::Function &Known);

} // namespace retrograd

#endif
