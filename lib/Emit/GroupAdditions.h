//===- GroupAdditions.h - additions to the block's memory, together -------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An addition to an adjoint in memory that a block of threads shares asks who
// else adds there, adds up over these lanes, waits and adds
// (runtime/gpu/accumulate.c). Most of it is the same for all additions with the
// same peers: in one block of code they are done together, eight or four at a
// time, where the last of them stands.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_EMIT_GROUPADDITIONS_H
#define RETROGRAD_EMIT_GROUPADDITIONS_H

namespace llvm {
class Function;
} // namespace llvm

namespace retrograd {
class RuntimeLibrary;

/// Of a derivative that is complete and simplified.
void groupAdditions(llvm::Function &D, RuntimeLibrary &Runtime);

} // namespace retrograd

#endif
