//===- GatherTiles.h - owners add up what goes to their places --*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In the reverse of a product of tiles all threads of a block add to places of
// an adjoint tile that others add to, too. Where every thread can compute what
// the others add (TileSums.h), each puts what it multiplies with where all can
// read it, all wait, and each computes the whole sum of the places that it
// owns. No addition meets another one.
//
// That holds for blocks of one shape, all of whose threads are there. The run
// asks; where it is not so, each thread adds for itself.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_EMIT_GATHERTILES_H
#define RETROGRAD_EMIT_GATHERTILES_H

#include "llvm/IR/PassManager.h"

namespace llvm {
class Instruction;
} // namespace llvm

namespace retrograd {

/// In D, a derivative that is complete and simplified. Whether it has changed.
bool gatherTiles(llvm::Function &D, llvm::FunctionAnalysisManager &FAM);

/// Of an addition that is made where no owner adds: seldom, so that it should
/// take few registers and little code.
bool isSeldom(const llvm::Instruction &Addition);

} // namespace retrograd

#endif
