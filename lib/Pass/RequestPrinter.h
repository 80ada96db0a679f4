//===- RequestPrinter.h - print<rg-requests> --------------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints what the user asked for in a module: each entry call as it was
// decoded. Calls that cannot be decoded are diagnosed as the real pass would do
// it.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PASS_REQUESTPRINTER_H
#define RETROGRAD_PASS_REQUESTPRINTER_H

#include "llvm/IR/PassManager.h"

namespace retrograd {

class RequestPrinterPass : public llvm::PassInfoMixin<RequestPrinterPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M,
                              llvm::ModuleAnalysisManager &MAM);
  static bool isRequired() { return true; }
};

} // namespace retrograd

#endif
