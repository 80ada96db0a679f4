//===- TapeBytes.h - tapes in structs of bytes, on their way ----*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that keeps its tapes in structs of bytes (docs/SplitMode.md, in
// place) would store and load them byte by byte, each byte an operation of all
// lanes: by value a struct is a list of its members to the optimiser, and in
// memory nothing says that it is aligned. KeepBytesTogetherPass, at the start
// of the pipeline, has such a struct returned in memory, as it would be on the
// host. AskForAlignmentPass, at the end, takes words of the tape whole where
// their address turns out to be aligned when the program runs.
//
//===----------------------------------------------------------------------===//
#ifndef RETROGRAD_GUARD_TAPEBYTES_H
#define RETROGRAD_GUARD_TAPEBYTES_H

#include "llvm/IR/PassManager.h"

namespace retrograd {

class KeepBytesTogetherPass
    : public llvm::PassInfoMixin<KeepBytesTogetherPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

/// Of functions that hold tapes in place (holdTape).
class AskForAlignmentPass : public llvm::PassInfoMixin<AskForAlignmentPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &);
};

/// F holds a tape in place.
void holdTape(llvm::Function &F);

} // namespace retrograd

#endif // RETROGRAD_GUARD_TAPEBYTES_H
