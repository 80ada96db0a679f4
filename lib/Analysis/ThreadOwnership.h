//===- ThreadOwnership.h - memory that no two threads touch -----*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most kernels give each thread places of its own: x[blockIdx.x * blockDim.x +
// threadIdx.x]. Additions to their adjoints need no atomics, which are an order
// of magnitude slower where neighbouring threads add to neighbouring places.
// Whether two threads ever meet depends on the launch: with a block wider than
// a row of the array they do. So the analysis finds *conditions on the launch*,
// and the derivative evaluates them once, at its start.
//
// An address is  shadow of parameter + c + sum of c_v v  over the indices v of
// the thread (x, y, z in the block and of the block), with constants c. Sort
// the indices by coefficient. No two threads have one address if
//
//   size <= c_1,   c_1 n_1 <= c_2,   c_2 n_2 <= c_3,   ...
//   n_v = 1 for every index that does not occur
//
// where n_v is how many values the index v takes. Loads at constant distance d
// from each other do not meet if the whole span, that is size + sum of c_v (n_v
// - 1), is at most |d|. All active loads of the function must have this form,
// over parameters that the caller passes alike to all threads; of two different
// parameters the shadows must be a span apart. blockIdx.x * blockDim.x +
// threadIdx.x counts as one index.
//
// Not handled: indices from memory, loops, split derivatives whose sweeps are
// not given the shadows.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_ANALYSIS_THREADOWNERSHIP_H
#define RETROGRAD_ANALYSIS_THREADOWNERSHIP_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instructions.h"

namespace retrograd {

class ThreadOwnership {
public:
  /// One index of the thread: of the thread in its block, of the block, or of
  /// the thread in the whole grid, along one axis.
  enum Index : uint8_t { InBlock = 0, OfBlock = 3, InGrid = 6, NumIndices = 9 };
  struct Condition {
    /// Products of extents, in order: Coefficient[k] * extent(Order[k]) <=
    /// Coefficient[k + 1].
    llvm::SmallVector<std::pair<unsigned, uint64_t>, 4> Order;
    /// Axes whose extent must be one: of threads (bit 0-2), of blocks (bit
    /// 3-5).
    unsigned Single = 0;
    /// Bytes of one access, and the least distance of two loads (0: any).
    uint64_t Size = 0, Distance = 0;
    /// Parameters whose shadows must be a span, and Reach bytes more, apart.
    llvm::SmallVector<const llvm::Argument *, 4> Bases;
    uint64_t Reach = 0;
  };

  /// Over the loads whose adjoints are added to shared memory, or atomic
  /// operations; `IsUniform` says which parameters all threads get alike. False
  /// if nothing can be said.
  bool analyse(llvm::ArrayRef<const llvm::Instruction *> Accesses,
               llvm::function_ref<bool(const llvm::Argument &)> IsUniform);
  const Condition &condition() const { return Found; }

private:
  Condition Found;
};

} // namespace retrograd

#endif
