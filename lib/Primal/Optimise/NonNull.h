//===- NonNull.h - what is accessed is not null -----------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A std::vector of unknown length is new memory, or null if its length is 0: a
// phi. LLVM takes two such phis for pointers that may be equal, since both may
// be null, so each store to one vector is a store to all others: what was
// loaded is loaded, and taped, again, and loops are vectorised with comparisons
// of all pairs. But nobody loads or stores through null. So accesses get a phi
// of their own, with poison for null.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PRIMAL_OPTIMISE_NONNULL_H
#define RETROGRAD_PRIMAL_OPTIMISE_NONNULL_H

namespace llvm {
class Function;
}

namespace retrograd {

/// F should be simplified afterwards. True if there was such a phi.
bool accessNonNull(llvm::Function &F);

} // namespace retrograd

#endif
