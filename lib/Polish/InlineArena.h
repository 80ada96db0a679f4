//===- InlineArena.h - the tape's fast path in loops ---------- -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Allocation of tape is an addition and a comparison, where the arena has room.
// In loops that is worth inlining.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_POLISH_INLINEARENA_H
#define RETROGRAD_POLISH_INLINEARENA_H

#include "llvm/IR/PassManager.h"

namespace retrograd {

/// Inlines into a derivative what the runtime means to be inlined. When all
/// derivatives are made: one that is differentiated again has to call its tape
/// by name. It is also after simplification, which makes use of calls whose
/// result aliases nothing.
void inlineArena(llvm::Function &Derivative, llvm::ModuleAnalysisManager &MAM);

} // namespace retrograd

#endif
