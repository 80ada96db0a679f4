//===- PrintPrimalPass.h - print<rg-primal> ---------------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prepares the module's primals, verifies and prints the clones, and leaves the
// module as it was. Primals are the functions with the attribute "rg-prepare";
// where no function has it, all that other modules could call.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PASS_PRINTPRIMALPASS_H
#define RETROGRAD_PASS_PRINTPRIMALPASS_H

#include "Support/Options.h"
#include "llvm/IR/PassManager.h"

namespace retrograd {

class PrintPrimalPass : public llvm::PassInfoMixin<PrintPrimalPass> {
public:
  explicit PrintPrimalPass(Options O) : Opts(std::move(O)) {}
  llvm::PreservedAnalyses run(llvm::Module &M,
                              llvm::ModuleAnalysisManager &MAM);
  static bool isRequired() { return true; }

private:
  Options Opts;
};

} // namespace retrograd

#endif
