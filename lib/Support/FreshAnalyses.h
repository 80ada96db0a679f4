//===- FreshAnalyses.h - analyses for a pipeline of our own -----*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_SUPPORT_FRESHANALYSES_H
#define RETROGRAD_SUPPORT_FRESHANALYSES_H

#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include <memory>

namespace retrograd {

/// Analysis managers for a pipeline that runs apart from the host's, on a
/// module that the host's managers do not know.
struct FreshAnalyses {
  std::unique_ptr<llvm::TargetMachine>
      Machine; ///< null: a machine without costs
  llvm::LoopAnalysisManager LAM;
  llvm::FunctionAnalysisManager FAM;
  llvm::CGSCCAnalysisManager CGAM;
  llvm::ModuleAnalysisManager MAM;
  llvm::PassBuilder PB;

  explicit FreshAnalyses(std::unique_ptr<llvm::TargetMachine> TM = nullptr)
      : Machine(std::move(TM)), PB(Machine.get()) {
    PB.registerModuleAnalyses(MAM);
    PB.registerCGSCCAnalyses(CGAM);
    PB.registerFunctionAnalyses(FAM);
    PB.registerLoopAnalyses(LAM);
    PB.crossRegisterProxies(LAM, FAM, CGAM, MAM);
  }
};

} // namespace retrograd

#endif
