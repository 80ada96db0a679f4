//===- WithoutIsl.cpp - the folder's door in builds without isl -----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled in place of all other files of this folder (lib/CMakeLists.txt).
//
//===----------------------------------------------------------------------===//

#include "Loops/LoopNests.h"

using namespace llvm;
using namespace retrograd;

bool retrograd::haveLoopNests() { return false; }

bool retrograd::improveNests(Function &, FunctionAnalysisManager &,
                             const LoopNestOptions &) {
  return false;
}

PreservedAnalyses LoopNestsPass::run(Function &, FunctionAnalysisManager &) {
  return PreservedAnalyses::all();
}
