//===- SpellMasks.h - masked vector operations as choices -------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Intrinsics of AVX-512 compute in the lanes that a mask names, and hand on
// another operand in the rest:
//
//   r = rndscale(a, 0, src, mask)   becomes   s = rndscale(a, 0, 0, all)
//                                             r = select mask, s, src
//
// So a rule has to know the operation alone, and the derivative of what is
// handed on is that of the select. Conversions between floats become LLVM's.
//
// Not handled: operations on one element, whose mask has another meaning;
// conversions that make fewer elements than the result has; conversions to a
// narrower float that round in a way of their own.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PRIMAL_SPELLMASKS_H
#define RETROGRAD_PRIMAL_SPELLMASKS_H

namespace llvm {
class Function;
} // namespace llvm

namespace retrograd {

void spellMasks(llvm::Function &F);

} // namespace retrograd

#endif
