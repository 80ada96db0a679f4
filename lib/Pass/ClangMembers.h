//===- ClangMembers.h - function pointers that leave members ----*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function that initialisers and assignments put into members of structs only
// is called through these members, unless some code reads a member and does
// something else with it than to call it, or takes its address. In IR such a
// copy may be a word among others; clang knows it. Its unit's module says so
// for Primal/DispatchCalls.
//
// Like ClangLoader.cpp, for hosts that are clang only.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PASS_CLANGMEMBERS_H
#define RETROGRAD_PASS_CLANGMEMBERS_H

namespace clang {
class CompilerInstance;
}

namespace llvm {
class Module;
}

namespace retrograd {

/// Writes into M, which CI has made of its unit, from which members function
/// pointers are taken (MembersAreKnown, MovedMembers).
void noteMovedMembers(const clang::CompilerInstance &CI, llvm::Module &M);

} // namespace retrograd

#endif
