//===- OpenMPRoutines.h - what becomes of libomp's routines ---------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PARALLEL_OPENMPROUTINES_H
#define RETROGRAD_PARALLEL_OPENMPROUTINES_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace llvm {
class CallBase;
class Use;
} // namespace llvm

namespace retrograd {

/// What becomes of a routine of libomp.
enum class Becomes : uint8_t {
  Fork,           ///< a call of the function that forks
  ForkIf,         ///< the same; one thread if a condition does not hold
  Threads,        ///< an operand of the next fork
  Barrier,        ///< rg_team_barrier()
  Calls,          ///< the routine Instead of ours
  Turn,           ///< the same, of the lock: a turn begins or ends
  TestLock,       ///< rg_turn_test_lock(lock), which may fail
  Ordered,        ///< stays, and a turn begins
  EndOrdered,     ///< a turn ends before it
  Reduce,         ///< a turn begins, in which the thread adds its part
  EndReduce,      ///< the turn ends
  EndReduceWait,  ///< the same, and all wait
  Schedule,       ///< nothing, or a distribution that is the same in every run
  Single,         ///< nothing, or the first thread of the team
  EndSingle,      ///< likewise
  MakeTask,       ///< memory for a task, and for what it shares
  Task,           ///< a call of the function that starts it
  TaskBehind,     ///< the same, behind what others write or read
  TaskLoop,       ///< a loop that makes tasks
  TaskHere,       ///< nothing: the program calls the task's function itself
  TaskHereEnd,    ///< its memory is released
  TaskWaitSome,   ///< rg_task_wait_some()
  Group,          ///< the routine Instead of ours: a group of tasks begins
  EndGroup,       ///< the same: it ends
  CopyPrivate,    ///< one thread's variables are copied by all others
  League,         ///< a call of the region: a league has one team
  LeagueSize,     ///< nothing
  Cancel,         ///< rg_no_cancel()
  CancelPoint,    ///< nothing
  CancelBarrier,  ///< a barrier
  Sink,           ///< stays, and an event comes after it
  Source,         ///< an event comes before it
  Bounds,         ///< all iterations, of a loop over a league's teams
  Reduction,      ///< a list of what tasks of a group reduce to
  ReductionOfAll, ///< the same of a region or shared loop, and a group of tasks
  EndReduction,   ///< the routine Instead of ours: the group ends
  Reduced,        ///< the task's part of one, and what becomes of it
  OwnVariable,    ///< the address of a thread-local variable
  Flush           ///< nothing: atomic operations beside it have events
};

struct OpenMPRoutine {
  llvm::StringLiteral Name;
  Becomes What;
  unsigned Operand = 0; ///< the lock, the number of threads
  llvm::StringLiteral Instead = "";
};

/// Null if Call is none of libomp's, or stays as it is.
const OpenMPRoutine *routineOf(const llvm::CallBase &Call);

/// Argument is a function that a routine is given and that is called by its
/// name, or not at all, in what becomes of the routine: no call by address
/// leads to it for that.
bool isCalledByName(const llvm::Use &Argument);

} // namespace retrograd

#endif
