//===- CallBinding.h - how often a call runs its callee ---------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In prepared primals every call is direct, those of parallel runtimes, too: a
// parallel region, a thread, a task has a function of its own whose call runs
// it (Parallel/OpenMPForm.h, Parallel/ThreadForm.h). What is special about such
// a call is a property of that function, its binding. Analyses and plans ask
// for it here, and nowhere for names of runtimes. docs/Parallel.md, "Bindings".
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_SUPPORT_CALLBINDING_H
#define RETROGRAD_SUPPORT_CALLBINDING_H

#include "llvm/ADT/StringRef.h"

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace retrograd {

enum class CallBinding : uint8_t {
  Once,   ///< the caller's thread runs the primal; every other function
  Team,   ///< each thread of a team runs it; the call returns after the last.
          ///< The first parameter is how many threads the program asks for
  Thread, ///< one more thread runs it, and the call does not wait. The first
          ///< parameter names the thread
  Task    ///< the same of a task
};

CallBinding bindingOf(const llvm::Function &F);
/// "once", "team", "thread", "task": as the attribute spells it, and as
/// routines of the runtime are named.
llvm::StringRef nameOf(CallBinding B);
/// Binds calls of F, which preparation has made.
void bind(llvm::Function &F, CallBinding B);
/// Binds calls of F to a team of the runtime's own threads, not libomp's. Who
/// has a number in the team is another thread in the reverse sweep.
void bindToPool(llvm::Function &F);
bool runsInPool(const llvm::Function &F);
/// Some function of M is.
bool forksPools(const llvm::Module &M);

/// Other threads than the caller's may run F's primal, and more than once: it
/// is not inlined, and its derivative is called by way of TeamEmitter's
/// functions.
inline bool runsElsewhere(const llvm::Function &F) {
  return bindingOf(F) != CallBinding::Once;
}
/// Calls of F go on before its primal has ended.
inline bool startsWork(const llvm::Function &F) {
  return bindingOf(F) >= CallBinding::Thread;
}

} // namespace retrograd

#endif
