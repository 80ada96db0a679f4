//===- ZeroShares.h - adjoints that are known to be zero --------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   double seeds[5] = {1}; // the other four outputs are not asked for
//   __enzyme_autodiff(lookup, enzyme_dup, table, dtable, enzyme_dup, out,
//   seeds);
//
// Once the derivative is part of the kernel that calls it, LLVM knows seeds[1]
// to seeds[4], but may not drop 0 * x, which is NaN where x is infinite, nor a
// + 0, nor an atomic addition of 0. A derivative may: an output whose adjoint
// is zero has no part in the gradient, however steep it is
// (docs/user/Kinks.md). So the arithmetic that emission marked as linear in an
// adjoint is folded, and additions of zero go.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_POLISH_ZEROSHARES_H
#define RETROGRAD_POLISH_ZEROSHARES_H

namespace llvm {
class Function;
class Instruction;
class Module;
} // namespace llvm

namespace retrograd {

/// Marks the additions to memory of the routines of M's runtime that add to
/// adjoints.
void markAdditions(llvm::Module &M);

/// Emission marked I as linear in an adjoint.
bool isShare(const llvm::Instruction &I);

/// Folds marked arithmetic on zeros. Whether anything changed.
bool foldZeroShares(llvm::Function &F);

/// Takes the marks off.
void dropShareMarks(llvm::Function &F);

} // namespace retrograd

#endif
