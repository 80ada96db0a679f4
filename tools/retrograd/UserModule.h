//===- UserModule.h - the user's file as IR, and its functions --*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The doctor reads the file at -O0 with debug information and without
// derivatives: each call and each operation is still at its line. What it asks
// of single functions there is here.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_TOOLS_USERMODULE_H
#define RETROGRAD_TOOLS_USERMODULE_H

#include "Invocation.h"
#include <memory>
#include <string>

namespace llvm {
class Function;
class Instruction;
class LLVMContext;
class Module;
} // namespace llvm

namespace retrograd {

/// The user's file as IR with lines, without derivatives. Null if it cannot be
/// had.
std::unique_ptr<llvm::Module> readModule(const Invocation &I,
                                         llvm::LLVMContext &Context);

/// "FILE:LINE", with the file's name as the user gave it.
std::string place(const Invocation &I, unsigned Line);

/// The line where F begins; 0 if it is not known.
unsigned lineOf(const llvm::Function *F);

/// The name by which the user's program calls F; empty for what has no line.
std::string nameInSource(const llvm::Function &F);

/// Is F a constructor or a destructor?
bool isMaker(const llvm::Function &F);

/// Is F of the compiler's headers or the system's? Nobody's fault is there, but
/// what they call may be the user's (std::transform).
bool isSystem(const llvm::Function &F);

/// Do threads that run F have to do with each other: does it ask who they are,
/// or wait for them?
bool areTogether(const llvm::Function &F);

/// Is this a comparison of numbers that decides a branch?
bool branchesOnNumber(const llvm::Instruction &I);

} // namespace retrograd

#endif
