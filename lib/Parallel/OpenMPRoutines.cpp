//===- OpenMPRoutines.cpp - what becomes of libomp's routines -------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parallel/OpenMPRoutines.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace retrograd;

static constexpr OpenMPRoutine Routines[] = {
    {"__kmpc_fork_call", Becomes::Fork},
    {"__kmpc_fork_call_if", Becomes::ForkIf},
    {"__kmpc_push_num_threads", Becomes::Threads, 2},
    {"__kmpc_barrier", Becomes::Barrier},
    {"__kmpc_critical", Becomes::Turn, 2, "rg_turn_enter"},
    {"__kmpc_critical_with_hint", Becomes::Turn, 2, "rg_turn_enter"},
    {"__kmpc_end_critical", Becomes::Turn, 2, "rg_turn_leave"},
    {"omp_set_lock", Becomes::Turn, 0, "rg_turn_lock"},
    {"omp_unset_lock", Becomes::Turn, 0, "rg_turn_unlock"},
    {"omp_test_lock", Becomes::TestLock},
    {"omp_set_nest_lock", Becomes::Turn, 0, "rg_turn_nest_lock"},
    {"omp_unset_nest_lock", Becomes::Turn, 0, "rg_turn_nest_unlock"},
    {"__kmpc_ordered", Becomes::Ordered},
    {"__kmpc_end_ordered", Becomes::EndOrdered},
    {"__kmpc_reduce_nowait", Becomes::Reduce, 6},
    {"__kmpc_reduce", Becomes::Reduce, 6},
    {"__kmpc_end_reduce_nowait", Becomes::EndReduce, 2},
    {"__kmpc_end_reduce", Becomes::EndReduceWait, 2},
    {"__kmpc_serialized_parallel", Becomes::Calls, 0, "rg_serial_begin"},
    {"__kmpc_end_serialized_parallel", Becomes::Calls, 0, "rg_serial_end"},
    {"__kmpc_omp_task_alloc", Becomes::MakeTask, 5},
    {"__kmpc_omp_task", Becomes::Task, 2},
    {"__kmpc_omp_task_with_deps", Becomes::TaskBehind, 6},
    {"__kmpc_taskloop", Becomes::TaskLoop, 10},
    {"__kmpc_omp_task_begin_if0", Becomes::TaskHere, 2},
    {"__kmpc_omp_task_complete_if0", Becomes::TaskHereEnd, 2},
    {"__kmpc_omp_taskwait", Becomes::Calls, 0, "rg_task_wait"},
    {"__kmpc_omp_taskwait_deps_51", Becomes::TaskWaitSome, 6},
    {"__kmpc_omp_taskyield", Becomes::Calls, 0, "rg_task_yield"},
    {"__kmpc_taskgroup", Becomes::Group, 0, "rg_task_group_begin"},
    {"__kmpc_end_taskgroup", Becomes::EndGroup, 0, "rg_task_group_end"},
    {"__kmpc_copyprivate", Becomes::CopyPrivate, 5},
    {"__kmpc_fork_teams", Becomes::League, 2},
    {"__kmpc_push_num_teams", Becomes::LeagueSize, 3},
    {"__kmpc_cancel", Becomes::Cancel},
    {"__kmpc_cancellationpoint", Becomes::CancelPoint},
    {"__kmpc_cancel_barrier", Becomes::CancelBarrier},
    {"__kmpc_doacross_wait", Becomes::Sink},
    {"__kmpc_doacross_post", Becomes::Source},
    {"__kmpc_taskred_init", Becomes::Reduction, 2},
    {"__kmpc_task_reduction_init", Becomes::Reduction, 2},
    {"__kmpc_taskred_modifier_init", Becomes::ReductionOfAll, 4},
    {"__kmpc_task_reduction_modifier_init", Becomes::ReductionOfAll, 4},
    {"__kmpc_task_reduction_modifier_fini", Becomes::EndReduction, 0,
     "rg_task_group_end"},
    {"__kmpc_task_reduction_get_th_data", Becomes::Reduced, 2},
    {"__kmpc_threadprivate_cached", Becomes::OwnVariable, 4},
    {"__kmpc_flush", Becomes::Flush},
    {"__kmpc_for_static_init_4", Becomes::Bounds, 8},
    {"__kmpc_for_static_init_4u", Becomes::Bounds, 8},
    {"__kmpc_for_static_init_8", Becomes::Bounds, 8},
    {"__kmpc_for_static_init_8u", Becomes::Bounds, 8},
    {"__kmpc_dispatch_init_4", Becomes::Schedule, 2},
    {"__kmpc_dispatch_init_4u", Becomes::Schedule, 2},
    {"__kmpc_dispatch_init_8", Becomes::Schedule, 2},
    {"__kmpc_dispatch_init_8u", Becomes::Schedule, 2},
    {"__kmpc_single", Becomes::Single},
    {"__kmpc_end_single", Becomes::EndSingle},
};

const OpenMPRoutine *retrograd::routineOf(const CallBase &Call) {
  const Function *F = Call.getCalledFunction();
  if (!F || !F->isDeclaration() || !isa<CallInst>(Call))
    return nullptr;
  for (const OpenMPRoutine &R : Routines)
    if (R.Name == F->getName() && R.Operand < Call.arg_size())
      return &R;
  return nullptr;
}

bool retrograd::isCalledByName(const Use &Argument) {
  const auto *Call = dyn_cast<CallBase>(Argument.getUser());
  const OpenMPRoutine *R = Call ? routineOf(*Call) : nullptr;
  return R && isa<Function>(Argument->stripPointerCasts()) &&
         (R->What == Becomes::Reduce || R->What == Becomes::CopyPrivate);
}
