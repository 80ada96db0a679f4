//===- SpellBitsInAtomics.h - numbers in atomic operations ------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop of compare and exchange adds to a number by its bits. Its operand is
// then loaded as an integer from among numbers, and no longer a number to the
// types. It is read as the number that it is, and taken as bits where it is
// used (Analysis/KeptNumber.h says which loops these are).
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PRIMAL_SPELLBITSINATOMICS_H
#define RETROGRAD_PRIMAL_SPELLBITSINATOMICS_H

namespace llvm {
class Function;
} // namespace llvm

namespace retrograd {

/// Operands of atomic operations on integers that are read from among numbers
/// of their size are read as such.
void spellBitsInAtomics(llvm::Function &F);

} // namespace retrograd

#endif
