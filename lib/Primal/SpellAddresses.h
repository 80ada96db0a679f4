//===- SpellAddresses.h - addresses as a base and bytes ---------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Addresses that are computed as integers, or masked for alignment, become
// their base plus a number of bytes. So everything that follows sees where they
// point, and a shadow lies as far from its base as the primal does, however its
// own base is aligned. Not handled: arithmetic on more than one address, which
// stays.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PRIMAL_SPELLADDRESSES_H
#define RETROGRAD_PRIMAL_SPELLADDRESSES_H

namespace llvm {
class Function;
} // namespace llvm

namespace retrograd {

void spellAddresses(llvm::Function &F);

} // namespace retrograd

#endif
