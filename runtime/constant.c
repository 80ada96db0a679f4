/*===- constant.c - active values in memory without a shadow ---------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* Where only the running program knows whether a pointer leads to memory with a
|* shadow, an active value may be written to memory without one. That loses
|* nothing unless the value is read back as an active one; then its derivative
|* is gone, and the program ends with a message.
|*
|* What was written is remembered by four-byte pieces in a hash table, from the
|* write of an active value to that of an inactive one, or to the next
|* derivative. All threads share it: one may read what another has written. A
|* table without entries costs one comparison per access.
\*===------------------------------------------------------------------------===*/
#include "retrograd_runtime.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct rg_piece {
  uintptr_t at; /* address / 4; 0: free */
  const char *written;
  const char *by; /* rg_pieces_mine of the thread that wrote */
} rg_piece;

struct rg_pieces {
  rg_piece *table;
  uint64_t size; /* a power of two, or 0 */
  uint64_t used; /* entries, forgotten ones (written == null) included */
  uint64_t running; /* derivatives */
  int locked;
} rg_pieces;
_Thread_local char rg_pieces_mine;

static uint64_t rg_pieces_used(void) {
  return __atomic_load_n(&rg_pieces.used, __ATOMIC_RELAXED);
}
static void rg_pieces_lock(void) {
  while (__atomic_exchange_n(&rg_pieces.locked, 1, __ATOMIC_ACQUIRE))
    sched_yield();
}
static void rg_pieces_unlock(void) {
  __atomic_store_n(&rg_pieces.locked, 0, __ATOMIC_RELEASE);
}

static rg_piece *rg_piece_find(uintptr_t at) {
  uint64_t mask = rg_pieces.size - 1;
  uint64_t i = (at * 0x9e3779b97f4a7c15u >> 20) & mask;
  while (rg_pieces.table[i].at && rg_pieces.table[i].at != at)
    i = (i + 1) & mask;
  return &rg_pieces.table[i];
}

__attribute__((noinline)) void rg_constant_remember(char *p, uint64_t bytes,
                                                    const char *where) {
  rg_pieces_lock();
  for (uintptr_t at = (uintptr_t)p / 4; at < ((uintptr_t)p + bytes + 3) / 4; ++at) {
    if (2 * rg_pieces.used >= rg_pieces.size) {
      rg_piece *old = rg_pieces.table;
      uint64_t n = rg_pieces.size;
      rg_pieces.size = n ? 2 * n : 64;
      rg_pieces.table = calloc(rg_pieces.size, sizeof *old);
      if (!rg_pieces.table)
        abort();
      for (uint64_t i = 0; i < n; ++i)
        if (old[i].at)
          *rg_piece_find(old[i].at) = old[i];
      free(old);
    }
    rg_piece *e = rg_piece_find(at);
    if (!e->at)
      __atomic_store_n(&rg_pieces.used, rg_pieces.used + 1, __ATOMIC_RELAXED);
    e->at = at;
    e->written = where;
    e->by = &rg_pieces_mine;
  }
  rg_pieces_unlock();
}

__attribute__((noinline)) void rg_constant_forget(char *p, uint64_t bytes) {
  rg_pieces_lock();
  for (uintptr_t at = (uintptr_t)p / 4; rg_pieces.used && at < ((uintptr_t)p + bytes + 3) / 4; ++at) {
    rg_piece *e = rg_piece_find(at);
    if (e->at)
      e->written = 0;
  }
  rg_pieces_unlock();
}

__attribute__((noinline)) void rg_constant_look(char *p, uint64_t bytes, const char *where) {
  const char *written = NULL;
  rg_pieces_lock();
  for (uintptr_t at = (uintptr_t)p / 4; rg_pieces.used && !written && at < ((uintptr_t)p + bytes + 3) / 4; ++at) {
    const rg_piece *e = rg_piece_find(at);
    if (e->at)
      written = e->written;
  }
  rg_pieces_unlock();
  if (!written)
    return;
  fflush(stdout);
  fprintf(stderr,
          "%s: error: derivatives flow through memory that has no shadow: what is read "
          "here was written at %s [RG1105]\n"
          "note: the memory was reached through an enzyme_const argument or a global "
          "pointer; pass it with enzyme_dup and a shadow\n",
          where, written);
  abort();
}

/* Something is remembered. */
int rg_constant_any(void) { return rg_pieces_used() != 0; }

/* A derivative begins. What another thread's remembers while it runs stays, but for
 * what this thread has written. */
void rg_constant_begin(void) {
  rg_pieces_lock();
  if (!rg_pieces.running++) {
    free(rg_pieces.table);
    rg_pieces.table = 0;
    rg_pieces.size = 0;
    __atomic_store_n(&rg_pieces.used, 0, __ATOMIC_RELAXED);
  }
  for (uint64_t i = 0; i < rg_pieces.size; ++i)
    if (rg_pieces.table[i].by == &rg_pieces_mine)
      rg_pieces.table[i].written = 0;
  rg_pieces_unlock();
}
void rg_constant_end(void) {
  rg_pieces_lock();
  --rg_pieces.running;
  rg_pieces_unlock();
}

/* An active value, or a pointer that has a shadow, was stored to p. Where p has a
 * shadow of its own, that replaces what was there: memory without one may have
 * been freed and handed out again. */
void rg_constant_store(char *p, char *sh, uint64_t bytes, const char *where) {
  if (p == sh)
    rg_constant_remember(p, bytes, where);
  else if (rg_pieces_used())
    rg_constant_forget(p, bytes);
}

/* An inactive value was. */
void rg_constant_clear(char *p, uint64_t bytes) {
  if (rg_pieces_used())
    rg_constant_forget(p, bytes);
}

/* A pointer was, which may be its own shadow. */
void rg_constant_store_pointer(char *p, char *sh, char *v, char *vsh, const char *where) {
  if (v != vsh)
    rg_constant_store(p, sh, sizeof v, where);
  else
    rg_constant_clear(p, sizeof v);
}

/* An active value, or a pointer that should have a shadow, was loaded from p,
 * by whatever name. */
void rg_constant_load(char *p, uint64_t bytes, const char *where) {
  if (rg_pieces_used())
    rg_constant_look(p, bytes, where);
}

/* Bytes were copied; s is null where nothing active can be in the source. */
void rg_constant_copy(char *d, char *dsh, char *s, char *ssh, uint64_t bytes,
                      const char *where) {
  if (s)
    rg_constant_load(s, bytes, where);
  if (s && s != ssh)
    rg_constant_store(d, dsh, bytes, where);
  else
    rg_constant_clear(d, bytes);
}
