//===- BlockSums.h - sums of whole blocks -----------------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// At the end of its reverse sweep a thread adds what it has added up
// (Emit/SumsAtEnd.cpp), together with those of its warp that come with it. Once
// the derivative is inlined into a kernel it can be seen whether every thread
// of the block comes there, once: then warps add up, too, with barriers. Places
// that are the same for all threads of a block are not compared.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_POLISH_BLOCKSUMS_H
#define RETROGRAD_POLISH_BLOCKSUMS_H

namespace llvm {
class BasicBlock;
class Function;
class Module;
} // namespace llvm

namespace retrograd {

/// Tells additions at the end of a sweep in F, a kernel, that the whole block
/// comes to them.
void addUpOverBlocks(llvm::Function &F);

/// Every way through a kernel from its entry to a return leads through B, and
/// none twice.
bool allComeOnceTo(const llvm::BasicBlock &B);

/// Somewhere in M a thread may end itself other than by returning.
bool mayLeave(const llvm::Module &M);

} // namespace retrograd

#endif
