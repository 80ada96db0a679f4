//===- SpellScopedAtomics.h - atomics of a block, of the system -----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PRIMAL_DEVICE_SPELLSCOPEDATOMICS_H
#define RETROGRAD_PRIMAL_DEVICE_SPELLSCOPEDATOMICS_H

namespace llvm {
class Function;
} // namespace llvm

namespace retrograd {

/// NVVM's intrinsics for atomicAdd_block, atomicAdd_system and their kind
/// become instructions of that scope, which everybody knows. Returns whether F
/// changed.
bool spellScopedAtomics(llvm::Function &F);

} // namespace retrograd

#endif
