//===- TileSums.h - sums over threads, by who owns a place ------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Between two barriers, each thread t of a block adds s(t) * w(t, k), for many
// numbers k, to places p(t, k) of an adjoint in shared memory, and other
// threads add to the same places. Where p is affine in the thread's index and
// k, and w is read from shared memory at a place that is so, too, any thread
// can compute any of these numbers, given s(t). So one thread can compute the
// whole sum of a place.
//
// This is the search: which additions of a block of code are such, and which
// thread should own which places. It writes no IR.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_EMIT_TILESUMS_H
#define RETROGRAD_EMIT_TILESUMS_H

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instructions.h"
#include <memory>
#include <optional>
#include <vector>

namespace llvm {
class AAResults;
class GlobalVariable;
} // namespace llvm

namespace retrograd {

/// Some bits of the index of a thread along one axis of its block.
struct ThreadBits {
  static constexpr unsigned Top = 32; ///< no bit above is left out
  unsigned Axis, From, To;
  bool operator==(const ThreadBits &) const = default;
};

/// Bytes from the beginning of a shared array, as a sum of multiples of bits of
/// the thread's index, modulo 2^32.
struct SharedPlace {
  llvm::GlobalVariable *Array = nullptr;
  llvm::SmallVector<std::pair<ThreadBits, int64_t>, 3> PerBits;
  int64_t Constant = 0;
};

/// A number from 0 to Extent - 1: of a thread, or of one of its additions.
struct Digit {
  std::optional<ThreadBits> Thread; ///< else of an addition
  int64_t Extent;
};

/// A number that each thread adds, as a tree. Every thread can compute it for
/// every other one.
struct TileTerm {
  enum Kind : uint8_t {
    Known,     ///< Value is a constant
    Published, ///< the other thread's own, which it puts where all can read it
    Tile,      ///< read from a shared array
    Operation  ///< Value's, of Operands
  };
  Kind Is;
  llvm::Value *Value = nullptr;
  llvm::SmallVector<std::unique_ptr<TileTerm>, 2> Operands;
  llvm::GlobalVariable *Array = nullptr; ///< of Tile
  bool Copied = false;                   ///< of Tile: from Array's copy
  int64_t Constant = 0; ///< of Tile bytes, of Published the first slot
  llvm::SmallVector<int64_t, 4> PerDigit; ///< the same, by TileRegion::Digits
};

/// Additions to one adjoint, at different places of each thread.
struct TileSum {
  llvm::SmallVector<llvm::Instruction *, 32> Additions;
  llvm::GlobalVariable *Array = nullptr;
  int64_t Constant = 0;
  /// Digits of a thread, and of this sum's additions. Bytes of each in the
  /// place that is added to.
  llvm::SmallVector<Digit, 6> Digits;
  llvm::SmallVector<int64_t, 6> PerDigit;
  std::unique_ptr<TileTerm> Number;
  llvm::Type *Type = nullptr;

  /// Digits with a part in the place, from the one that changes first from
  /// thread to thread: so is a number of a thread written, and what is left
  /// above it is the owner's Part, 0 to Parts - 1. The Part is Split's lowest
  /// digit (Low) or highest one.
  llvm::SmallVector<unsigned, 6> Owner;
  unsigned Split = 0;
  bool Low = false;
  int64_t Parts = 1;
  /// Digits that the sum is over.
  llvm::SmallVector<unsigned, 3> Over;
};

/// All that is added together in front of one barrier.
struct TileRegion {
  llvm::Instruction *Barrier = nullptr;
  /// What is read from shared arrays, and could be read in front of the barrier
  /// as well.
  llvm::SmallPtrSet<llvm::Instruction *, 32> Again;
  std::vector<TileSum> Sums;
  /// Numbers of a thread that others read, each in a slot with one for each
  /// thread.
  llvm::SmallVector<llvm::Value *, 8> Slots;
  /// The only shape of a block for which this holds.
  int64_t Extents[3] = {1, 1, 1};
  int64_t Threads = 1;
  /// Numbers in a slot from one digit of a thread to the next, as all Sums
  /// begin with the same digits of threads.
  llvm::SmallVector<int64_t, 4> Pitch;
  int64_t SlotLength = 0;
  /// Arrays that are read faster from a copy: in front of the barrier that
  /// counts, their rows of so many bytes are copied to rows with a gap.
  static constexpr int64_t Row = 128;
  int64_t Gap = 0;
  llvm::SmallVector<llvm::GlobalVariable *, 2> Copies;
  /// Where the copy has what is so many bytes from the beginning. Linear, as
  /// long as it is one row of which digits choose.
  int64_t inCopy(int64_t Bytes) const { return Bytes + Bytes / Row * Gap; }
  /// Of shared memory, for slots and copies.
  int64_t Bytes = 0;
};

/// What can be added by owners in front of Barrier, a barrier of all threads of
/// the block; nothing if it does not pay. Taken bytes of shared memory are not
/// in the module yet.
std::unique_ptr<TileRegion> findTileSums(llvm::Instruction &Barrier,
                                         llvm::AAResults &AA, int64_t Taken);

/// A barrier of all threads of a block.
bool isBlockBarrier(const llvm::Instruction &I);

} // namespace retrograd

#endif
