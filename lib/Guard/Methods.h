//===- Methods.h - parallel loops that are methods of libraries -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library of C++ templates whose scheduler is not seen, oneTBB say, runs the
// program's loop bodies somewhere below a function of its own, the *method*: an
// instantiation, in the user's module, for one range and one body. Not its
// tasks are differentiated, but the method as a whole. Before anything is
// simplified it gets a *substitute* with the same parameters, which does what
// the method promises by what the range and the body promise:
//
//   pieces = the range, split by its own splitting constructor
//   rg.fork.method.N(threads, pieces, ...)     a team of ours (binding Team);
//                                              each thread runs some pieces
//   joins, of reductions
//
// In primals the method's calls become calls of the substitute. In the program
// itself the method stays what it is. See docs/Parallel.md.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_GUARD_METHODS_H
#define RETROGRAD_GUARD_METHODS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class Constant;
class Function;
class Module;
} // namespace llvm

namespace retrograd {
class DiagnosticEngine;

/// Makes substitutes for the methods of M, whose code is as clang wrote it.
/// Returns the methods that have one. Warns of loops of the program that it
/// says to be methods and that have none.
llvm::SmallVector<llvm::Function *, 4>
substituteMethods(llvm::Module &M, DiagnosticEngine &Diags);

/// Null if F is no method that has one.
llvm::Function *substituteOf(const llvm::Function &F);

/// Constants that From refer to in primals, directly or not: functions by what
/// they do, methods by what their substitutes do.
llvm::SmallSetVector<const llvm::Constant *, 32>
referredTo(llvm::ArrayRef<const llvm::Constant *> From);

/// Functions of M that nothing refers to but methods that have substitutes, the
/// library's tasks say. No primal calls them.
llvm::SmallPtrSet<const llvm::Function *, 32>
usedByMethodsOnly(const llvm::Module &M);

/// No derivative will ask for substitutes any more. Where derivatives run in
/// teams of ours, so do the methods that they call, and what is not
/// differentiated asks the runtime for its thread. True if there were any.
bool dropSubstitutes(llvm::Module &M);

/// Calls of methods in the fresh clone of Original become calls of substitutes,
/// and in what one thread of a team does, calls of that.
void useSubstitutes(llvm::Function &Clone, const llvm::Function &Original);

} // namespace retrograd

#endif
