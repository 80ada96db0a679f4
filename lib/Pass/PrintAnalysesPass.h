//===- PrintAnalysesPass.h - print<rg-types> and its like -------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes every derivative call of a module, and what its plan asks of callees,
// through preparation, analysis and plan; prints one of the results, and emits
// nothing. The derivative calls stay.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PASS_PRINTANALYSESPASS_H
#define RETROGRAD_PASS_PRINTANALYSESPASS_H

#include "Support/Options.h"
#include "llvm/IR/PassManager.h"

namespace retrograd {

class PrintAnalysesPass : public llvm::PassInfoMixin<PrintAnalysesPass> {
public:
  /// What is the printing option to be set.
  PrintAnalysesPass(Options O, bool Options::*What) : Opts(std::move(O)) {
    Opts.*What = true;
  }
  llvm::PreservedAnalyses run(llvm::Module &M,
                              llvm::ModuleAnalysisManager &MAM);
  static bool isRequired() { return true; }

private:
  Options Opts;
};

} // namespace retrograd

#endif
