//===- SpellMovedWords.h - words by turns in memory -------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A union (a variant, an optional, a tagged record) of a number and a pointer
// is copied as bytes. The optimiser makes registers of its words, whose type is
// one of the two, or an integer: what the other one's derivative would need is
// lost. In memory, the running program tells what a word is
// (runtime/memory.c), so such words are moved there: a variable for each load,
// phi and select, and copies of eight bytes between them. Where a word is used
// as a number or a pointer, it is loaded as that.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PRIMAL_SPELLMOVEDWORDS_H
#define RETROGRAD_PRIMAL_SPELLMOVEDWORDS_H

namespace llvm {
class Function;
} // namespace llvm

namespace retrograd {

/// Moves words in memory that are numbers and addresses by turns; with Copies,
/// all that copies may move by turns. Returns whether there were any.
bool spellMovedWords(llvm::Function &F, bool Copies);

/// With Copies, it would find some in F.
bool copiesByWords(const llvm::Function &F);

} // namespace retrograd

#endif
