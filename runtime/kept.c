/*===- kept.c - blocks that shadows have left
------------------------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM
Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* A derivative has two arrays where the program has one, and releases both when
|* it ends. If the heap gives that memory back to the system, the next
derivative
|* gets fresh pages: a fault for every 4 KiB, which takes longer than what most
|* programs do with them. So a thread keeps a few blocks of its shadows, as it
|* keeps the chunks of its tape.
|*
|*     Spectrum.sh = kept_alloc(n, new)     a kept block of n to 2 n bytes, or
new(n)
|*     ...
|*     kept_defer(arena, Spectrum, Spectrum.sh, delete, n)
|*                                          at the tape's end: kept, for delete
|*
|* A block stays what the program's allocator has made of it: whoever releases
|* it otherwise may.
\*===------------------------------------------------------------------------===*/
#include "arena.h"

#include <stdlib.h>

enum {
  RG_KEPT_BLOCKS = 8,
  /* Below, the heap has blocks of its own at hand. */
  RG_KEPT_LEAST = 64 * 1024,
  /* Of all blocks of a thread. */
  RG_KEPT_MOST = 64 * 1024 * 1024
};

typedef struct rg_kept_block {
  void *p;
  uint64_t bytes;
  void (*dealloc)(void *);
} rg_kept_block;

typedef struct rg_kept_list {
  rg_kept head;
  uint64_t bytes;
  unsigned count;
  rg_kept_block blocks[RG_KEPT_BLOCKS]; /* earliest first */
} rg_kept_list;

static rg_kept_block rg_kept_remove(rg_kept_list *l, unsigned i) {
  rg_kept_block b = l->blocks[i];
  l->bytes -= b.bytes;
  --l->count;
  for (; i < l->count; ++i)
    l->blocks[i] = l->blocks[i + 1];
  return b;
}

/* May run any code: what it releases is not in the list any more. */
static void rg_kept_drop(rg_kept_list *l, unsigned i) {
  rg_kept_block b = rg_kept_remove(l, i);
  b.dealloc(b.p);
}

static void rg_kept_release(rg_kept *kept) {
  rg_kept_list *l = (rg_kept_list *)kept;
  while (l->count)
    rg_kept_drop(l, l->count - 1);
  free(l);
}

/* A block of at least `bytes` bytes that dealloc releases; null: there is none.
 */
void *rg_kept_take(uint64_t bytes, void (*dealloc)(void *)) {
  rg_kept_list *l = (rg_kept_list *)rg_arena_of_thread.kept;
  if (bytes < RG_KEPT_LEAST || !l)
    return NULL;
  for (unsigned i = l->count; i-- > 0;) {
    rg_kept_block b = l->blocks[i];
    if (b.dealloc == dealloc && b.bytes >= bytes && b.bytes / 2 <= bytes)
      return rg_kept_remove(l, i).p;
  }
  return NULL;
}

static int rg_kept_wanted(const void *p, uint64_t bytes) {
  return p && bytes >= RG_KEPT_LEAST && bytes <= RG_KEPT_MOST;
}

static void rg_kept_put(rg_kept_block b) {
  rg_arena *a = &rg_arena_of_thread;
  if (!rg_arena_register(a)) {
    b.dealloc(b.p);
    return;
  }
  if (!a->kept) {
    rg_kept_list *made = (rg_kept_list *)calloc(1, sizeof *made);
    if (!made) {
      b.dealloc(b.p);
      return;
    }
    made->head.release = rg_kept_release;
    a->kept = &made->head;
  }
  rg_kept_list *l = (rg_kept_list *)a->kept;
  while (l->count == RG_KEPT_BLOCKS ||
         (l->count && l->bytes + b.bytes > RG_KEPT_MOST))
    rg_kept_drop(l, 0);
  l->blocks[l->count++] = b;
  l->bytes += b.bytes;
}

static void rg_kept_put_record(void *record) {
  rg_kept_put(*(rg_kept_block *)record);
}

/* free of a block with a shadow in a primal sweep, as rg_defer_free_both.
 * `bytes`: what was asked for, for the shadow; 0: not known. */
void rg_kept_defer(rg_arena *a, void *p, void *sh, void (*dealloc)(void *),
                   uint64_t bytes) {
  rg_tape_defer_free(a, p, dealloc);
  if (sh == p)
    return;
  if (!rg_kept_wanted(sh, bytes)) {
    rg_tape_defer_free(a, sh, dealloc);
    return;
  }
  rg_kept_block *b = (rg_kept_block *)rg_arena_record(a, sizeof *b);
  *b = (rg_kept_block){sh, bytes, dealloc};
  rg_tape_defer_free(a, b, rg_kept_put_record);
}

/* free of the shadow alone, in forward mode, as rg_free_shadow. */
void rg_kept_free(void *p, void *sh, void (*dealloc)(void *), uint64_t bytes) {
  if (sh == p)
    return;
  if (rg_kept_wanted(sh, bytes))
    rg_kept_put((rg_kept_block){sh, bytes, dealloc});
  else
    dealloc(sh);
}
