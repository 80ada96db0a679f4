//===- ClangTags.cpp - types that clang knows -----------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pass/ClangTags.h"
#include "clang/Basic/CodeGenOptions.h"
#include "clang/Basic/LangOptions.h"
#include "clang/Frontend/CompilerInstance.h"

using namespace clang;

// Clang hands plugins a const view of options that are not const.
static void setTypeSanitizer(const CompilerInstance &CI, bool On) {
  const_cast<LangOptions &>(CI.getLangOpts())
      .Sanitize.set(SanitizerKind::Type, On);
}

namespace {

/// Switches around everything in which clang makes IR. The body of a
/// translation unit ends in the pipeline: forgetCopyTags switches off there.
class TagSwitch final : public ASTConsumer {
public:
  TagSwitch(const CompilerInstance &CI, bool On) : CI(CI), On(On) {}

  void Initialize(ASTContext &) override { setTypeSanitizer(CI, On); }
  bool HandleTopLevelDecl(DeclGroupRef) override {
    setTypeSanitizer(CI, On);
    return true;
  }
  void HandleInlineFunctionDefinition(FunctionDecl *) override {
    setTypeSanitizer(CI, On);
  }
  void HandleTranslationUnit(ASTContext &) override {
    setTypeSanitizer(CI, On);
  }

private:
  const CompilerInstance &CI;
  bool On;
};

} // namespace

bool retrograd::wantsCopyTags(const CompilerInstance &CI) {
  const CodeGenOptions &CodeGen = CI.getCodeGenOpts();
  return CodeGen.OptimizationLevel == 0 &&
         !CI.getLangOpts().Sanitize.has(SanitizerKind::Type);
}

bool retrograd::wantsFreeTags(const CompilerInstance &CI) {
  const CodeGenOptions &CodeGen = CI.getCodeGenOpts();
  return CodeGen.OptimizationLevel != 0 && CodeGen.RelaxedAliasing;
}

void retrograd::beginFreeTags(const CompilerInstance &CI) {
  const_cast<CodeGenOptions &>(CI.getCodeGenOpts()).RelaxedAliasing = false;
}

bool retrograd::isForLink(const CompilerInstance &CI) {
  const CodeGenOptions &CodeGen = CI.getCodeGenOpts();
  return CodeGen.PrepareForLTO || CodeGen.PrepareForThinLTO;
}

std::unique_ptr<ASTConsumer>
retrograd::beginCopyTags(const CompilerInstance &CI) {
  // Copies get tags in this form only; it knows arrays and base classes.
  const_cast<CodeGenOptions &>(CI.getCodeGenOpts()).NewStructPathTBAA = true;
  return std::make_unique<TagSwitch>(CI, /*On=*/true);
}

std::unique_ptr<ASTConsumer>
retrograd::endCopyTags(const CompilerInstance &CI) {
  return std::make_unique<TagSwitch>(CI, /*On=*/false);
}

void retrograd::forgetCopyTags(const CompilerInstance &CI) {
  setTypeSanitizer(CI, false);
}
