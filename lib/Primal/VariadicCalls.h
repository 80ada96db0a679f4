//===- VariadicCalls.h - variable arguments become memory -------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers that are passed by va_arg are in registers or on the stack, by rules
// of the machine that no analysis sees. In a primal they are put into memory of
// the caller's, whose address is one more argument: the list starts there, with
// nothing in registers, and what va_arg became reads it. On x86-64 (System V)
// only: there va_arg is arithmetic in the IR already. What the function does
// not look at is not handed on.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PRIMAL_VARIADICCALLS_H
#define RETROGRAD_PRIMAL_VARIADICCALLS_H

#include "llvm/IR/PassManager.h"

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace retrograd {

/// Calls in F of variadic functions with a body become calls of copies with one
/// parameter more.
void fixVariadicCalls(llvm::Function &F);
/// Copies that nobody calls any more.
void removeFixedCopies(llvm::Module &M, llvm::FunctionAnalysisManager &FAM);

} // namespace retrograd

#endif
