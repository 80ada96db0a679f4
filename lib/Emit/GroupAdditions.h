//===- GroupAdditions.h - additions to the block's memory, together -------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where lanes of a warp add to one place of an adjoint, they add up first
// (runtime/gpu/accumulate.c). A sum over 32 lanes takes five shuffles; 32 sums
// take 31, if lanes exchange halves of their numbers, and then each lane adds
// one of them. So additions of one block of code to places that are a constant
// apart are done together, where the last of them stands:
//
//   in memory that a block of threads shares, 32, 8 or 4 of those with the same
//   peers (rg_peers), which are found once
//
//   in other memory, 8 or 4 of those that look as if the warp had one place
//
//   in other memory, 4 to 2 of those that look as if the next lane's place were
//   the next place
//
//   in both, 32 products of a number of the iteration with 32 that a loop
//   leaves as they are: then the sums over the lanes are a matrix times a
//   vector
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_EMIT_GROUPADDITIONS_H
#define RETROGRAD_EMIT_GROUPADDITIONS_H

namespace llvm {
class AAResults;
class Function;
} // namespace llvm

namespace retrograd {
class RuntimeLibrary;

/// Additions to shared memory in branches go to where the ways meet, if the
/// same place is added to there: lanes that went another way add 0.
void joinAdditions(llvm::Function &D, llvm::AAResults &AA);

/// Additions of 32 products c * x to places that a warp has in common, in a
/// loop that leaves each c as it is. In front of the others, which add numbers.
bool warpProducts(llvm::Function &D, RuntimeLibrary &Runtime,
                  llvm::AAResults &AA);

/// Additions to shared memory. Of a derivative that is complete and simplified,
/// as below.
void groupAdditions(llvm::Function &D, RuntimeLibrary &Runtime,
                    llvm::AAResults &AA);

/// Additions of neighbouring lanes to neighbouring places of other memory: a
/// lane hands the next one what both add to.
void neighbourLanes(llvm::Function &D, RuntimeLibrary &Runtime,
                    llvm::AAResults &AA);

/// Additions to other memory.
void mergePlaces(llvm::Function &D, RuntimeLibrary &Runtime,
                 llvm::AAResults &AA);

/// What a whole warp adds to one place of other memory is added up in line, in
/// functions with few such additions.
void mergeInLine(llvm::Function &D, RuntimeLibrary &Runtime);

} // namespace retrograd

#endif
