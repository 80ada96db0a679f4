//===- InactiveValues.h - values that carry no derivative -------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Users can say of a value or of one call that no derivative is to flow:
// __enzyme_ignore_derivatives(x), an instruction with !enzyme_inactive,
// __enzyme_call_inactive(f, x). For the time in which
// derivatives are made, such a value goes through a function of its own that is
// declared inactive; LLVM cannot forward a value past it. Where no link
// follows, the function goes afterwards.
//
// Numbers that are read or written by the name of an inactive global go through
// such a function from the start of the pipeline on (HoldInactiveGlobalsPass):
// the optimiser may take memory out of their way, and what they carry must not
// depend on that.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_GUARD_INACTIVEVALUES_H
#define RETROGRAD_GUARD_INACTIVEVALUES_H

#include "Catalogue/Catalogue.h"
#include "Support/LinkStage.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class Module;
}

namespace retrograd {

/// At the start of the pipeline, in modules with entry calls and in those that
/// a linker may put beside one.
class HoldInactiveGlobalsPass
    : public llvm::PassInfoMixin<HoldInactiveGlobalsPass> {
public:
  explicit HoldInactiveGlobalsPass(PipelineStage S) : Stage(std::move(S)) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  PipelineStage Stage;
};

void markInactiveValues(llvm::Module &M, Catalogue &Cat);
/// Takes the functions away that markInactiveValues made, in the user's code
/// and in derivatives. Were there any?
bool releaseInactiveValues(llvm::Module &M);

} // namespace retrograd

#endif
