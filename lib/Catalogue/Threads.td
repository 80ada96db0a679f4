//===- Threads.td - threads of POSIX and of the C++ library ---------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Preparation rewrites what starts threads, waits for them and excludes them
// (Parallel/ThreadForm.h) in terms of routines of our own runtime, whose reverse is
// known (runtime/spawn.c). See docs/Parallel.md.
//
//===----------------------------------------------------------------------===//

let Section = "Threads" in {
def thread_queries : InactiveInC<
    ["pthread_attr_init", "pthread_attr_destroy", "pthread_attr_setstacksize",
     "pthread_cond_init", "pthread_cond_destroy", "pthread_cond_signal",
     "pthread_cond_broadcast", "pthread_mutexattr_init", "pthread_mutexattr_settype",
     "pthread_mutexattr_destroy", "pthread_spin_init", "pthread_spin_destroy",
     "pthread_barrier_init", "pthread_barrier_destroy", "sem_init", "sem_destroy", "sem_getvalue",
     "_ZNSt6thread6_StateD2Ev", "_ZNSt6thread20hardware_concurrencyEv",
     "_ZNSt18condition_variableC1Ev", "_ZNSt18condition_variableD1Ev",
     "_ZNSt18condition_variable10notify_oneEv", "_ZNSt18condition_variable10notify_allEv"]>;
// Any other system call is not known: it may read numbers.
def futex : InactiveInC<["rg_futex"]> {
  let OfRuntime = 1;
  let Summary = "what libstdc++'s waits on memory are made of";
}
// Counters that threads wait for, of C++20: libstdc++'s bodies, which wait on memory. What
// a barrier calls when all have come is the user's unless it is empty.
let OfRuntime = 1, Waits = 1 in
def thread_moments : InactiveInC<
    ["_ZNSt14__tree_barrierISt18__empty_completionE6arriveEl",
     "_ZNKSt14__tree_barrierISt18__empty_completionE4waitEOSt17__barrier_phase_t",
     "_ZNSt5latch10count_downEl", "_ZNKSt5latch4waitEv", "_ZNKSt5latch8try_waitEv",
     "_ZNSt18__atomic_semaphore10_M_acquireEv", "_ZNSt18__atomic_semaphore14_M_try_acquireEv",
     "_ZNSt18__atomic_semaphore10_M_releaseEl"]> {
  let Summary = "threads wait for each other; the events around it tell the order";
}
def thread_started : Refused<
    "a thread whose function the compiler does not see here",
    ["pthread_create",
     "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE"]>;
def thread_result : Refused<
    "the result of a thread, read by pthread_join, where no thread is started in the file; let "
    "the thread write it to memory that is passed to it",
    ["pthread_join"]>;
def thread_detached : Refused<
    "a detached thread: nobody waits for it, so its reverse would not know when to start",
    ["pthread_detach", "_ZNSt6thread6detachEv", "pthread_exit", "pthread_cancel",
     "pthread_tryjoin_np", "pthread_timedjoin_np"]>;
def thread_timeout : InactiveInC<
    ["sem_timedwait", "sem_clockwait", "pthread_mutex_timedlock", "pthread_mutex_clocklock", "pthread_cond_timedwait",
     "pthread_cond_clockwait", "pthread_rwlock_timedrdlock", "pthread_rwlock_timedwrlock",
     "pthread_rwlock_clockrdlock", "pthread_rwlock_clockwrlock"]> {
  let Summary = "a wait that may give up: whether it did is known when the program has run; the turns and events "
                "around it tell the order";
}
def process_started : Refused<
    "a process of its own: what it computes stays there, or comes back by memory or files that have no "
    "derivative; start a thread", ["fork", "vfork", "_Fork"]>;
// What threads hand over by std::promise, std::async and std::packaged_task: libstdc++'s
// headers do it, and wait on memory.
def future_state : InactiveInC<
    ["_ZNSt13__future_base12_Result_baseC2Ev", "_ZNSt13__future_base12_Result_baseD2Ev",
     "_ZNSt28__atomic_futex_unsigned_base19_M_futex_wait_untilEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE",
     "_ZNSt28__atomic_futex_unsigned_base26_M_futex_wait_until_steadyEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE",
     "_ZNSt28__atomic_futex_unsigned_base19_M_futex_notify_allEPj", "_ZSt15future_categoryv",
     "_ZNSt12future_errorC1ESt10error_code", "_ZNSt12future_errorD1Ev", "_ZNSt12future_errorD2Ev",
     "_ZNSt12future_errorD0Ev"]>;
let OfRuntime = 1, Waits = 1 in
def future_broken : InactiveInC<
    ["_ZSt18make_exception_ptrISt12future_errorENSt15__exception_ptr13exception_ptrET_",
     "_ZNSt12future_errorC2ESt11future_errc", "_ZNSt12future_errorC2ERKS_"]> {
  let Summary = "a promise that nobody has kept; there is no result";
}
// std::async looks at why a thread could not be started.
let OfRuntime = 1, Waits = 1 in
def error_codes : InactiveInC<
    ["_ZSteqRKSt10error_codeRKSt15error_condition", "_ZStneRKSt10error_codeRKSt15error_condition",
     "_ZSteqRKSt10error_codeS1_", "_ZStneRKSt10error_codeS1_"]> {
  let Summary = "which error it is";
}
def future_at_exit : Refused<
    "a result that is set when its thread exits (set_value_at_thread_exit); set it by set_value",
    ["_ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv"]>;
}

// Loops, reductions and scans of oneTBB are methods with substitutes.
class TbbRange<string kind, string scope> : ParallelMethod<kind, scope, "run"> {
  let RunBody = "run_body";
  let IsEmpty = "empty";
  let IsDivisible = "is_divisible";
  let Join = "join";
  let SplitTag = "::split";
  let SplitsAll = "simple_partitioner";
}
def tbb_for : TbbRange<"Loop", "tbb::detail::d1::start_for">;
def tbb_reduce : TbbRange<"Reduction", "tbb::detail::d1::start_reduce">;
def tbb_deterministic_reduce
    : TbbRange<"Reduction", "tbb::detail::d1::start_deterministic_reduce">;
def tbb_scan : TbbRange<"Scan", "tbb::detail::d1::start_scan"> {
  let Join = "reverse_join";
  let Assign = "assign";
  let AddTag = "::pre_scan_tag";
  let WriteTag = "::final_scan_tag";
}
def tbb_invoke
    : ParallelMethod<"Calls", "tbb::detail::d1", "invoke_recursive_separation">;

// What libstdc++ makes of its algorithms with a policy, besides those loops.
class PolicySteps<string kind, string base>
    : ParallelMethod<kind, "__pstl::__tbb_backend", base>;
def pstl_scan : PolicySteps<"StepScan", "__parallel_strict_scan">;
def pstl_sort : PolicySteps<"StepWhole", "__parallel_stable_sort">;
def pstl_merge : PolicySteps<"StepWhole", "__parallel_merge">;

// Kokkos: a label, a policy, a body (and a result).
class KokkosPolicy<string kind, string policy, string scope, string base>
    : ParallelMethod<kind, scope, base> {
  let Policy = policy;
  let OneThread = "Kokkos::Serial";
  let Init = "init";
  let Join = "join";
}
class KokkosFor<string kind, string policy>
    : KokkosPolicy<kind, policy, "Kokkos", "parallel_for">;
class KokkosReduce<string kind, string policy>
    : KokkosPolicy<kind, policy, "Kokkos::Impl::ParallelReduceAdaptor", "execute_impl">;
let First = "begin", Last = "end" in {
def kokkos_for : KokkosFor<"PolicyLoop", "Kokkos::RangePolicy">;
def kokkos_reduce : KokkosReduce<"PolicyReduction", "Kokkos::RangePolicy">;
def kokkos_scan
    : KokkosPolicy<"PolicyScan", "Kokkos::RangePolicy", "Kokkos", "parallel_scan">;
}
let Walk = "Kokkos::Impl::HostIterateTile" in {
def kokkos_for_tiles : KokkosFor<"TileLoop", "Kokkos::MDRangePolicy">;
def kokkos_reduce_tiles : KokkosReduce<"TileReduction", "Kokkos::MDRangePolicy">;
}
let Walk = "Kokkos::Impl::HostThreadTeamMember", Last = "league_size" in {
def kokkos_for_teams : KokkosFor<"LeagueLoop", "Kokkos::TeamPolicy">;
def kokkos_reduce_teams : KokkosReduce<"LeagueReduction", "Kokkos::TeamPolicy">;
}

let Section = "Kokkos" in {
// Who owns an array, and what makes one: runtime/kokkos.c.
def kokkos_make : Expansion<"rg_kokkos_make",
    ["_ZN6Kokkos4Impl28SharedAllocationRecordCommonINS_9HostSpaceEEC2ERKS2_RKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEmPFvPNS0_22SharedAllocationRecordIvvEEE"],
    "V:PPPZP"> {
  let Summary = "the record of an array of a `View`, and the array";
}
def kokkos_begin : Expansion<"rg_kokkos_begin",
    ["_ZN6Kokkos4Impl22SharedAllocationRecordIvvEC2EPNS0_22SharedAllocationHeaderEmPFvPS2_ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"],
    "V:PPZPP"> {
  let Summary = "the record of an array";
}
def kokkos_head : Expansion<"rg_kokkos_head",
    ["_ZN6Kokkos4Impl32fill_host_accessible_header_infoEPNS0_22SharedAllocationRecordIvvEERNS0_22SharedAllocationHeaderERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"],
    "V:PPP"> {
  let Summary = "what stands in front of an array";
}
let OfCharacters = 1, OfRuntime = 1 in
def kokkos_label : Inactive<["_ZNK6Kokkos4Impl23SharedAllocationTracker9get_labelI*"]> {
  let Shadow = "rg_string_begin";
  let Summary = "the label of a `View`";
}
// Spaces own what the library keeps of them.
let OfRuntime = 1 in
def kokkos_instances : InactiveInC<
    ["_ZN6Kokkos4Impl13HostSharedPtrINS0_14OpenMPInternalEE*",
     "_ZNK6Kokkos4Impl13HostSharedPtrINS0_14OpenMPInternalEE*",
     "_ZN6Kokkos4Impl13HostSharedPtrINS0_14SerialInternalEE*",
     "_ZNK6Kokkos4Impl13HostSharedPtrINS0_14SerialInternalEE*"]> {
  let Summary = "execution spaces: no numbers";
}
def kokkos_array : Allocation<["_ZNK6Kokkos9HostSpace8allocateEPKcmm"], "P:PPZZ", [2], "free">;
def kokkos_hold : Expansion<"rg_kokkos_hold",
    ["_ZN6Kokkos4Impl22SharedAllocationRecordIvvE9incrementEPS2_"], "V:P"> {
  let Summary = "one more `View` of an array: counted where the derivative has made the array";
}
def kokkos_release : Expansion<"rg_kokkos_release",
    ["_ZN6Kokkos4Impl22SharedAllocationRecordIvvE9decrementEPS2_"], "P:P"> {
  let Summary = "one `View` less of an array: likewise; the last gives the array back";
}
def kokkos_copy : Expansion<"rg_kokkos_copy",
    ["_ZN6Kokkos4Impl27hostspace_parallel_deepcopyEPvPKvl",
     "_ZN6Kokkos4Impl33hostspace_parallel_deepcopy_asyncEPvPKvl"], "V:PPL"> {
  let Summary = "`deep_copy` between arrays of one form";
}
def kokkos_copy_in : Expansion<"rg_kokkos_copy_in",
    ["_ZN6Kokkos4Impl33hostspace_parallel_deepcopy_asyncERKNS_6OpenMPEPvPKvl",
     "_ZN6Kokkos4Impl33hostspace_parallel_deepcopy_asyncERKNS_7ThreadsEPvPKvl",
     "_ZN6Kokkos4Impl33hostspace_parallel_deepcopy_asyncERKNS_6SerialEPvPKvl"], "V:PPPL"> {
  let Summary = "likewise";
}
// Teams of a derivative have one thread: nobody waits.
let OfRuntime = 1 in {
def kokkos_arrive : Expansion<"rg_kokkos_arrive",
    ["_ZN6Kokkos4Impl11HostBarrier12split_arriveEPiiRib"], "N:PNPN"> {
  let Summary = "a barrier of a team of one thread";
}
def kokkos_wait : Expansion<"rg_kokkos_wait",
    ["_ZN6Kokkos4Impl11HostBarrier4waitEPiiib",
     "_ZN6Kokkos4Impl11HostBarrier17split_master_waitEPiiib"], "V:PNNN"> {
  let Summary = "likewise";
}
def kokkos_go : Expansion<"rg_kokkos_go",
    ["_ZN6Kokkos4Impl11HostBarrier13split_releaseEPiii"], "V:PNN"> {
  let Summary = "likewise";
}
}
// What the back ends run loops by that have no substitute.
def kokkos_loops : Refused<
    "a loop of Kokkos of a form that is not known: several results or an array of values, a scan of structs, tasks, "
    "a graph, or teams on its Threads back end (OpenMP's and Serial's are known)",
    ["_ZN6Kokkos4Impl15ThreadsInternal5startEPFvRS1_PKvES4_",
     "_ZN6Kokkos4Impl15ThreadsInternal14resize_scratchEmm",
     "_ZN6Kokkos4Impl14OpenMPInternal18resize_thread_dataEmmmm",
     "_ZN6Kokkos4Impl14SerialInternal23resize_thread_team_dataEmmmm"]>;
let OfRuntime = 1 in
def kokkos_team : InactiveInC<["rg_kokkos_team"]> {
  let Summary = "ends the program where teams are to have several threads";
}
let OfRuntime = 1 in
def kokkos_counts : InactiveInC<["rg_kokkos_note", "rg_kokkos_count", "rg_kokkos_count_off"]> {
  let Summary = "who owns an array";
}
def kokkos_queries : InactiveInC<
    ["_ZN6Kokkos6OpenMPC1Ev", "_ZN6Kokkos6OpenMP11concurrencyERKS0_",
     "_ZNK6Kokkos6OpenMP11concurrencyEv",
     "_ZNK6Kokkos6OpenMP5fenceERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
     "_ZN6Kokkos6OpenMP12impl_static_fenceERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
     "_ZN6Kokkos7ThreadsC1Ev", "_ZN6Kokkos7Threads11concurrencyEv",
     "_ZNK6Kokkos7Threads11concurrencyEv", "_ZN6Kokkos6SerialC1Ev",
     "_ZN6Kokkos11num_threadsEv", "_ZN6Kokkos14is_initializedEv", "_ZN6Kokkos12is_finalizedEv",
     "_ZN6Kokkos4Impl14OpenMPInternal20max_hardware_threadsEv",
     "_ZN6Kokkos6OpenMP19impl_is_initializedEv", "_ZNK6Kokkos6OpenMP21impl_thread_pool_sizeEv",
     "_ZNK6Kokkos6OpenMP21impl_thread_pool_sizeEi", "_ZN6Kokkos7Threads21impl_thread_pool_sizeEi",
     "_ZN6Kokkos7Threads19impl_is_initializedEv",
     "_ZN6Kokkos4Impl15ThreadsInternal14is_initializedEv",
     "_ZN6Kokkos4Impl15ThreadsInternal11in_parallelEv",
     "_ZN6Kokkos4Impl15ThreadsInternal14internal_fenceEv",
     "_ZN6Kokkos4Impl15ThreadsInternal5fenceEv",
     "_ZNK6Kokkos7Threads5fenceERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
     "_ZN6Kokkos7PerTeamERKm", "_ZN6Kokkos9PerThreadERKm",
     "_ZN6Kokkos46team_policy_check_valid_storage_level_argumentEi",
     "_ZN6Kokkos4Impl23throw_runtime_exceptionERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
     "_ZN6Kokkos4Impl10host_abortEPKc",
     "_ZN6Kokkos5Tools20profileLibraryLoadedEv", "_ZN6Kokkos5Tools17make_space_handleEPKc",
     "_ZN6Kokkos5Tools16beginParallelForERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEjPm", "_ZN6Kokkos5Tools14endParallelForEm",
     "_ZN6Kokkos5Tools19beginParallelReduceERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEjPm", "_ZN6Kokkos5Tools17endParallelReduceEm",
     "_ZN6Kokkos5Tools17beginParallelScanERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEjPm", "_ZN6Kokkos5Tools15endParallelScanEm",
     "_ZN6Kokkos5Tools13beginDeepCopyE28Kokkos_Profiling_SpaceHandleRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEPKvS1_S9_SB_m",
     "_ZN6Kokkos5Tools11endDeepCopyEv", "_ZN6Kokkos5Tools12Experimental13get_callbacksEv",
     "_ZN6Kokkos4Impl15hostspace_fenceERKNS_6OpenMPE",
     "_ZN6Kokkos4Impl15hostspace_fenceERKNS_7ThreadsE",
     "_ZN6Kokkos4Impl15hostspace_fenceERKNS_6SerialE",
     "_ZN6Kokkos5fenceERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
     "_ZN6Kokkos4Impl11log_warningERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"]> {
  let Summary = "execution spaces, the state of the library, fences: no numbers";
}
}

let Section = "oneTBB" in {
// What a method calls at once, in its own thread:
def tbb_isolate : PoolExpansion<"rg_pool_isolate",
    ["_ZN3tbb6detail2r120isolate_within_arenaERNS0_2d113delegate_baseEl"], "V:PL"> {
  let Summary = "calls what it is given";
}
def tbb_arena_execute : PoolExpansion<"rg_pool_execute",
    ["_ZN3tbb6detail2r17executeERNS0_2d115task_arena_baseERNS2_13delegate_baseE"], "V:PP"> {
  let Summary = "calls what it is given; loops in it get as many threads as the program has";
}
def tbb_queries : InactiveInC<
    ["_ZN3tbb6detail2r115max_concurrencyEPKNS0_2d115task_arena_baseE",
     "_ZN3tbb6detail2r127global_control_active_valueEi",
     "_ZN3tbb6detail2r16createERNS0_2d114global_controlE",
     "_ZN3tbb6detail2r17destroyERNS0_2d114global_controlE",
     "_ZN3tbb6detail2r110initializeERNS0_2d115task_arena_baseE",
     "_ZN3tbb6detail2r19terminateERNS0_2d115task_arena_baseE",
     "_ZN3tbb6detail2r16attachERNS0_2d115task_arena_baseE",
     "_ZN3tbb6detail2r110initializeERNS0_2d118task_group_contextE",
     "_ZN3tbb6detail2r17destroyERNS0_2d118task_group_contextE",
     "_ZN3tbb6detail2r15resetERNS0_2d118task_group_contextE",
     "_ZN3tbb6detail2r119capture_fp_settingsERNS0_2d118task_group_contextE",
     "_ZN3tbb6detail2r122cancel_group_executionERNS0_2d118task_group_contextE",
     "_ZN3tbb6detail2r128is_group_execution_cancelledERNS0_2d118task_group_contextE",
     "_ZN3tbb6detail2r115cache_line_sizeEv", "_ZN3tbb6detail2r114notify_waitersEm",
     "_ZN3tbb6detail2r115throw_exceptionENS0_2d012exception_idE"]>;
def tbb_slot : PoolExpansion<"rg_pool_slot",
    ["_ZN3tbb6detail2r114execution_slotEPKNS0_2d114execution_dataE"], "N:P"> {
  let Summary = "the number of this thread, for memory per thread";
}
def tbb_context : PoolExpansion<"rg_pool_context",
    ["_ZN3tbb6detail2r115current_contextEv"], "P:"> {
  let Summary = "by which a body may end its loop";
}
// Tasks that are no loop's: each runs where it is made.
def tbb_spawn : PoolExpansion<"rg_pool_task",
    ["_ZN3tbb6detail2r15spawnERNS0_2d14taskERNS2_18task_group_contextE"], "V:PP"> {
  let Summary = "a task, which runs at once";
}
def tbb_spawn_at : PoolExpansion<"rg_pool_task_at",
    ["_ZN3tbb6detail2r15spawnERNS0_2d14taskERNS2_18task_group_contextEt"], "V:PPN"> {
  let Summary = "likewise";
}
def tbb_execute : PoolExpansion<"rg_pool_task_and_wait",
    ["_ZN3tbb6detail2r116execute_and_waitERNS0_2d14taskERNS2_18task_group_contextERNS2_12wait_contextES6_"],
    "V:PPPP"> {
  let Summary = "likewise, with all tasks that it makes";
}
def tbb_wait : PoolExpansion<"rg_pool_wait",
    ["_ZN3tbb6detail2r14waitERNS0_2d112wait_contextERNS2_18task_group_contextE"], "V:PP"> {
  let Summary = "waits for tasks, which have run";
}
def tbb_task_memory : PoolExpansion<"rg_pool_task_memory",
    ["_ZN3tbb6detail2r18allocateERPNS0_2d117small_object_poolEm"], "P:PZ"> {
  let Summary = "memory of a task";
}
def tbb_task_memory_in : PoolExpansion<"rg_pool_task_memory_in",
    ["_ZN3tbb6detail2r18allocateERPNS0_2d117small_object_poolEmRKNS2_14execution_dataE"], "P:PZP"> {
  let Summary = "likewise";
}
def tbb_task_free : PoolExpansion<"rg_pool_task_free",
    ["_ZN3tbb6detail2r110deallocateERNS0_2d117small_object_poolEPvm"], "V:PPZ"> {
  let Summary = "likewise";
}
def tbb_task_free_in : PoolExpansion<"rg_pool_task_free_in",
    ["_ZN3tbb6detail2r110deallocateERNS0_2d117small_object_poolEPvmRKNS2_14execution_dataE"], "V:PPZP"> {
  let Summary = "likewise";
}
def tbb_memory : Allocation<
    ["_ZN3tbb6detail2r115allocate_memoryEm"], "P:Z", [0], "_ZN3tbb6detail2r117deallocate_memoryEPv">;
def tbb_memory_free : Deallocation<["_ZN3tbb6detail2r117deallocate_memoryEPv"], "V:P">;
def tbb_lines : Allocation<
    ["_ZN3tbb6detail2r122cache_aligned_allocateEm"], "P:Z", [0], "_ZN3tbb6detail2r124cache_aligned_deallocateEPv">;
def tbb_lines_free : Deallocation<["_ZN3tbb6detail2r124cache_aligned_deallocateEPv"], "V:P">;
def tbb_tasks : Refused<
    "a task of oneTBB that goes on by itself, or of a kind that is not known (flow graphs, pipelines, "
    "enqueued tasks)",
    ["_ZN3tbb6detail2r16submitERNS0_2d14taskERNS2_18task_group_contextEPNS1_5arenaEm",
     "_ZN3tbb6detail2r17enqueueERNS0_2d14taskEPNS2_15task_arena_baseE",
     "_ZN3tbb6detail2r17enqueueERNS0_2d14taskERNS2_18task_group_contextEPNS2_15task_arena_baseE",
     "_ZN3tbb6detail2r117parallel_pipelineERNS0_2d118task_group_contextEmRKNS2_11filter_nodeE",
     "_ZN3tbb6detail2r17suspendEPFvPvPNS1_18suspend_point_typeEES2_",
     "_ZN3tbb6detail2r16resumeEPNS1_18suspend_point_typeE"]>;
def tbb_waits : Refused<
    "a lock or a wait of oneTBB's own; use std::mutex",
    ["_ZN3tbb6detail2r115wait_on_addressEPvRNS0_2d113delegate_baseEm",
     "_ZN3tbb6detail2r14waitERNS0_2d115task_arena_baseE",
     "_ZN3tbb6detail2r17acquireERNS0_2d116queuing_rw_mutexERNS3_11scoped_lockEb",
     "_ZN3tbb6detail2r17acquireERNS0_2d19rtm_mutexERNS3_11scoped_lockEb"]>;
}

let Section = "The runtime" in {
def thread_new : Protocol<"rg_thread_drop", ["rg_thread_new"], "L:"> {
  let Summary = "a thread that will be started; its adjoint is gone";
}
def thread_wait : Protocol<"rg_thread_again", ["rg_thread_wait"], "V:L"> {
  let Summary = "waits for a thread; the reverse sweep starts it again";
}
def mutex_enter : Protocol<"rg_turn_done",
                           ["rg_turn_mutex", "rg_turn_after_wait", "rg_turn_try_mutex"], "L:P"> {
  let Summary = "one thread at a time; the reverse sweep takes the turns backwards";
}
def mutex_leave : Protocol<"rg_turn_again", ["rg_turn_mutex_leave", "rg_turn_before_wait"], "L:P"> {
  let Summary = "likewise";
}
def event : Protocol<"rg_event_again",
                     ["rg_event", "rg_event_read_lock", "rg_event_write_lock",
                      "rg_event_try_read_lock", "rg_event_try_write_lock", "rg_event_unlock",
                      "rg_event_spin_lock", "rg_event_try_spin_lock", "rg_event_spin_unlock",
                      "rg_event_sem_wait", "rg_event_try_sem", "rg_event_sem_post",
                      "rg_once_begins", "rg_once_ends"], "L:P"> {
  let Summary = "a moment that has its number; the reverse sweep undoes it before those of "
                "less";
}
def event_of_word : Protocol<"rg_event_word_again", ["rg_event_tells", "rg_event_learns"], "L:P"> {
  let Summary = "the same, at an atomic operation by which threads tell each other something";
}
def thread_place : InactiveInC<["rg_thread_place_take", "rg_thread_place_of", "rg_thread_place_leave"]> {
  let OfRuntime = 1;
  let Summary = "where a thread's argument and result are found";
}
def thread_integer : InactiveInC<["rg_thread_returns", "rg_thread_result"]> {
  let OfRuntime = 1;
  let Summary = "an integer that a thread's function returned";
}
def barrier_wait : InactiveInC<["rg_wait_at_barrier"]> {
  let OfRuntime = 1;
  let Summary = "threads wait for each other; the events around it tell the order";
}
def timed : InactiveInC<["rg_mutex_timedlock", "rg_mutex_clocklock", "rg_rwlock_timedrdlock", "rg_rwlock_clockrdlock",
                         "rg_rwlock_timedwrlock", "rg_rwlock_clockwrlock", "rg_sem_timedwait", "rg_sem_clockwait",
                         "rg_cond_timedwait", "rg_cond_clockwait", "rg_mtx_timedlock", "rg_cnd_timedwait"]> {
  let OfRuntime = 1;
  let Summary = "a wait that may give up; the turns and events around it tell the order";
}
def condition : InactiveInC<["rg_wait_for_condition"]> {
  let OfRuntime = 1;
  let Summary = "a thread sleeps; the turns around it tell the order";
}
def pool : InactiveInC<["rg_pool_thread", "rg_pool_threads", "rg_pool_size", "rg_pool_one", "rg_pool_cancelled",
                           "rg_pool_context_here", "rg_pool_slot_here", "rg_pool_enter",
                           "rg_pool_leave", "rg_pool_here"]> {
  let OfRuntime = 1;
  let Summary = "which thread of a team this is, how many there are, and whether they are to end";
}
}
