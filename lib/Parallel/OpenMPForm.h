//===- OpenMPForm.h - OpenMP's runtime calls in primals --------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// clang and flang lower OpenMP to calls of libomp. In a primal they become what
// analyses, plans and emission know:
//
//   __kmpc_fork_call(loc, n, @region, args...)    rg.fork.region(threads,
//   args...)
//     a direct call with one actual per formal. In the module rg.fork.region
//     forks; its primal is what one thread of the team does: it calls region.
//     It bears the attribute RunsInTeam.
//   __kmpc_critical(loc, id, lock)                rg_turn_enter(lock)
//   __kmpc_barrier(loc, id)                       rg_team_barrier()
//   __kmpc_reduce(...) and its branches           a critical region
//   ...                                           see the table in the source
//
// See docs/Parallel.md.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PARALLEL_OPENMPFORM_H
#define RETROGRAD_PARALLEL_OPENMPFORM_H

#include "Emit/RuntimeLibrary.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class CallBase;
class Function;
class Module;
class Value;
} // namespace llvm

namespace retrograd {

class OpenMPForm {
public:
  explicit OpenMPForm(llvm::Module &M) : M(M), Runtime(M) {}

  /// Rewrites the calls in the fresh clone of Original.
  void rewrite(llvm::Function &Clone, const llvm::Function &Original);
  /// Removes the functions that fork and that nobody calls.
  void finish();

private:
  /// The function that forks for Region; null if the call of it is not
  /// understood.
  llvm::Function *forkOf(llvm::Function &Region, const llvm::CallBase &Call,
                         unsigned FirstOperand);
  bool rewriteFork(llvm::CallBase &Call, llvm::Value *Threads, bool OfTeam);

  llvm::Module &M;
  RuntimeLibrary Runtime;
  llvm::SmallVector<llvm::Function *, 4> Forks;
};

} // namespace retrograd

#endif
