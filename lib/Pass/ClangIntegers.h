//===- ClangIntegers.h - are numbers reached as integers? ------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory that a program deals out itself holds integers and numbers at places
// that nobody knows apart. An access that is written as one of an `int` is one
// of an integer there, by the rules of C, but for programs that look at the
// bits of numbers by the address of an integer. Those show it: somewhere an
// address of numbers, perhaps by way of `void *`, becomes one of integers.
//
// Addresses without type are told apart by the variables, members, parameters
// and functions that hand them on. An address that was moved from a number's is
// of another place.
//
// Like ClangLoader.cpp, for hosts that are clang only.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PASS_CLANGINTEGERS_H
#define RETROGRAD_PASS_CLANGINTEGERS_H

namespace clang {
class CompilerInstance;
}

namespace llvm {
class Module;
}

namespace retrograd {

/// Writes SourceFact::PlainIntegers into M, which CI has made of its unit, if
/// the unit shows no way from an address of numbers to one of integers. Not
/// where a link follows: others may call its functions.
void notePlainIntegers(const clang::CompilerInstance &CI, llvm::Module &M);

} // namespace retrograd

#endif
