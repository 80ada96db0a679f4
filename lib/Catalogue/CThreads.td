//===- CThreads.td - threads of C, <threads.h> ----------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What Parallel/ThreadForm.h does not rewrite in terms of our own runtime. See
// docs/AddARuntime.md.
//
//===----------------------------------------------------------------------===//

let Section = "Threads" in {
def c_thread_queries : InactiveInC<
    ["thrd_current", "thrd_equal", "thrd_yield", "thrd_sleep", "mtx_init", "mtx_destroy",
     "cnd_init", "cnd_destroy", "cnd_signal", "cnd_broadcast"]>;
def c_thread_started : Refused<
    "a thread whose function the compiler does not see here", ["thrd_create"]>;
def c_thread_detached : Refused<
    "a detached thread: nobody waits for it, so its reverse would not know when to start",
    ["thrd_detach", "thrd_exit"]>;
def c_thread_timeout : InactiveInC<["mtx_timedlock", "cnd_timedwait"]> {
  let Summary = "a wait that may give up, likewise";
}
def c_thread_once : Refused<
    "a function that is called once and that the compiler does not see here",
    ["call_once", "pthread_once"]>;
def c_thread_key : Refused<
    "storage of a thread by key (tss); give each thread its memory",
    ["tss_create", "tss_get", "tss_set", "tss_delete"]>;
}

let Section = "The runtime" in {
def mtx_enter : Protocol<"rg_turn_done", ["rg_turn_mtx", "rg_turn_try_mtx"], "L:P"> {
  let Summary = "one thread at a time; the reverse sweep takes the turns backwards";
}
def mtx_leave : Protocol<"rg_turn_again", ["rg_turn_mtx_leave"], "L:P"> {
  let Summary = "likewise";
}
def cnd : InactiveInC<["rg_wait_for_cnd"]> {
  let OfRuntime = 1;
  let Summary = "a thread sleeps; the turns around it tell the order";
}
}
