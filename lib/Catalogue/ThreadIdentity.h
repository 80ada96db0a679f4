//===- ThreadIdentity.h - what a thread asks of itself ----------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads of a GPU learn who they are from intrinsics: their index in the
// block, the block's index in the grid, and the sizes of both, along three
// axes. This is the one place that tells these intrinsics apart; analyses,
// plans and the lowering of kernels ask it instead of reading names.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_CATALOGUE_THREADIDENTITY_H
#define RETROGRAD_CATALOGUE_THREADIDENTITY_H

#include <cstdint>
#include <optional>

namespace llvm {
class CallBase;
}

namespace retrograd {

struct ThreadIdentity {
  enum Question : uint8_t {
    ThreadIndex, ///< of the thread in its block
    BlockIndex,  ///< of the block in the grid
    BlockSize,   ///< in threads
    GridSize     ///< in blocks
  };
  Question Asks;
  unsigned Axis; ///< 0, 1, 2: x, y, z

  /// All threads of a block get the same answer.
  bool isSameInBlock() const { return Asks != ThreadIndex; }
  bool operator==(const ThreadIdentity &) const = default;

  /// What C asks; nothing if it is no such intrinsic, of NVIDIA's or of AMD's.
  static std::optional<ThreadIdentity> of(const llvm::CallBase &C);
  /// Whether C asks something else of where or when a thread runs: its lane,
  /// its multiprocessor, a clock.
  static bool asksElse(const llvm::CallBase &C);
};

} // namespace retrograd

#endif
