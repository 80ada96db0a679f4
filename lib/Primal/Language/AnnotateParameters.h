//===- AnnotateParameters.h - keep what clang's first code tells ----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs at the start of the pipeline, before anything is simplified, and writes
// down which parameters were one struct in the source
// (Request/ParameterGroups), which copies move characters, what members copied
// structs have, and what Fortran's descriptors are of. Modules without entry
// calls are left as they are, unless a linker may put them beside one.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PRIMAL_LANGUAGE_ANNOTATEPARAMETERS_H
#define RETROGRAD_PRIMAL_LANGUAGE_ANNOTATEPARAMETERS_H

#include "Support/LinkStage.h"
#include "llvm/IR/PassManager.h"

namespace retrograd {

class AnnotateParametersPass
    : public llvm::PassInfoMixin<AnnotateParametersPass> {
public:
  explicit AnnotateParametersPass(PipelineStage S = nullptr)
      : Stage(std::move(S)) {}
  llvm::PreservedAnalyses run(llvm::Module &M,
                              llvm::ModuleAnalysisManager &MAM);
  static bool isRequired() { return true; }

private:
  PipelineStage Stage;
};

} // namespace retrograd

#endif
