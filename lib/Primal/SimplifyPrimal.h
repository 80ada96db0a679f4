//===- SimplifyPrimal.h - LLVM passes over clones ---------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Primals are simplified by LLVM's own passes, quickly while functions are
// inlined, and by its whole pipeline when all of the code is there. Comparisons
// for equality are folded first where the compiler may fold them
// (Guard/KeepEqualities.h).
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PRIMAL_SIMPLIFYPRIMAL_H
#define RETROGRAD_PRIMAL_SIMPLIFYPRIMAL_H

#include "llvm/IR/PassManager.h"

namespace retrograd {

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
