//===- CopyTags.h - what clang says of copies at -O0 ------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PRIMAL_LANGUAGE_COPYTAGS_H
#define RETROGRAD_PRIMAL_LANGUAGE_COPYTAGS_H

#include "llvm/IR/PassManager.h"

namespace retrograd {

/// At -O0, where Pass/ClangTags.h has clang say of what type each copy is: this
/// becomes SourceFact::Declared. All else that clang says goes, since accesses
/// may be of any type at -O0.
class KeepCopyTagsPass : public llvm::PassInfoMixin<KeepCopyTagsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace retrograd

#endif
