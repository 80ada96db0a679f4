//===- OrderOfThreads.h - what the order of threads decides -----*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that is launched by a differentiated program runs again in the
// reverse sweep. What an atomic operation on integers returns follows from the
// order in which threads come, and that order may be another one then. Two
// things must not follow from it: the place where a number goes, and, by a
// branch, which of several numbers goes to a place.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PARALLEL_ORDEROFTHREADS_H
#define RETROGRAD_PARALLEL_ORDEROFTHREADS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace llvm {
class BasicBlock;
class CallBase;
class Function;
class Instruction;
class Value;
} // namespace llvm

namespace retrograd {

/// Numbers go to places that depend on what atomic operations on integers
/// returned, as where threads append to a list; or a branch on what these
/// returned decides whether a thread stores its number, as where the first one
/// that comes may. Who came when is known to the run of the primal sweep alone.
///
/// A thread may also take what it works on from a counter (a queue): then the
/// number depends on the place, and on nothing else that tells threads apart,
/// and memory is the same whoever has done what. So it is where a block takes
/// its work, and hands it to its threads in shared memory, if nothing tells
/// blocks apart; and where the threads of a block count in shared memory, if
/// nothing tells threads apart.
class OrderOfThreads {
public:
  explicit OrderOfThreads(const llvm::Function &Kernel);

  /// It decides places of numbers.
  bool decidesPlaces() const { return Places; }
  /// It decides by a branch which number a place gets.
  bool decidesNumbers() const { return Numbers; }

private:
  /// What a value, or what memory of the thread or the block holds, depends on.
  enum : uint8_t {
    Order = 1,        ///< of all threads
    OrderInBlock = 2, ///< of the threads of a block
    OrderOfBlock = 4, ///< of the blocks, or the warps
    Thread = 8,
    Block = 16
  };
  static constexpr uint8_t AnyOrder = Order | OrderInBlock | OrderOfBlock;
  using Values = llvm::SmallPtrSet<const llvm::Value *, 16>;
  /// What a value depends on: by its operands, and by branches and selections
  /// that chose one of them.
  struct Dependence {
    uint8_t Value = 0, Chosen = 0;
  };

  llvm::SmallVector<const llvm::Function *, 4> Functions;
  llvm::SmallDenseMap<const llvm::Value *, uint8_t, 32> Of;
  /// What functions that are not inlined ask themselves, whatever they are
  /// given.
  llvm::SmallDenseMap<const llvm::Function *, uint8_t, 4> Sources;
  /// What decides whether a thread comes to a block of code: bits of order.
  llvm::SmallDenseMap<const llvm::BasicBlock *, uint8_t, 32> Ways;
  /// What the branch at the end of a block of code asks: bits of order.
  llvm::SmallDenseMap<const llvm::BasicBlock *, uint8_t, 32> Asks;
  bool Changed = true, Places = false, Numbers = false;

  static uint8_t counted(const llvm::Instruction &I);
  static uint8_t whoIs(const llvm::Instruction &I);

  bool isOwn(const llvm::Value &O) const;
  bool leadsToOwn(const llvm::Value &P, Values &Seen) const;

  void add(const llvm::Value &To, uint8_t What);
  uint8_t readFrom(const llvm::Value &P) const;
  void write(const llvm::Value &P, uint8_t What);
  void visitCall(const llvm::CallBase &C, const llvm::Function &Callee);
  void visit(const llvm::Instruction &I);

  uint8_t conditionOf(const llvm::Instruction &Branch) const;
  void findWays(const llvm::Function &F);
  uint8_t orderIn(const llvm::Value &V, Values &Seen) const;
  void follow(const llvm::Value &V, const Values &Known, bool Memory,
              Values &Seen, Dependence &Found) const;
  void look(const llvm::Instruction &I);
};

} // namespace retrograd

#endif
