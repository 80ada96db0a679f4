//===- DefinedShifts.h - shifts by the width or more ------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// C++ leaves a shift by the width of a number or more undefined, and LLVM makes
// of it what it likes. PTX defines it: the amount is a number of 32 bits
// without sign, and what is shifted out is gone, so that the result is 0, or
// the sign. Programs rely on it: x >> s | y << 32 - s with an s of 0.
//
// At the start of the device half's pipeline, before anything is folded, shifts
// whose amount may be too large become shifts that say so. What LLVM knows to
// be in range it takes out again.
//
//===----------------------------------------------------------------------===//
#ifndef RETROGRAD_OFFLOAD_DEFINEDSHIFTS_H
#define RETROGRAD_OFFLOAD_DEFINEDSHIFTS_H

#include "llvm/IR/PassManager.h"

namespace retrograd {

class DefinedShiftsPass : public llvm::PassInfoMixin<DefinedShiftsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &,
                              llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; } // at -O0, too
};

} // namespace retrograd

#endif
