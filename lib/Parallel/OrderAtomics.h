//===- OrderAtomics.h - atomic operations become turns --------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reverse sweep of threads needs the order in which they came to a place.
// Atomic operations on numbers get one: each becomes a turn of a mutex, which
// the runtime records (docs/Parallel.md). Additions whose result nobody wants
// need none, in a program that has no others. Operations on addresses become
// turns, too: within one a thread hands over an address and its shadow, and no
// other sees the one without the other.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PARALLEL_ORDERATOMICS_H
#define RETROGRAD_PARALLEL_ORDERATOMICS_H

#include "Bitcode/RuntimeLibrary.h"
#include <optional>

namespace llvm {
class AtomicCmpXchgInst;
class Function;
class IRBuilderBase;
class Instruction;
class Module;
class Type;
} // namespace llvm

namespace retrograd {

class OrderAtomics {
public:
  explicit OrderAtomics(llvm::Module &M) : M(M), Runtime(M) {}

  /// Rewrites a simplified clone. True if there was an operation to order.
  bool run(llvm::Function &Clone);
  /// The same for operations on addresses, behind the events that they have as
  /// signals (ThreadForm::orderSignals).
  bool orderAddresses(llvm::Function &Clone);

private:
  bool hasThreads() const;
  bool isNeeded();
  void turn(llvm::IRBuilderBase &B, bool Begins);
  void exchangeInTurn(llvm::AtomicCmpXchgInst &C, llvm::Type *Word);

  llvm::Module &M;
  RuntimeLibrary Runtime;
  /// Some atomic operation on numbers depends on the order of threads.
  std::optional<bool> Needed;
};

/// I is an atomic operation on an address.
bool handsAddress(const llvm::Instruction &I);

} // namespace retrograd

#endif
