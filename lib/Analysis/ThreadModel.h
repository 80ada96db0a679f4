//===- ThreadModel.h - who runs a function at the same time -----*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether adjoints are added to atomically, and whether memory that a function
// has read may be written by somebody else, depends on who runs the function.
// On a GPU that is the threads of a grid, whatever the function. On the host it
// is a property of each function: one thread alone, or the threads of a team
// (docs/Parallel.md).
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_ANALYSIS_THREADMODEL_H
#define RETROGRAD_ANALYSIS_THREADMODEL_H

#include "Support/Options.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Function.h"

namespace llvm {
class LoopInfo;
}

namespace retrograd {
class ProgramFacts;

class ThreadModel {
public:
  enum Company : uint8_t {
    Alone, ///< one thread of the host
    Team,  ///< threads of the host that share memory
    Grid   ///< threads of a GPU
  };
  ThreadModel(const llvm::Function &F, const ProgramFacts &Facts,
              const Options &Opts);

  Company company() const { return Kind; }
  bool isAlone() const { return Kind == Alone; }
  /// All memory that P may lead to is variables and allocations of this call
  /// that no other thread has the address of.
  bool isOwn(const llvm::Value *P, const llvm::LoopInfo *LI) const;

private:
  bool isHidden(const llvm::Value *Object) const;

  Company Kind;
  mutable llvm::DenseMap<const llvm::Value *, bool> Hidden;
};

} // namespace retrograd

#endif
