//===- SpellElementMoves.h - moves of elements as shuffles ---- -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM has intrinsics for moves of whole elements that it needs for vectors of
// unknown length: reverse, splice, insert, extract, interleave, deinterleave,
// and sums of parts (partial.reduce.fadd). MLIR's front ends emit them for
// vectors of known length, too. There each is a shuffle of its operands, or a
// sum of shuffles, which everybody knows: simplification, the types, activity,
// and the operations of lib/Rules. So shuffles they become.
//
// Vectors of unknown length stay as they are, for others to refuse.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PRIMAL_SPELLELEMENTMOVES_H
#define RETROGRAD_PRIMAL_SPELLELEMENTMOVES_H

namespace llvm {
class Function;
}

namespace retrograd {

/// True if there was such a move.
bool spellElementMoves(llvm::Function &F);

} // namespace retrograd

#endif
