//===- ClangTags.h - types that clang knows ---------------------*- C++ -*-===//
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
// With optimisation, clang writes tags of accesses, too, but with
// -fno-strict-aliasing none: it would tell the optimiser what the user denies.
// So clang is told otherwise, and FreeTagsPass (the same header) makes tags of
// them that name types and say nothing of aliases.
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

/// True if CI compiles without optimisation.
bool wantsCopyTags(const clang::CompilerInstance &CI);

/// True if CI optimises, and the user wishes that types of accesses mean
/// nothing (-fno-strict-aliasing).
bool wantsFreeTags(const clang::CompilerInstance &CI);
/// Has clang write tags all the same.
void beginFreeTags(const clang::CompilerInstance &CI);
/// True if the module is linked as bitcode.
bool isForLink(const clang::CompilerInstance &CI);

/// Consumers in front of clang's own and behind it.
std::unique_ptr<clang::ASTConsumer>
beginCopyTags(const clang::CompilerInstance &CI);
std::unique_ptr<clang::ASTConsumer>
endCopyTags(const clang::CompilerInstance &CI);

/// When the module is complete, before its pipeline is built.
void forgetCopyTags(const clang::CompilerInstance &CI);

} // namespace retrograd

#endif
