//===- KeptNumber.h - atomic operations that leave one number ---*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of an exchange, a minimum or a maximum, what remains in memory is the operand
// of one thread, or what was there. Which one, its bits tell (docs/Atomics.md).
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_ANALYSIS_KEPTNUMBER_H
#define RETROGRAD_ANALYSIS_KEPTNUMBER_H

namespace llvm {
class AtomicRMWInst;
class Instruction;
class Value;
} // namespace llvm

namespace retrograd {

/// The number (or, of an exchange, the constant) that M may leave in memory.
/// Null for other operations, and for integers that are not just the bits of a
/// number.
const llvm::Value *keptNumber(const llvm::AtomicRMWInst &M);
/// The same of any instruction: null if it is something else.
const llvm::Value *keptNumber(const llvm::Instruction &I);

} // namespace retrograd

#endif
