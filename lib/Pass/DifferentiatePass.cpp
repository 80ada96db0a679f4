//===- DifferentiatePass.cpp - the module pass -----------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pass/DifferentiatePass.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

PreservedAnalyses DifferentiatePass::run(Module &M, ModuleAnalysisManager &MAM) {
  (void)Opts;
  return PreservedAnalyses::all();
}
