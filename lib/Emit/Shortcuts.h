//===- Shortcuts.h - what a derivative may skip -----------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reverse sweep may skip what a zero adjoint would be handed through: zeros
// are added. But the adjoint's own derivative need not be zero where the
// adjoint is, so in a derivative that is differentiated again nothing may be
// skipped. Whether it will be is not known when it is written, so the question
// stays a call until all requests of the module are answered.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_EMIT_SHORTCUTS_H
#define RETROGRAD_EMIT_SHORTCUTS_H

namespace llvm {
class Function;
class IRBuilderBase;
class Module;
class Value;
} // namespace llvm

namespace retrograd {

/// Condition (an i1), in a derivative that nobody differentiates; false
/// otherwise.
llvm::Value *unlessDifferentiated(llvm::IRBuilderBase &B,
                                  llvm::Value *Condition);

/// F is going to be differentiated: takes no shortcuts.
void dropShortcuts(llvm::Function &F);

/// No more functions of M will be differentiated: shortcuts are taken. Were
/// there any?
bool takeShortcuts(llvm::Module &M);

/// Whether functions of M will be differentiated, a link tells: the questions
/// stay, as calls of a function that nobody looks into and that takes every
/// shortcut.
void holdShortcuts(llvm::Module &M);

} // namespace retrograd

#endif
