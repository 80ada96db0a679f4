//===- CleanUp.h - simplify what was emitted -------------------*- C++ -* -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emission writes for correctness: adjoints in allocas, zeros added, stores
// that nobody reads. The host runs its simplification before our place in the
// pipeline, and not at all at -O0; so derivatives get theirs here.
// Vectorisation is left to the host, which does it after us.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_POLISH_CLEANUP_H
#define RETROGRAD_POLISH_CLEANUP_H

#include "llvm/IR/PassManager.h"

namespace retrograd {
struct Options;

/// Simplifies one derivative. Derivatives that it calls should have been
/// cleaned up before.
void cleanUp(llvm::Function &Derivative, llvm::ModuleAnalysisManager &MAM,
             const Options &Opts);

} // namespace retrograd

#endif
