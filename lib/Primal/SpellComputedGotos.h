//===- SpellComputedGotos.h - jumps by labels as switches -------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PRIMAL_SPELLCOMPUTEDGOTOS_H
#define RETROGRAD_PRIMAL_SPELLCOMPUTEDGOTOS_H

namespace llvm {
class Function;
}

namespace retrograd {

/// Makes the computed gotos of F, which is the clone of Original block by
/// block, switches over numbers of labels. True if there were any.
bool spellComputedGotos(llvm::Function &F, llvm::Function &Original);

} // namespace retrograd

#endif
