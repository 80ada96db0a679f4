//===- Dispatch.td - libdispatch (Grand Central Dispatch) -----------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The routines of <dispatch/dispatch.h>: what Parallel/ApplyForm does not
// rewrite in terms of our own runtime.
//
//===----------------------------------------------------------------------===//

let Section = "Threads" in {
def dispatch_queries : InactiveInC<
    ["dispatch_get_global_queue", "dispatch_get_current_queue", "dispatch_queue_create",
     "dispatch_queue_create_with_target", "dispatch_queue_attr_make_with_qos_class",
     "dispatch_queue_attr_make_initially_inactive",
     "dispatch_queue_attr_make_with_autorelease_frequency", "dispatch_queue_get_label",
     "dispatch_queue_get_qos_class", "dispatch_set_target_queue", "dispatch_retain",
     "dispatch_release", "dispatch_activate", "dispatch_time", "dispatch_walltime",
     "dispatch_group_create", "dispatch_semaphore_create"]>;
def dispatch_applied : Refused<
    "a parallel loop whose function the compiler does not see here", ["dispatch_apply_f"]>;
def dispatch_blocks : Refused<
    "a block that is run by a queue; dispatch_apply_f, of a function, has a derivative",
    ["dispatch_apply", "dispatch_async", "dispatch_sync", "dispatch_barrier_async",
     "dispatch_barrier_sync", "dispatch_group_async", "dispatch_group_notify", "dispatch_after",
     "dispatch_once", "dispatch_block_create", "dispatch_block_create_with_qos_class",
     "dispatch_block_perform", "dispatch_block_wait", "dispatch_block_notify",
     "dispatch_block_cancel", "dispatch_block_testcancel"]>;
def dispatch_started : Refused<
    "work that is started by a queue and goes on; dispatch_apply_f has a derivative",
    ["dispatch_async_f", "dispatch_barrier_async_f", "dispatch_group_async_f",
     "dispatch_group_notify_f", "dispatch_after_f", "dispatch_group_enter", "dispatch_group_leave",
     "dispatch_group_wait", "dispatch_main"]>;
def dispatch_in_turn : Refused<
    "work in the order of a queue; call the function, under a mutex of POSIX if others run beside it",
    ["dispatch_sync_f", "dispatch_barrier_sync_f"]>;
def dispatch_once : Refused<
    "a function that is called once; pthread_once has a derivative", ["dispatch_once_f"]>;
def dispatch_semaphores : Refused<
    "a semaphore of libdispatch; mutexes of POSIX have a derivative",
    ["dispatch_semaphore_wait", "dispatch_semaphore_signal"]>;
def dispatch_queue_control : Refused<
    "what stops a queue, or asks which one runs the caller: in a derivative no queue does",
    ["dispatch_suspend", "dispatch_resume", "dispatch_assert_queue",
     "dispatch_assert_queue_barrier", "dispatch_assert_queue_not"]>;
def dispatch_storage : Refused<
    "memory that a queue keeps; hand it over as the context",
    ["dispatch_get_context", "dispatch_set_context", "dispatch_set_finalizer_f",
     "dispatch_get_specific", "dispatch_queue_get_specific", "dispatch_queue_set_specific"]>;
}
