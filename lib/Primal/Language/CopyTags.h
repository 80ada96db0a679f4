//===- CopyTags.h - what clang says of types -------------------*- C++ -*-===//
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

/// With -fno-strict-aliasing, where Pass/ClangTags.h has clang say what
/// accesses are of, as it does without: the names of the types stay, each with
/// a root of its own, so that they tell nothing of aliases. Where memory is
/// copied by words, through pointers to integers, nothing is said. In modules
/// that have no derivatives, and are not linked to any, all tags go.
class FreeTagsPass : public llvm::PassInfoMixin<FreeTagsPass> {
public:
  explicit FreeTagsPass(bool BeforeLink) : BeforeLink(BeforeLink) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  bool BeforeLink;
};

} // namespace retrograd

#endif
