//===- CallEffects.h - what an instruction does to memory -------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What one instruction does by itself, by its kind and by the catalogue's
// record, whatever the functions are that it calls. ProgramFacts adds up the
// rest.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_ANALYSIS_CALLEFFECTS_H
#define RETROGRAD_ANALYSIS_CALLEFFECTS_H

#include "llvm/ADT/STLFunctionalExtras.h"

namespace llvm {
class CallBase;
class Function;
class Instruction;
class Value;
} // namespace llvm

namespace retrograd {
class Catalogue;
struct OperationRecord;

/// A call of which nothing is known: no body, and no record, or one that tells
/// of the derivative only.
bool isUnknownCall(
    const llvm::Instruction &I, const Catalogue &Cat,
    llvm::function_ref<llvm::Function *(const llvm::Function *)> PreparedOf);

/// A library routine that calls a function of the user.
bool callsBack(const llvm::Instruction &I, const Catalogue &Cat);

/// Calls Visit(pointer, reads, writes) for each memory access of I itself.
void visitAccesses(
    const llvm::Instruction &I, const Catalogue &Cat,
    llvm::function_ref<void(const llvm::Value *, bool, bool)> Visit);

/// Operation C, of record R, may write memory of the program's that its operand
/// N points at.
bool writesBehind(const llvm::CallBase &C, unsigned N,
                  const OperationRecord &R);

/// An inactive operation that follows the pointers in what its operands point
/// at.
bool followsPointers(const llvm::CallBase &C, const Catalogue &Cat);

} // namespace retrograd

#endif
