//===- CrossingValues.h - what threads keep while they wait -----*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value that is computed in front of a cut and used behind it has to be kept
// per thread, or computed again. The cheapest choice is a minimal cut
// (Plan/MinCut.h), as for the tape of a derivative: sources are values that
// cannot be computed again (loads, phis, calls), sinks are the values that some
// region needs at its start.
//
// Computing V again at the start of a region from what its operands' slots hold
// is right: operands' definitions dominate V's, so a path that gives an operand
// a new value and comes to a use of V passes V's definition again before it.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_OFFLOAD_CROSSINGVALUES_H
#define RETROGRAD_OFFLOAD_CROSSINGVALUES_H

#include "Offload/SplitPoints.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace llvm {
class AllocaInst;
class Instruction;
} // namespace llvm

namespace retrograd {

struct Slot {
  llvm::Instruction *Value;
  bool Uniform; ///< one for all threads of the block
};

class CrossingValues {
public:
  /// Recompute: choose by minimal cut; otherwise everything is kept.
  CrossingValues(llvm::Function &F, const SplitPoints &Points,
                 llvm::function_ref<bool(const llvm::Value *)> IsUniform,
                 bool Recompute);

  /// What region K needs at its start.
  llvm::ArrayRef<llvm::Instruction *> needed(unsigned K) const {
    return Needed[K].getArrayRef();
  }
  llvm::ArrayRef<Slot> slots() const { return Slots; }
  /// The index of V's slot, or -1: V is computed again.
  int slotOf(const llvm::Instruction *V) const {
    auto It = SlotIndex.find(V);
    return It == SlotIndex.end() ? -1 : int(It->second);
  }
  /// Stack memory that has to outlive a region, per thread.
  llvm::ArrayRef<llvm::AllocaInst *> memory() const {
    return Memory.getArrayRef();
  }
  bool outlivesRegion(const llvm::AllocaInst *A) const {
    return Memory.contains(const_cast<llvm::AllocaInst *>(A));
  }
  /// May a region find A's address in a slot or in memory, where another has
  /// put it?
  bool addressIsKept(const llvm::AllocaInst &A) const;

private:
  llvm::SmallVector<llvm::SetVector<llvm::Instruction *>, 8> Needed;
  llvm::SmallVector<Slot, 8> Slots;
  llvm::DenseMap<const llvm::Instruction *, unsigned> SlotIndex;
  llvm::SetVector<llvm::AllocaInst *> Memory;

  void findNeeded(llvm::Function &F, const SplitPoints &Points);
  void findMemory(llvm::Function &F, const SplitPoints &Points);
  void chooseSlots(llvm::function_ref<bool(const llvm::Value *)> IsUniform,
                   bool Recompute);
};

/// Whether I can be computed anywhere its operands are known, at little cost.
bool canRecompute(const llvm::Instruction &I);
/// Whether I reads a special register of its thread (threadIdx and its kind).
bool isSpecialRegister(const llvm::Instruction &I);

} // namespace retrograd

#endif
