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
|* What was written is remembered by four-byte pieces in a hash table, per
|* thread, from the write of an active value to that of an inactive one, or to
|* the next derivative. A table without entries costs one comparison per access.
\*===------------------------------------------------------------------------===*/
#include "retrograd_runtime.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct rg_piece {
  uintptr_t at; /* address / 4; 0: free */
  const char *written;
} rg_piece;

_Thread_local struct rg_pieces {
  rg_piece *table;
  uint64_t size; /* a power of two, or 0 */
  uint64_t used; /* entries, forgotten ones (written == null) included */
} rg_pieces;

static rg_piece *rg_piece_find(uintptr_t at) {
  uint64_t mask = rg_pieces.size - 1;
  uint64_t i = (at * 0x9e3779b97f4a7c15u >> 20) & mask;
  while (rg_pieces.table[i].at && rg_pieces.table[i].at != at)
    i = (i + 1) & mask;
  return &rg_pieces.table[i];
}

__attribute__((noinline)) void rg_constant_remember(char *p, uint64_t bytes,
                                                    const char *where) {
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
    rg_pieces.used += !e->at;
    e->at = at;
    e->written = where;
  }
}

__attribute__((noinline)) void rg_constant_forget(char *p, uint64_t bytes) {
  for (uintptr_t at = (uintptr_t)p / 4; at < ((uintptr_t)p + bytes + 3) / 4; ++at) {
    rg_piece *e = rg_piece_find(at);
    if (e->at)
      e->written = 0;
  }
}

__attribute__((noinline)) void rg_constant_look(char *p, uint64_t bytes, const char *where) {
  for (uintptr_t at = (uintptr_t)p / 4; at < ((uintptr_t)p + bytes + 3) / 4; ++at) {
    const rg_piece *e = rg_piece_find(at);
    if (!e->at || !e->written)
      continue;
    fflush(stdout);
    fprintf(stderr,
            "%s: error: derivatives flow through memory that has no shadow: what is read "
            "here was written at %s [RG1105]\n"
            "note: the memory was reached through an enzyme_const argument or a global "
            "pointer; pass it with enzyme_dup and a shadow\n",
            where, e->written);
    abort();
  }
}

/* A derivative begins. */
void rg_constant_begin(void) {
  if (!rg_pieces.used)
    return;
  free(rg_pieces.table);
  rg_pieces.table = 0;
  rg_pieces.size = rg_pieces.used = 0;
}

/* An active value, or a pointer that has a shadow, was stored to p. Where p has a
 * shadow of its own, that replaces what was there: memory without one may have
 * been freed and handed out again. */
void rg_constant_store(char *p, char *sh, uint64_t bytes, const char *where) {
  if (p == sh)
    rg_constant_remember(p, bytes, where);
  else if (rg_pieces.used)
    rg_constant_forget(p, bytes);
}

/* An inactive value was. */
void rg_constant_clear(char *p, uint64_t bytes) {
  if (rg_pieces.used)
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
  if (rg_pieces.used)
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
