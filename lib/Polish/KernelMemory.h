//===- KernelMemory.h - what a kernel does with its memory ------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Steps that let one thread do what another one did ask of a kernel which
// memory nobody writes, which memory is added to and nothing else, and what a
// value follows from. Memory is what a restrict parameter leads to.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_POLISH_KERNELMEMORY_H
#define RETROGRAD_POLISH_KERNELMEMORY_H

#include "Catalogue/ThreadIdentity.h"
#include "Target/Target.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace llvm {
class AAResults;
class Argument;
class Function;
class Instruction;
class Value;
} // namespace llvm

namespace retrograd {

/// What I asks of the thread that runs it.
std::optional<ThreadIdentity> askedBy(const llvm::Instruction &I);

/// The restrict parameter that P leads to; null if it leads elsewhere.
const llvm::Argument *restrictParameter(const llvm::Value *P);

/// A call of the runtime that adds numbers, all its operands but the first one
/// and constants, to memory behind its first operand.
bool isRuntimeAddition(const llvm::Instruction &I);

class KernelMemory {
public:
  using Values = llvm::SmallPtrSet<const llvm::Instruction *, 32>;

  KernelMemory(llvm::Function &F, llvm::AAResults &AA);

  /// Of a derivative, to numbers of 32 or 64 bits.
  bool isAddition(const llvm::Instruction &I) const;
  /// What lies behind P is added to and nothing else.
  bool onlyAddedTo(const llvm::Argument &P);
  /// A load of what nothing in the kernel writes.
  bool isConstantLoad(const llvm::Instruction &I);
  /// Of operands alone, which another thread can have as well.
  bool isComputed(const llvm::Instruction &I);
  /// What may follow from what Asks, and from what nothing is known of.
  Values following(llvm::function_ref<bool(ThreadIdentity)> Asks);

private:
  bool touches(llvm::Instruction &I, const llvm::Argument &P, bool OnlyWrites);
  bool isOpaque(const llvm::Instruction &I);

  llvm::Function &F;
  llvm::AAResults &AA;
  const Target Machine;
  llvm::DenseMap<const llvm::Argument *, bool> Written;
};

} // namespace retrograd

#endif
