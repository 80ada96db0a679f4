//===- LinkRuntimePass.h - rg-link-runtime ----------------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gives runtime functions that the module only declares their bodies. For code
// that calls the runtime itself but has no derivative in it, and for tests of
// the runtime as it runs in programs.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PASS_LINKRUNTIMEPASS_H
#define RETROGRAD_PASS_LINKRUNTIMEPASS_H

#include "Bitcode/RuntimeLibrary.h"
#include "llvm/IR/PassManager.h"

namespace retrograd {

class LinkRuntimePass : public llvm::PassInfoMixin<LinkRuntimePass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &) {
    return RuntimeLibrary(M).resolveDeclarations()
               ? llvm::PreservedAnalyses::none()
               : llvm::PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

} // namespace retrograd

#endif
