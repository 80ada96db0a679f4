//===- PrintFunctionPass.h - analyses of single functions -------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// print-type-analysis and print-activity-analysis, as scripts made for Enzyme
// call them: of the function that -type-analysis-func= or
// -activity-analysis-func= names, or of all, without any derivative call in the
// module. Each function is asked for as if by a forward-mode call with the
// default markers.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PASS_PRINTFUNCTIONPASS_H
#define RETROGRAD_PASS_PRINTFUNCTIONPASS_H

#include "Support/Options.h"
#include "llvm/IR/PassManager.h"

namespace retrograd {

class PrintFunctionPass : public llvm::PassInfoMixin<PrintFunctionPass> {
public:
  /// What is the printing option to be set.
  PrintFunctionPass(const Options &O, bool Options::*What)
      : Opts(O), What(What) {}
  llvm::PreservedAnalyses run(llvm::Module &M,
                              llvm::ModuleAnalysisManager &MAM);
  static bool isRequired() { return true; }

private:
  Options Opts;
  bool Options::*What;
};

/// A pass of other plugins that has nothing to do here.
class NothingPass : public llvm::PassInfoMixin<NothingPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &, llvm::ModuleAnalysisManager &) {
    return llvm::PreservedAnalyses::all();
  }
};

} // namespace retrograd

#endif
