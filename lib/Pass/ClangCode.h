//===- ClangCode.h - all code of a unit that runs --------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Like ClangLoader.cpp, for hosts that are clang only.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PASS_CLANGCODE_H
#define RETROGRAD_PASS_CLANGCODE_H

#include "clang/AST/RecursiveASTVisitor.h"

namespace retrograd {

/// Walks through all code of a unit that runs.
template <class Reader>
class CodeReader : public clang::RecursiveASTVisitor<Reader> {
  CodeReader() = default;
  friend Reader;

public:
  bool shouldVisitTemplateInstantiations() const { return true; }
  bool shouldVisitLambdaBody() const { return true; }
  bool shouldWalkTypesOfTypeLocs() const { return false; }
  // NOLINTNEXTLINE(readability-identifier-naming): Clang's name.
  bool TraverseUnaryExprOrTypeTraitExpr(clang::UnaryExprOrTypeTraitExpr *) {
    return true; // its operand is not evaluated
  }
};

bool hasLayout(const clang::RecordDecl &R);
/// Bytes from the beginning of R.
uint64_t offsetOf(const clang::ASTContext &Ctx, const clang::RecordDecl &R,
                  const clang::FieldDecl &Field);
/// One of two types, repeated, has an integer where the other has a number.
bool holdsIntegersForNumbers(const clang::ASTContext &Ctx, clang::QualType A,
                             clang::QualType B);

} // namespace retrograd

#endif
