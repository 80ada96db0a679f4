//===- OpenMPForm.h - OpenMP's runtime calls in primals ---------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// clang and flang lower OpenMP to calls of libomp. In a primal they become what
// analyses, plans and emission know:
//
//   __kmpc_fork_call(loc, n, @region, args...)
//                                              rg.fork.region(threads, args...)
//     a direct call with one actual per formal. In the module rg.fork.region
//     forks; its primal is what one thread of the team does: it calls region.
//     Its binding is CallBinding::Team.
//   __kmpc_critical(loc, id, lock)                rg_turn_enter(lock)
//   __kmpc_barrier(loc, id)                       rg_team_barrier()
//   __kmpc_reduce(...) and its branches           a critical region
//   __kmpc_omp_task(loc, id, task)                rg.task.entry(flags, task)
//     in the module that makes a task; its primal calls the task's entry. It
//     has the binding CallBinding::Task.
//   ...                                           see OpenMPRoutines.cpp
//
// See docs/Parallel.md.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PARALLEL_OPENMPFORM_H
#define RETROGRAD_PARALLEL_OPENMPFORM_H

#include "Bitcode/RuntimeLibrary.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace llvm {
class CallBase;
class Constant;
class Function;
class IRBuilderBase;
class Module;
class Value;
} // namespace llvm

namespace retrograd {

class OpenMPForm {
public:
  /// InOrder: what threads do has one order in every run (-rg-deterministic).
  OpenMPForm(llvm::Module &M, bool InOrder)
      : M(M), Runtime(M), InOrder(InOrder) {}

  /// Rewrites the calls in the fresh clone of Original.
  void rewriteRegions(llvm::Function &Clone, const llvm::Function &Original);
  /// Removes the functions that fork and that nobody calls.
  void finish();

private:
  /// The function that forks for Region; null if the call of it is not
  /// understood.
  llvm::Function *forkOf(llvm::Function &Region, const llvm::CallBase &Call,
                         unsigned FirstOperand);

  class Rewriter;

  /// What is known of a task from its allocation.
  struct Task {
    llvm::Value *Memory;
    llvm::Function *Entry;
    llvm::Value *Flags;
    uint64_t Bytes, Shared;
  };
  std::optional<Task> makeTask(llvm::CallBase &Call);
  llvm::Function *taskOf(llvm::Function &Entry);
  bool rewriteTaskLoop(llvm::CallBase &Call, const Task &T);
  /// Some function of the module makes tasks.
  bool hasTasks();
  bool rewriteFork(llvm::CallBase &Call, llvm::Value *Threads, bool OfTeam);
  void callRegion(llvm::CallBase &Call, llvm::Function &Region,
                  llvm::ArrayRef<llvm::Value *> Operands);
  bool rewriteLeague(llvm::CallBase &Call);
  bool rewriteCopyPrivate(llvm::CallBase &Call, llvm::StringRef BarrierName);
  bool rewriteReduction(llvm::CallBase &Call);
  bool rewriteReduced(llvm::CallBase &Call, const llvm::Function &Original);
  bool rewriteBounds(llvm::CallBase &Call);

  llvm::Module &M;
  RuntimeLibrary Runtime;
  const bool InOrder;
  llvm::SmallVector<llvm::Function *, 4> Forks;
  std::optional<bool> Tasks;
};

/// The lock of ordered regions, or of atomic operations: a turn needs one.
llvm::Constant *turnLock(llvm::Module &M, llvm::StringRef Name);

/// Releases the memory of a task, and of what it shares.
void releaseTask(llvm::IRBuilderBase &B, llvm::Module &M, llvm::Value *Task);

} // namespace retrograd

#endif
