/*===- inorder.c - one order of additions in every run ---------------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* With -rg-deterministic the threads of a region do in the order of their numbers what
|* changes numbers that they share (docs/Parallel.md, "One order"). All threads come to
|* the same places in the same order: the ends of reductions in the primal sweep; in the
|* reverse sweep these and the barriers, backwards, and the end. A count tells how many
|* threads have passed how many places; a thread's turn is when all have passed the
|* places before its next one, and those before it have passed this one, too.
|*
|*   primal sweep    0, 1, ... n - 1    at place 0; then at place 1, ...
|*   reverse sweep   n - 1, ... 1, 0
|*
|* Between two places of the reverse sweep threads run side by side until they add to
|* what others may add to. The first addition waits for the turn, which lasts until the
|* thread passes the next place.
\*===------------------------------------------------------------------------===*/
#include "team.h"

/* Named, not static: every translation unit of a program shares it. */
__thread rg_inorder_state rg_inorder_of_thread;
__thread int rg_inorder_is_asked;

__attribute__((noinline)) void rg_inorder_ask(void) { rg_inorder_is_asked = 1; }
__attribute__((noinline)) int rg_inorder_asked(void) {
  int asked = rg_inorder_is_asked;
  rg_inorder_is_asked = 0;
  return asked;
}

static uint64_t wait_for_turn(const rg_inorder_state *s) {
  uint64_t mine = s->passed * s->threads + s->rank;
  rg_wait_for_count(&s->of->next, mine);
  return mine;
}
static void pass(rg_inorder_state *s) {
  uint64_t mine = wait_for_turn(s);
  ++s->passed;
  atomic_store_explicit(&s->of->next, mine + 1, memory_order_release);
}

/* Primal sweep: the end of a reduction, for one thread after the other. */
__attribute__((noinline)) void rg_inorder_begin(void) {
  const rg_inorder_state *s = &rg_inorder_of_thread;
  if (!s->of || s->alone)
    return;
  rg_team_need_all();
  wait_for_turn(s);
}
__attribute__((noinline)) void rg_inorder_end(void) {
  rg_inorder_state *s = &rg_inorder_of_thread;
  if (s->of && !s->alone)
    pass(s);
}

/* Reverse sweep: before an addition to what others may add to. */
__attribute__((noinline)) void rg_inorder_wait(void) {
  const rg_inorder_state *s = &rg_inorder_of_thread;
  if (s->of && s->backwards)
    wait_for_turn(s);
}
/* A place that all threads pass. */
__attribute__((noinline)) void rg_inorder_pass(void) {
  rg_inorder_state *s = &rg_inorder_of_thread;
  if (s->of && s->backwards && !s->alone)
    pass(s);
}
/* Into the end of a reduction: what comes after it is done, and this is done by one
 * thread after the other. */
__attribute__((noinline)) void rg_inorder_again(void) {
  rg_inorder_pass();
  if (!rg_inorder_of_thread.alone)
    rg_inorder_wait();
}
