//===- ThreadRoutines.cpp - what becomes of routines of threads -----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parallel/ThreadRoutines.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace retrograd;

namespace {

constexpr unsigned Busy = 16;    // EBUSY
constexpr unsigned ThrdBusy = 1; // thrd_busy

constexpr ThreadRoutine Routines[] = {
    {"pthread_create", ThreadCall::Create, 4},
    {"_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_"
     "deleteIS1_EEPFvvE",
     ThreadCall::CreateState, 3},
    {"rg_thread_start", ThreadCall::Start, 3},
    {"rg_task_start", ThreadCall::StartTask, 3},
    {"pthread_join", ThreadCall::Join, 2},
    {"_ZNSt6thread4joinEv", ThreadCall::JoinObject, 1},
    {"pthread_mutex_lock", ThreadCall::Event, 1, "rg_turn_mutex"},
    {"pthread_mutex_unlock", ThreadCall::Event, 1, "rg_turn_mutex_leave"},
    {"pthread_cond_wait", ThreadCall::Wait, 2, "rg_wait_for_condition"},
    {"_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE",
     ThreadCall::WaitObject, 2, "rg_wait_for_condition"},
    {"pthread_mutex_trylock", ThreadCall::Try, 1, "rg_turn_try_mutex", Busy},
    {"pthread_rwlock_rdlock", ThreadCall::Event, 1, "rg_event_read_lock"},
    {"pthread_rwlock_wrlock", ThreadCall::Event, 1, "rg_event_write_lock"},
    {"pthread_rwlock_unlock", ThreadCall::Event, 1, "rg_event_unlock"},
    {"pthread_rwlock_tryrdlock", ThreadCall::Try, 1, "rg_event_try_read_lock",
     Busy},
    {"pthread_rwlock_trywrlock", ThreadCall::Try, 1, "rg_event_try_write_lock",
     Busy},
    {"pthread_spin_lock", ThreadCall::Event, 1, "rg_event_spin_lock"},
    {"pthread_spin_trylock", ThreadCall::Try, 1, "rg_event_try_spin_lock",
     Busy},
    {"pthread_spin_unlock", ThreadCall::Event, 1, "rg_event_spin_unlock"},
    {"sem_wait", ThreadCall::Event, 1, "rg_event_sem_wait"},
    {"sem_trywait", ThreadCall::Try, 1, "rg_event_try_sem", ~0u}, // -1
    {"sem_post", ThreadCall::Event, 1, "rg_event_sem_post"},
    {"pthread_mutex_timedlock", ThreadCall::TimedLock, 2, "rg_mutex_timedlock"},
    {"pthread_mutex_clocklock", ThreadCall::TimedLock, 3, "rg_mutex_clocklock"},
    {"mtx_timedlock", ThreadCall::TimedLock, 2, "rg_mtx_timedlock"},
    {"pthread_rwlock_timedrdlock", ThreadCall::TimedEvent, 2,
     "rg_rwlock_timedrdlock"},
    {"pthread_rwlock_timedwrlock", ThreadCall::TimedEvent, 2,
     "rg_rwlock_timedwrlock"},
    {"pthread_rwlock_clockrdlock", ThreadCall::TimedEvent, 3,
     "rg_rwlock_clockrdlock"},
    {"pthread_rwlock_clockwrlock", ThreadCall::TimedEvent, 3,
     "rg_rwlock_clockwrlock"},
    {"sem_timedwait", ThreadCall::TimedEvent, 2, "rg_sem_timedwait"},
    {"sem_clockwait", ThreadCall::TimedEvent, 3, "rg_sem_clockwait"},
    {"pthread_cond_timedwait", ThreadCall::TimedWait, 3, "rg_cond_timedwait"},
    {"pthread_cond_clockwait", ThreadCall::TimedWait, 4, "rg_cond_clockwait"},
    {"cnd_timedwait", ThreadCall::TimedWait, 3, "rg_cnd_timedwait"},
    {"pthread_barrier_wait", ThreadCall::Barrier, 1},
    {"pthread_exit", ThreadCall::Exit, 1},
    {"thrd_exit", ThreadCall::Exit, 1},
    {"pthread_once", ThreadCall::Once, 2},
    {"call_once", ThreadCall::Once, 2},
    {"syscall", ThreadCall::SystemCall, 4},
    {"syscall", ThreadCall::SystemCall, 5},
    {"syscall", ThreadCall::SystemCall, 7},
    {"thrd_create", ThreadCall::Create, 3},
    {"thrd_join", ThreadCall::JoinInteger, 2},
    {"mtx_lock", ThreadCall::Event, 1, "rg_turn_mtx"},
    {"mtx_unlock", ThreadCall::Event, 1, "rg_turn_mtx_leave"},
    {"mtx_trylock", ThreadCall::Try, 1, "rg_turn_try_mtx", ThrdBusy},
    {"cnd_wait", ThreadCall::Wait, 2, "rg_wait_for_cnd"},
    {"_ZNSt14__tree_barrierISt18__empty_completionE6arriveEl",
     ThreadCall::Tells, 2},
    {"_ZNKSt14__tree_barrierISt18__empty_completionE4waitEOSt17__barrier_phase_"
     "t",
     ThreadCall::Learns, 2},
    {"_ZNSt5latch10count_downEl", ThreadCall::Tells, 2},
    {"_ZNKSt5latch4waitEv", ThreadCall::Learns, 1},
    {"_ZNKSt5latch8try_waitEv", ThreadCall::Learns, 1},
    {"_ZNSt18__atomic_semaphore10_M_acquireEv", ThreadCall::Learns, 1},
    {"_ZNSt18__atomic_semaphore14_M_try_acquireEv", ThreadCall::Learns, 1},
    {"_ZNSt18__atomic_semaphore10_M_releaseEl", ThreadCall::Tells, 2},
};

} // namespace

const ThreadRoutine *retrograd::threadRoutineOf(const CallBase &Call) {
  const Function *F = Call.getCalledFunction();
  if (!F)
    return nullptr;
  for (const ThreadRoutine &R : Routines)
    if (R.Name == F->getName() && R.Operands == Call.arg_size() &&
        (F->isDeclaration() || F->getName().starts_with("rg_") ||
         R.What == ThreadCall::Tells || R.What == ThreadCall::Learns))
      return &R;
  return nullptr;
}

bool retrograd::isFutex(const CallBase &Call) {
  const Triple &T = Call.getModule()->getTargetTriple();
  const uint64_t Number = T.isAArch64() ? 98 : 202; // SYS_futex of Linux
  const auto *N = dyn_cast<ConstantInt>(Call.getArgOperand(0));
  return T.isOSLinux() && N && N->getZExtValue() == Number &&
         Call.getArgOperand(1)->getType()->isPointerTy() &&
         Call.getArgOperand(2)->getType()->isIntegerTy() &&
         Call.getArgOperand(3)->getType()->isIntegerTy() &&
         (Call.arg_size() == 4 ||
          Call.getArgOperand(4)->getType()->isPointerTy()) &&
         (Call.arg_size() < 7 ||
          (isa<ConstantPointerNull>(Call.getArgOperand(5)) &&
           match(Call.getArgOperand(6), PatternMatch::m_AllOnes())));
}

bool retrograd::startsThreads(const Module &M) {
  return any_of(Routines, [&](const ThreadRoutine &R) {
    const Function *F = M.getFunction(R.Name);
    return F && F->isDeclaration() &&
           (R.What == ThreadCall::Create || R.What == ThreadCall::CreateState);
  });
}
