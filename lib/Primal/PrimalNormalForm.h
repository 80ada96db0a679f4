//===- PrimalNormalForm.h - one form for all primals -----------*- C++ -* -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What brings a clone to the form that lib/Primal/README.md promises. Every
// function here leaves the cached analyses of its function valid or dropped.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PRIMAL_PRIMALNORMALFORM_H
#define RETROGRAD_PRIMAL_PRIMALNORMALFORM_H

#include "Analysis/LiveBlocks.h"
#include "llvm/IR/PassManager.h"

namespace retrograd {
class Catalogue;

/// Turns an invoke into a call when its landing pad cannot lead to a return and
/// only gives memory back: an exception that leaves leaves that memory behind,
/// and what does return is simpler to analyse. Clean-ups that others notice
/// (locks, destructors of the program's) run.
void dropDeadEndUnwinding(llvm::Function &F, const Catalogue &Cat);

/// Removes assembly without text: barriers to the optimiser, which would only
/// hide from us what the code means. Before simplification.
void dropEmptyAssembly(llvm::Function &F);

/// Assembly without text that hides a float from the optimiser becomes an
/// arithmetic fence, which does the same and has a derivative. Early: it may
/// keep variables in memory.
void replaceBarriers(llvm::Function &F);

/// Removes lifetime, assume and invariant markers, tail-call marks, and alias
/// scopes that mean another scope in each iteration of a loop.
void dropMarkers(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/// Addresses that are computed as integers, or masked for alignment, become
/// their base plus a number of bytes. So everything that follows sees where
/// they point, and a shadow lies as far from its base as the primal does,
/// however its own base is aligned.
void spellAddresses(llvm::Function &F);

/// Operands of atomic operations on integers that are read from among numbers
/// of their size: read as such, and taken as bits then (Analysis/KeptNumber.h).
void spellBitsInAtomics(llvm::Function &F);

/// Words that are only copied, by a load and a store of an integer: typed ones
/// (a double, a pointer) become copies of that type, and, if Untyped, the
/// others copies of memory, since they may hold pointers and floats by turns.
void spellWordCopies(llvm::Function &F, bool Untyped);

/// Reducible loops with preheader, one latch and exits of their own; at most
/// one return; no dead blocks. Rotations by whole bytes become shifts.
void normaliseControlFlow(llvm::Function &F,
                          llvm::FunctionAnalysisManager &FAM);

/// Passes over clones.
class PrimalSimplifier {
public:
  PrimalSimplifier();
  /// Cheap: promotes variables and folds, so that sizes mean something.
  void simplifyQuickly(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
  /// LLVM's function simplification pipeline at -O2 (no vectorisation).
  void simplifyFully(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

private:
  llvm::FunctionPassManager Quick, Full;
};

} // namespace retrograd

#endif
