//===- ClangTags.h - types of copies from clang at -O0 ----------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clang knows the type of every copy (`*to = *from`, `new T(*from)`, captures),
// and writes it beside the memcpy as a TBAA tag, for the optimiser. At -O0 it
// writes none, except for its type sanitizer. So while clang makes IR, and only
// then, it believes that this sanitizer is on: neither the preprocessor nor the
// pipeline sees it. KeepCopyTagsPass (Primal/Language/CopyTags.h) then takes
// away what the sanitizer would have needed besides.
//
// Like ClangLoader.cpp, for hosts that are clang only.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PASS_CLANGTAGS_H
#define RETROGRAD_PASS_CLANGTAGS_H

#include "clang/AST/ASTConsumer.h"
#include <memory>

namespace clang {
class CompilerInstance;
}

namespace retrograd {

/// True if CI compiles without optimisation, and without a wish of the user's
/// that types of accesses mean nothing (-fno-strict-aliasing).
bool wantsCopyTags(const clang::CompilerInstance &CI);

/// Consumers in front of clang's own and behind it.
std::unique_ptr<clang::ASTConsumer>
beginCopyTags(const clang::CompilerInstance &CI);
std::unique_ptr<clang::ASTConsumer>
endCopyTags(const clang::CompilerInstance &CI);

/// When the module is complete, before its pipeline is built.
void forgetCopyTags(const clang::CompilerInstance &CI);

} // namespace retrograd

#endif
