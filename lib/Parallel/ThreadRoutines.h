//===- ThreadRoutines.h - what becomes of routines of threads ---*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The routines of POSIX, of C and of the C++ library that ThreadForm rewrites,
// by name and number of operands.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PARALLEL_THREADROUTINES_H
#define RETROGRAD_PARALLEL_THREADROUTINES_H

#include "llvm/ADT/StringRef.h"

namespace llvm {
class CallBase;
class Module;
} // namespace llvm

namespace retrograd {

/// What becomes of a call.
enum class ThreadCall : uint8_t {
  Create,      ///< pthread_create(id, attributes, f, argument)
  CreateState, ///< std::thread's: (this, &state, ...)
  Start,       ///< ours, in the primal of a function that starts: the thread
  StartTask,   ///< the same of a task
  Join,        ///< pthread_join(id, result)
  JoinInteger, ///< thrd_join(id, result), of an integer
  Exit,        ///< pthread_exit(result)
  JoinObject,  ///< std::thread::join(this)
  Wait,        ///< pthread_cond_wait(condition, mutex)
  WaitObject,  ///< std::condition_variable::wait(this, &lock)
  Event,       ///< the routine Instead of ours, which has a number
  Try,         ///< the same; it may fail, with the result Failed
  Barrier,     ///< a wait between two events
  Once,        ///< pthread_once(flag, f)
  /// syscall(SYS_futex, word, operation, value[, time[, null, all bits]])
  SystemCall,
  Tells,  ///< stays, behind an event
  Learns, ///< stays, before one
  /// Instead, which is the same routine by a name of ours, and a turn or an
  /// event where it has not given up: it returns zero.
  TimedLock,
  TimedEvent,
  /// Instead, likewise, between the end of a turn of its mutex and the
  /// beginning of another.
  TimedWait
};

struct ThreadRoutine {
  llvm::StringLiteral Name;
  ThreadCall What;
  unsigned Operands;
  llvm::StringLiteral Instead = "";
  unsigned Failed = 0;
};

/// Null if Call is none.
const ThreadRoutine *threadRoutineOf(const llvm::CallBase &Call);

/// Some function of the module starts a thread.
bool startsThreads(const llvm::Module &M);

/// Call of syscall is one by which threads wait for a word of memory, or wake
/// each other.
bool isFutex(const llvm::CallBase &Call);

} // namespace retrograd

#endif
