//===- ClangMembers.h - what members hold ----------------------*- C++ -*-===//
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
// The bytes of an integer member are those of a number where its struct shares
// a union with one. In IR a pointer to the struct does not tell.
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
/// pointers are taken (MembersAreKnown, MovedMembers), and whether its pointers
/// to member functions are their addresses (MemberPointersAreAddresses).
void noteMovedMembers(const clang::CompilerInstance &CI, llvm::Module &M);

/// Writes into M the names of the structs that lie in a union beside a number
/// (NumbersBeside). Where the optimiser is going to run, marks accesses to
/// bit-fields of all others.
void noteIntegerMembers(const clang::CompilerInstance &CI, llvm::Module &M);

/// Writes into M which members of structs are arrays of `char` and are used as
/// such (noteText): not those whose address becomes one of something else, nor
/// those of structs that lie in unions.
void noteTextMembers(const clang::CompilerInstance &CI, llvm::Module &M);

} // namespace retrograd

#endif
