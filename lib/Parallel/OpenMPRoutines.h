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
}

namespace retrograd {

/// What becomes of a routine of libomp.
enum class Becomes : uint8_t {
  Fork,           ///< a call of the function that forks
  ForkIf,         ///< the same; one thread if a condition does not hold
  Threads,        ///< an operand of the next fork
  Barrier,        ///< rg_team_barrier()
  Enter,          ///< rg_turn_enter(lock)
  Leave,          ///< rg_turn_leave(lock)
  Lock,           ///< rg_turn_lock(lock), of a lock that the program has
  Unlock,         ///< rg_turn_unlock(lock)
  TestLock,       ///< rg_turn_test_lock(lock), which may fail
  NestLock,       ///< rg_turn_nest_lock(lock)
  NestUnlock,     ///< rg_turn_nest_unlock(lock)
  Ordered,        ///< stays, and a turn begins
  EndOrdered,     ///< a turn ends before it
  Reduce,         ///< a turn begins, in which the thread adds its part
  EndReduce,      ///< a turn ends
  EndReduceWait,  ///< a turn ends, and all wait
  Serial,         ///< rg_serial_begin()
  EndSerial,      ///< rg_serial_end()
  MakeTask,       ///< memory for a task, and for what it shares
  Task,           ///< a call of the function that starts it
  TaskBehind,     ///< the same, behind what others write or read
  TaskLoop,       ///< a loop that makes tasks
  TaskHere,       ///< nothing: the program calls the task's function itself
  TaskHereEnd,    ///< its memory is released
  TaskWait,       ///< rg_task_wait()
  TaskWaitSome,   ///< rg_task_wait_some()
  TaskYield,      ///< rg_task_yield()
  Group,          ///< rg_task_group_begin()
  EndGroup,       ///< rg_task_group_end()
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
  EndReduction,   ///< the group ends
  Reduced,        ///< the task's part of one, and what becomes of it
  Flush           ///< nothing: atomic operations beside it have events
};

struct OpenMPRoutine {
  llvm::StringLiteral Name;
  Becomes What;
  unsigned Operand = 0; ///< the lock, the number of threads
};

/// Null if Call is none of libomp's, or stays as it is.
const OpenMPRoutine *routineOf(const llvm::CallBase &Call);

} // namespace retrograd

#endif
