/*===- cthreads.c - mutexes and conditions of C's <threads.h> ---------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* Turns, like those of POSIX's mutexes (spawn.c): a primal action that takes the lock
|* of the program and then a number. docs/AddARuntime.md explains them.
\*===------------------------------------------------------------------------===*/
#include "team.h"
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>

static void check(int result, const char *what) {
  if (result == thrd_success)
    return;
  fprintf(stderr, "retrograd: %s failed\n", what);
  abort();
}

__attribute__((noinline)) uint64_t rg_turn_mtx(void *m) {
  check(mtx_lock((mtx_t *)m), "mtx_lock");
  return rg_turn_of_owner_begins(m);
}
__attribute__((noinline)) uint64_t rg_turn_mtx_leave(void *m) {
  uint64_t turn = rg_turn_of_owner_ends(m);
  check(mtx_unlock((mtx_t *)m), "mtx_unlock");
  return turn;
}
__attribute__((noinline)) uint64_t rg_turn_try_mtx(void *m) {
  return mtx_trylock((mtx_t *)m) == thrd_success ? rg_turn_of_owner_begins(m) : RG_NO_TURN;
}
/* Between the end of a turn and the beginning of another. */
__attribute__((noinline)) void rg_wait_for_cnd(void *condition, void *m) {
  check(cnd_wait((cnd_t *)condition, (mtx_t *)m), "cnd_wait");
}
__attribute__((noinline)) int32_t rg_mtx_timedlock(void *m, void *end) {
  return mtx_timedlock((mtx_t *)m, (const struct timespec *)end);
}
__attribute__((noinline)) int32_t rg_cnd_timedwait(void *condition, void *m, void *end) {
  return cnd_timedwait((cnd_t *)condition, (mtx_t *)m, (const struct timespec *)end);
}
