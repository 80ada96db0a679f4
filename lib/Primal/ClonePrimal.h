//===- ClonePrimal.h - a copy of a function to work on ----------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's CloneFunction() makes a faithful copy, debug information included, and
// to be faithful it walks all types that the function's debug information can
// reach: for every function again. Of the debug information we need just the
// lines, for diagnostics and for the derivative's own line table. So a clone
// gets a subprogram of its own with lines and inlining but no variables, and
// a -g build prepares the same code in the same time as one without.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PRIMAL_CLONEPRIMAL_H
#define RETROGRAD_PRIMAL_CLONEPRIMAL_H

namespace llvm {
class Function;
}

namespace retrograd {

/// A new internal function "rg.primal.<name>" with the body of F. Calls, of F
/// itself too, still name what they named.
llvm::Function *clonePrimal(llvm::Function &F);

} // namespace retrograd

#endif
