//===- SpellWordCopies.h - words that are only copied -----------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Simplification turns a copy of eight bytes into a load and a store of an
// integer. What it copies may be a number or a pointer, whose shadow has to be
// copied with it, so the copy is written as one of that type, or of memory.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PRIMAL_SPELLWORDCOPIES_H
#define RETROGRAD_PRIMAL_SPELLWORDCOPIES_H

namespace llvm {
class Function;
} // namespace llvm

namespace retrograd {

/// Words that are only copied, by a load and a store of an integer: typed ones
/// (a double, a pointer) become copies of that type, and, if Untyped, the
/// others copies of memory, since they may hold pointers and floats by turns.
void spellWordCopies(llvm::Function &F, bool Untyped);

} // namespace retrograd

#endif
