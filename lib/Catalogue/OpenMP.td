//===- OpenMP.td - the runtime of OpenMP ----------------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// clang and flang lower OpenMP to calls of libomp. Preparation rewrites those that
// fork, wait or exclude (Parallel/OpenMPForm.h) in terms of a few routines of our
// own runtime, whose reverse is known (runtime/threads.c). What is left only tells
// a thread who it is and which part of the work it has: integers. See
// docs/Parallel.md.
//
//===----------------------------------------------------------------------===//

let Section = "OpenMP" in {
// Libraries that run their loops in regions (Kokkos) have bodies that ask.
def openmp_thread : InactiveInC<["omp_get_thread_num"]> {
  let InPool = "rg_pool_omp_number";
}
def openmp_threads : InactiveInC<["omp_get_num_threads"]> {
  let InPool = "rg_pool_omp_count";
}
def openmp_inside : InactiveInC<["omp_in_parallel"]> {
  let InPool = "rg_pool_omp_inside";
}
def openmp_queries : InactiveInC<
    ["omp_get_max_threads", "omp_get_num_procs", "omp_get_wtime", "omp_get_wtick",
     "omp_get_level", "omp_get_active_level", "omp_get_ancestor_thread_num",
     "omp_get_team_size", "omp_get_max_active_levels", "omp_set_max_active_levels",
     "omp_get_dynamic", "omp_get_nested", "omp_get_thread_limit", "omp_in_final",
     "omp_set_num_threads", "omp_set_dynamic", "omp_set_nested", "omp_set_schedule",
     "omp_get_schedule", "omp_init_lock", "omp_destroy_lock", "omp_init_nest_lock", "omp_destroy_nest_lock", "omp_get_num_teams",
     "omp_get_team_num", "omp_get_num_devices", "omp_is_initial_device"]>;
// Memory of an allocator. The block knows its allocator, which has to live as long as
// the delayed frees of a derivative.
def openmp_alloc : Allocation<["omp_alloc"], "P:ZZ", [0], "rg_omp_free">;
def openmp_calloc : Allocation<["omp_calloc"], "P:ZZZ", [0, 1], "rg_omp_free"> { let ZeroFills = 1; }
def openmp_aligned_alloc : Allocation<["omp_aligned_alloc"], "P:ZZZ", [1], "rg_omp_free">;
def openmp_aligned_calloc : Allocation<["omp_aligned_calloc"], "P:ZZZZ", [1, 2], "rg_omp_free"> {
  let ZeroFills = 1;
}
def openmp_private_alloc : Allocation<["__kmpc_alloc"], "P:IZP", [1], "rg_omp_free">;
def openmp_private_aligned_alloc
    : Allocation<["__kmpc_aligned_alloc"], "P:IZZP", [2], "rg_omp_free">;
def openmp_free : Deallocation<["omp_free"], "V:PZ"> { let Deallocator = "rg_omp_free"; }
def openmp_private_free : Deallocation<["__kmpc_free"], "V:IPP", 1> {
  let Deallocator = "rg_omp_free";
}
def openmp_delayed_free : Deallocation<["rg_omp_free"], "V:P">;
def openmp_allocators : InactiveInC<
    ["omp_init_allocator", "omp_get_default_allocator", "omp_set_default_allocator"]>;
def team_queries : InactiveInC<
    ["__kmpc_global_thread_num", "__kmpc_global_num_threads", "__kmpc_bound_thread_num",
     "__kmpc_bound_num_threads", "__kmpc_in_parallel", "__kmpc_push_proc_bind",
     "__kmpc_push_num_threads"]> {
  let Summary = "who a thread is";
}
def team_worksharing : InactiveInC<
    ["__kmpc_for_static_init_4", "__kmpc_for_static_init_4u", "__kmpc_for_static_init_8",
     "__kmpc_for_static_init_8u", "__kmpc_for_static_fini",
     "__kmpc_dispatch_init_4", "__kmpc_dispatch_init_4u", "__kmpc_dispatch_init_8",
     "__kmpc_dispatch_init_8u", "__kmpc_dispatch_next_4", "__kmpc_dispatch_next_4u",
     "__kmpc_dispatch_next_8", "__kmpc_dispatch_next_8u", "__kmpc_dispatch_fini_4",
     "__kmpc_dispatch_fini_4u", "__kmpc_dispatch_fini_8", "__kmpc_dispatch_fini_8u",
     "__kmpc_dispatch_deinit", "__kmpc_single", "__kmpc_end_single",
     "__kmpc_ordered", "__kmpc_end_ordered", "__kmpc_next_section"]> {
  let Summary = "which iterations a thread has; the reverse sweep runs them backwards";
}
def team_roles : InactiveInC<["__kmpc_master", "__kmpc_end_master", "__kmpc_masked",
                              "__kmpc_end_masked"]> {
  let Summary = "which thread runs a block";
}

class Refused<string what, list<string> names> : Handler<"Refused"> {
  let Names = names;
  let Text = what;
  let Summary = what;
}
def omp_tasks : Refused<
    "an untied task that has parts, a task with private objects that have destructors, or one of a "
    "form that is not known",
    ["__kmpc_omp_task_alloc", "__kmpc_omp_task", "__kmpc_omp_task_with_deps",
     "__kmpc_omp_task_begin_if0", "__kmpc_omp_task_complete_if0", "__kmpc_omp_taskwait",
     "__kmpc_omp_taskyield", "__kmpc_taskgroup", "__kmpc_end_taskgroup", "__kmpc_taskloop",
     "__kmpc_taskloop_5", "__kmpc_omp_wait_deps", "__kmpc_omp_taskwait_deps_51",
     "__kmpc_omp_target_task_alloc", "__kmpc_task_allow_completion_event"]>;
def omp_task_reductions : Refused<
    "a reduction over tasks whose group is in another function, or of an array whose length is not "
    "constant; add to a variable in a critical region, or to one per task",
    ["__kmpc_task_reduction_init", "__kmpc_taskred_init", "__kmpc_task_reduction_get_th_data",
     "__kmpc_taskred_modifier_init", "__kmpc_task_reduction_modifier_init",
     "__kmpc_task_reduction_modifier_fini"]>;
def omp_teams : Refused<
    "teams with a limit of threads, or of a form that is not known (use parallel)",
    ["__kmpc_fork_teams", "__kmpc_push_num_teams", "__kmpc_push_num_teams_51", "__kmpc_set_thread_limit",
     "__kmpc_dist_for_static_init_4", "__kmpc_dist_for_static_init_4u",
     "__kmpc_dist_for_static_init_8", "__kmpc_dist_for_static_init_8u"]>;
def omp_allocator_ends : Refused<
    "the end of an allocator, whose memory a derivative gives back later, or memory that moves; destroy the "
    "allocator outside of the differentiated function, and take a new block (omp_alloc) instead of omp_realloc",
    ["omp_destroy_allocator", "omp_realloc"]>;
def omp_target : Refused<
    "a target region; write the kernel in CUDA, which has derivatives (docs/GPU.md)",
    ["__tgt_target_kernel", "__tgt_target_data_begin_mapper", "__tgt_target_data_end_mapper",
     "__tgt_target_data_update_mapper", "__tgt_target_kernel_nowait"]>;
def omp_cancel : Refused<
    "cancellation of a region, of a form that is not known", ["__kmpc_cancel", "__kmpc_cancellationpoint", "__kmpc_cancel_barrier"]>;
def omp_doacross : InactiveInC<
    ["__kmpc_doacross_init", "__kmpc_doacross_wait", "__kmpc_doacross_post", "__kmpc_doacross_fini"]> {
  let Summary = "iterations wait for each other; the events beside tell the order";
}
def omp_flush : Refused<
    "a flush: threads that wait for each other by memory cannot be reversed", ["__kmpc_flush"]>;
def omp_copyprivate : Refused<
    "copyprivate of a form that is not known; write to a shared variable in the single region "
    "instead", ["__kmpc_copyprivate"]>;
def omp_threadprivate : Refused<
    "a threadprivate variable without thread-local storage, of a form that is not known",
    ["__kmpc_threadprivate_cached", "__kmpc_threadprivate_register"]>;
def omp_test_nest_lock : Refused<
    "an attempt to take a nested lock", ["omp_test_nest_lock"]>;
def omp_atomic_routines : Refused<
    "an atomic operation on a type for which the machine has none; use critical",
    ["__kmpc_atomic_*", "__atomic_load", "__atomic_store", "__atomic_compare_exchange",
     "__atomic_exchange"]>;
}

// Regions in terms of routines that have a reverse (runtime/threads.c). Without one an
// operation is its own.
class Protocol<string reverse, list<string> names, string prototype> : Handler<"Protocol"> {
  let Names = names;
  let Prototype = prototype;
  let Text = reverse;
  let OfRuntime = 1;
  let Section = "The runtime";
}
def team_barrier : Protocol<"rg_team_barrier", ["rg_team_barrier"], "V:"> {
  let Summary = "threads of a team wait for each other; its adjoint does, too";
}
def inorder_begin : Protocol<"rg_inorder_pass", ["rg_inorder_begin"], "V:"> {
  let Summary = "threads add their parts of a reduction in the order of their numbers (-rg-deterministic)";
}
def inorder_end : Protocol<"rg_inorder_again", ["rg_inorder_end"], "V:"> {
  let Summary = "likewise";
}
def turn_enter : Protocol<"rg_turn_done", ["rg_turn_enter", "rg_turn_lock", "rg_turn_test_lock", "rg_turn_nest_lock"], "L:P"> {
  let Summary = "one thread at a time; the reverse sweep takes the turns backwards";
}
def turn_leave : Protocol<"rg_turn_again", ["rg_turn_leave", "rg_turn_unlock", "rg_turn_nest_unlock"], "L:P"> {
  let Summary = "likewise";
}
def serial_begin : Protocol<"rg_serial_end", ["rg_serial_begin"], "V:"> {
  let Summary = "a parallel region of one thread";
}
def serial_end : Protocol<"rg_serial_begin", ["rg_serial_end"], "V:"> {
  let Summary = "likewise";
}
def task_dependences : InactiveInC<["rg_task_depends"]> {
  let OfRuntime = 1;
  let Section = "The runtime";
  let Summary = "addresses that the next task depends on";
}
def task_wait : Protocol<"rg_task_wait_again",
                         ["rg_task_wait", "rg_task_wait_some", "rg_task_yield"], "L:"> {
  let Summary = "waits for tasks; the reverse sweep runs those backwards that the thread ran there";
}
def task_barrier : Protocol<"rg_task_barrier_again", ["rg_task_barrier"], "L:"> {
  let Summary = "likewise";
}
def task_group : Protocol<"rg_task_group_left", ["rg_task_group_begin"], "L:"> {
  let Summary = "a group of tasks";
}
def task_group_end : Protocol<"rg_task_group_again", ["rg_task_group_end"], "L:"> {
  let Summary = "waits for a group of tasks";
}
def team_place : InactiveInC<["rg_place_take", "rg_place_leave"]> {
  let OfRuntime = 1;
  let Section = "The runtime";
  let Summary = "which place a team hands a pointer over by (copyprivate)";
}
def team_no_cancel : InactiveInC<["rg_no_cancel"], "V:"> {
  let OfRuntime = 1;
  let Section = "The runtime";
  let Summary = "ends the program if cancellation is on";
}
def team_reach : Handler<"Reach"> {
  let Names = ["rg_reach_from"];
  let Prototype = "V:PLIIL";
  let OfRuntime = 1;
  let Section = "The runtime";
  let Summary = "where a thread reads or writes, so that adjoints need no atomic additions";
}
