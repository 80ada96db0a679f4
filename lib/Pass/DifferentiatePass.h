//===- DifferentiatePass.h - the module pass --------------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replaces each entry call by a call of the derivative it asks for.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PASS_DIFFERENTIATEPASS_H
#define RETROGRAD_PASS_DIFFERENTIATEPASS_H

#include "Pass/DeferToLink.h"
#include "Support/Options.h"
#include "llvm/IR/PassManager.h"

namespace retrograd {

class DifferentiatePass : public llvm::PassInfoMixin<DifferentiatePass> {
public:
  explicit DifferentiatePass(Options O, LinkStage S = LinkStage::ByName)
      : Opts(std::move(O)), Stage(S) {}
  llvm::PreservedAnalyses run(llvm::Module &M,
                              llvm::ModuleAnalysisManager &MAM);
  /// Runs at -O0 and over optnone functions too: an entry call is not an
  /// optimisation.
  static bool isRequired() { return true; }

private:
  Options Opts;
  LinkStage Stage;
};

} // namespace retrograd

#endif
