//===- LoadHoisting.h - loads out of loops over threads ---------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef RETROGRAD_OFFLOAD_LOADHOISTING_H
#define RETROGRAD_OFFLOAD_LOADHOISTING_H

#include "llvm/IR/PassManager.h"

namespace retrograd {

/// Takes loads that all threads do alike out of loops over threads, which
/// promise that their iterations do not conflict (llvm.loop.parallel_accesses).
struct LoadHoistingPass : llvm::PassInfoMixin<LoadHoistingPass> {
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &FAM);
};

} // namespace retrograd

#endif
