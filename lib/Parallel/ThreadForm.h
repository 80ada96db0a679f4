//===- ThreadForm.h - threads that a primal starts --------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads of POSIX and of the C++ library, in terms of routines whose reverse
// is known (runtime/spawn.c):
//
//   pthread_create(&id, attr, f, arg)    id = rg_thread_new();
//                                        rg.spawn.f(id, arg)
//   std::thread's start of a state       the same; f is the member _M_run
//                                        of the state
//   pthread_join, std::thread::join      rg_thread_wait(id)
//   pthread_mutex_lock, _unlock          rg_turn_mutex, rg_turn_mutex_leave
//   pthread_cond_wait                    a turn ends before it, another one
//                                        begins behind it
//   pthread_once, std::call_once         if (rg_once_begins(flag)) { f();
//                                        rg_once_ends(flag); }
//   thrd_create, mtx_lock, cnd_wait, ... the same (docs/AddARuntime.md)
//
// In the module rg.spawn.f starts a thread; its primal is what that thread
// does: it calls f. Its binding is CallBinding::Thread.
// See docs/Parallel.md.
//
// Where pthread_join asks for results, a thread's argument and its result lie
// in a cell, whose address the starting thread leaves in a variable of the
// module, at the thread's place:
//
//   pthread_create(&id, attr, f, p)  as above, of rg.returns.f and a cell
//   pthread_join(id, &r)             rg_thread_wait(id);  r =
//   cell[place].result
//
// Not handled: threads whose function is not known here, detached ones.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PARALLEL_THREADFORM_H
#define RETROGRAD_PARALLEL_THREADFORM_H

#include "Bitcode/RuntimeLibrary.h"
#include "Support/CallBinding.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace llvm {
class CallBase;
class CallInst;
class Function;
class IRBuilderBase;
class Module;
class Type;
class Value;
} // namespace llvm

namespace retrograd {

class ThreadForm {
public:
  explicit ThreadForm(llvm::Module &M) : M(M), Runtime(M) {}

  /// Rewrites what is understood in a clone; called again when more is known.
  /// Original may be a function that starts a thread; null if it is not known.
  void rewrite(llvm::Function &Clone, const llvm::Function *Original);
  /// Atomic operations by which threads tell each other something, which is to
  /// say those with release or acquire order, get events in the simplified
  /// clone. Numbers have turns by then. True if there was one.
  bool orderSignals(llvm::Function &Clone);
  /// Removes the functions that start threads and that nobody calls.
  void finish();

private:
  class Rewriter;

  llvm::Function *spawnOf(llvm::Function &Run);
  llvm::Function *runOfState(const llvm::CallBase &Start);
  llvm::Function *invokerOf(llvm::Function &Invoker, llvm::StringRef Variable);
  void start(llvm::IRBuilderBase &B, llvm::Function &F, llvm::Value *Id,
             llvm::Value *Argument);
  bool create(llvm::CallBase &Call, llvm::IRBuilderBase &B);
  bool join(llvm::CallBase &Call, llvm::IRBuilderBase &B);
  llvm::CallInst *callOnce(llvm::CallBase &Call, llvm::IRBuilderBase &B);
  bool mayMeetOthers();
  bool threadsReturnNull();
  bool wantsResults();
  llvm::Function *makeWrapper(llvm::Function &Called, llvm::StringRef Name,
                              llvm::Type *Result);
  llvm::Function *returningOf(llvm::Function &Run);
  llvm::Value *cellOf(llvm::IRBuilderBase &B, llvm::Value *Place);

  llvm::Module &M;
  RuntimeLibrary Runtime;
  llvm::SmallVector<llvm::Function *, 4> Made;
  std::optional<bool> Starts, Results;
};

/// Marks a call or an atomic operation that has its event, however often a
/// primal is prepared.
constexpr llvm::StringLiteral HasThreadEvent = "rg.event";

/// A function without a body, of a number and a pointer, that starts work of
/// Run's; its binding is Kind.
llvm::Function *startingFunction(llvm::Function &Run, llvm::StringRef Name,
                                 CallBinding Kind);

} // namespace retrograd

#endif
