//===- Trampolines.h - internal procedures by address ----------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The address of a Fortran internal procedure is that of code on the stack (a
// trampoline), which adds a pointer to the variables of the procedure around it
// and goes on to the procedure. LLVM's intrinsic hides both words. Here they
// are stored beside code that reads them, so that a trampoline is a record of
// two pointers as well: a dispatcher (Primal/DispatchCalls.h) reads which
// procedure it leads to, and the shadow of the second pointer lies in the
// shadow of the record. The record is code that runs, for whoever calls it
// without a derivative. On x86-64; elsewhere the intrinsic stays, and is
// refused (Plan/Legality.cpp). The step spell-trampolines does it.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PRIMAL_LANGUAGE_TRAMPOLINES_H
#define RETROGRAD_PRIMAL_LANGUAGE_TRAMPOLINES_H

#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace llvm {
class Function;
class FunctionType;
class IRBuilderBase;
class Value;
} // namespace llvm

namespace retrograd {

/// The parameter by which an internal procedure gets the variables of the
/// procedure around it; none for other functions.
std::optional<unsigned> closureParameter(const llvm::Function &F);

/// A call of type T by address may be one of the internal procedure F.
bool isInternalOfType(const llvm::Function &F, const llvm::FunctionType &T);

/// A trampoline leads to F somewhere in its module.
bool hasTrampoline(const llvm::Function &F);

/// The procedure that a trampoline leads to, as the step has stored it.
llvm::Value *procedureOf(llvm::IRBuilderBase &B, llvm::Value *Trampoline);

/// Calls Procedure with Args and what Trampoline adds to them.
llvm::Value *callThrough(llvm::IRBuilderBase &B, llvm::Value *Trampoline,
                         llvm::Function &Procedure,
                         llvm::SmallVector<llvm::Value *, 8> Args);

} // namespace retrograd

#endif
