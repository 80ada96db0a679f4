/*===- arena.c - the tape's memory: one LIFO arena per thread --------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* A derivative records in its primal sweep and forgets all of it when its
|* reverse sweep is done, and derivatives nest like calls. So tape memory is a
|* stack, and a bump pointer is all the allocator there has to be:
|*
|*     chunk 0            chunk 1                     chunk 2 (reserve)
|*    [#M...........~~~] [.............|             ] [                    ]
|*      ^mark, kept in     current, cur^          end^
|*       the arena
|*
|* - Growth takes a new chunk, it never moves one: pointers to the tape stay
|*   good, and 10^7 loop steps cost 10^7 bumps, not copies.
|* - Chunks double from 256 KiB to 64 MiB, so their number stays small while
|*   the memory that was taken in vain stays below the memory in use.
|* - Chunks behind the current one are a reserve for later calls. One that is
|*   too small for a request is returned to the heap and replaced, so the list
|*   settles on what the program needs and then malloc is not called again.
|* - Marks and deferred frees are records in the arena itself. They disappear
|*   with the memory around them.
|*
|* Statistics come from chunk arithmetic: each chunk knows how many bytes were
|* live when it became current, so the fast path counts nothing.
|*
|* Blocks of this memory change their type from one call to the next. The plugin
|* therefore drops type-based alias facts from the functions of this file.
\*===------------------------------------------------------------------------===*/
#include "arena.h"
#include "retrograd_runtime.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Named, not static: every translation unit of a program shares it. */
__thread struct rg_arena rg_arena_of_thread;

#define RG_NOINLINE __attribute__((noinline))
#define RG_COLD __attribute__((noinline, cold))
RG_COLD void rg_arena_out_of_memory(uint64_t bytes) {
  fprintf(stderr,
          "retrograd: out of memory for the tape: %llu more bytes were asked "
          "for (reverse mode keeps what the reverse sweep needs; shorten the "
          "differentiated part or give the program more memory)\n",
          (unsigned long long)bytes);
  abort();
}

/* glibc's service behind thread_local destructors: it also keeps the shared
 * object that holds this code loaded until the thread has gone. */
extern int __cxa_thread_atexit_impl(void (*)(void *), void *, void *)
    __attribute__((weak));
extern void *__dso_handle __attribute__((weak, visibility("hidden")));

static void rg_arena_release_list(rg_arena **list, uint64_t size) {
  for (uint64_t i = 0; i < size; ++i)
    if (list[i]) {
      rg_arena_release(list[i]);
      free(list[i]);
    }
  free(list);
}

/* Only the thread that it will be for comes here, or the one that starts that. */
RG_NOINLINE rg_arena *rg_arena_within(rg_arena **list, uint64_t t) {
  rg_arena *a = list[t];
  if (!a) {
    uint64_t bytes = (sizeof(rg_arena) + 127) & ~(uint64_t)63;
    a = (rg_arena *)aligned_alloc(64, bytes);
    if (!a)
      rg_arena_out_of_memory(bytes);
    memset(a, 0, bytes);
    a->registered = 1; /* freed with its parent */
    list[t] = a;
  }
  return a;
}

RG_COLD void rg_arena_release(void *arena) {
  rg_arena *a = (rg_arena *)arena;
  if (a->mark)
    return; /* the thread leaves from inside a derivative: leave it be */
  rg_arena_release_list(a->team, a->team_size);
  rg_arena_release_list(a->spawned, a->spawned_size);
  free(a->spawned_busy);
  if (a->kept)
    a->kept->release(a->kept);
  rg_chunk *c = a->chunk;
  while (c && c->prev)
    c = c->prev;
  while (c) {
    rg_chunk *next = c->next;
    free(c);
    c = next;
  }
  memset(a, 0, sizeof *a);
}

RG_NOINLINE int rg_arena_register(rg_arena *a) {
  if (!a->registered && __cxa_thread_atexit_impl) {
    a->registered = 1;
    __cxa_thread_atexit_impl(rg_arena_release, a, &__dso_handle);
  }
  return a->registered;
}

/* What is kept is kept all the same: the derivative is right, and the user knows. */
RG_COLD void rg_tape_over_limit(rg_arena *a, uint64_t bytes) {
  fprintf(stderr,
          "retrograd: the tape of the derivative of '%s' holds %llu bytes, more than "
          "-rg-memory=%llu; the program goes on\n",
          a->limit_name, (unsigned long long)bytes, (unsigned long long)a->limit);
  a->limit_name = NULL;
}

/* Of the outermost derivative that was compiled with -rg-memory; holds until it ends. */
RG_NOINLINE void rg_tape_limit(rg_arena *a, uint64_t limit, const char *name) {
  if (a->mark && a->mark->outer)
    return;
  a->limit = limit;
  a->limit_name = name;
}

/* Makes a chunk current that has `bytes` free; what is left of the present one
 * stays unused until its mark ends. */
RG_COLD void *rg_tape_alloc_slow(rg_arena *a, uint64_t bytes) {
  if (bytes > UINT64_MAX / 2)
    rg_arena_out_of_memory(bytes);
  uint64_t need = (bytes + RG_ALIGN - 1) & ~(uint64_t)(RG_ALIGN - 1);
  rg_chunk *c = a->chunk;
  uint64_t live =
      c ? c->live_before + (uint64_t)(a->cur - rg_chunk_start(c)) : 0;
  if (a->limit_name && live + bytes - a->overhead > a->limit)
    rg_tape_over_limit(a, live + bytes - a->overhead);
  rg_chunk *next = c ? c->next : NULL;
  while (next && (uint64_t)(next->end - rg_chunk_start(next)) < need) {
    rg_chunk *after = next->next;
    free(next);
    next = after;
  }
  if (!next) {
    uint64_t size = RG_FIRST_CHUNK;
    if (c) {
      size = 2 * (uint64_t)(c->end - (char *)c);
      if (size > RG_LARGEST_CHUNK)
        size = RG_LARGEST_CHUNK;
    }
    if (size < need + RG_HEADER)
      size = need + RG_HEADER;
    next = (rg_chunk *)malloc(size);
    if (!next)
      rg_arena_out_of_memory(bytes);
    next->next = NULL;
    next->end = (char *)next + (size & ~(uint64_t)(RG_ALIGN - 1));
    rg_arena_register(a);
  }
  next->prev = c;
  if (c)
    c->next = next;
  next->live_before = live;
  a->chunk = next;
  a->end = next->end;
  char *p = rg_chunk_start(next);
  a->cur = p + need;
  return p;
}

/* Both ends are multiples of 16, so what fits as it is also fits rounded up;
 * and comparing before rounding cannot overflow. */
__attribute__((malloc, assume_aligned(16))) void *
rg_tape_alloc(rg_arena *a, uint64_t bytes) {
  char *p = a->cur;
  if (__builtin_expect(bytes > (uint64_t)(a->end - p), 0))
    return rg_tape_alloc_slow(a, bytes);
  a->cur = p + ((bytes + RG_ALIGN - 1) & ~(uint64_t)(RG_ALIGN - 1));
  return p;
}

__attribute__((malloc, assume_aligned(16))) void *
rg_tape_zalloc(rg_arena *a, uint64_t bytes) {
  return memset(rg_tape_alloc(a, bytes), 0, bytes);
}

RG_NOINLINE rg_arena *rg_tape_begin(void) {
  rg_arena *a = &rg_arena_of_thread;
  rg_mark m = {a->mark, a->chunk, a->cur, a->deferred, a->overhead, NULL, a->replaced};
  rg_mark *mark = (rg_mark *)rg_arena_record(a, sizeof m);
  *mark = m;
  a->mark = mark;
  a->deferred = NULL;
  a->replaced = NULL;
  return a;
}

RG_NOINLINE rg_place rg_arena_place(const rg_arena *a) {
  return (rg_place){a->chunk, a->cur, a->deferred, a->replaced ? a->replaced->released : NULL, a->overhead};
}

RG_NOINLINE void rg_arena_return_to(rg_arena *a, const rg_place *place) {
  rg_arena_settle(a, place->released);
  while (a->deferred != place->deferred) {
    rg_deferred *d = a->deferred;
    a->deferred = d->earlier;
    d->dealloc(d->p);
  }
  a->overhead = place->overhead;
  if (place->chunk) {
    a->chunk = place->chunk;
    a->cur = place->cur;
  } else if (a->chunk) {
    rg_chunk *c = a->chunk;
    while (c->prev)
      c = c->prev;
    a->chunk = c;
    a->cur = rg_chunk_start(c);
  }
  if (a->chunk)
    a->end = a->chunk->end;
}

RG_NOINLINE void rg_tape_end(rg_arena *a) {
  rg_arena_settle(a, NULL);
  /* A deallocator may itself run a derivative (a destructor is any code), so
   * each entry is taken off the list before it is run. */
  while (a->deferred) {
    rg_deferred *d = a->deferred;
    a->deferred = d->earlier;
    d->dealloc(d->p);
  }
  /* The bump pointer only falls here, so peaks are found here. */
  uint64_t live = rg_arena_live(a);
  if (live > a->peak)
    a->peak = live;
  if (a->limit_name) {
    if (live > a->limit)
      rg_tape_over_limit(a, live);
    if (!a->mark->outer)
      a->limit_name = NULL;
  }
  rg_mark m = *a->mark;
  a->mark = m.outer;
  a->deferred = m.deferred;
  a->replaced = m.replaced;
  a->overhead = m.overhead;
  if (m.chunk) {
    a->chunk = m.chunk;
    a->cur = m.cur;
  } else {
    rg_chunk *c = a->chunk;
    while (c->prev)
      c = c->prev;
    a->chunk = c;
    a->cur = rg_chunk_start(c);
  }
  a->end = a->chunk->end;
  a->ended += live - rg_arena_live(a);
}

RG_NOINLINE void rg_tape_defer_free(rg_arena *a, void *p,
                                    void (*dealloc)(void *)) {
  if (!p)
    return;
  rg_deferred *d = (rg_deferred *)rg_arena_record(a, sizeof *d);
  d->earlier = a->deferred;
  d->p = p;
  d->dealloc = dealloc;
  a->deferred = d;
}

/* Has a derivative like any function of a user's, and may be inlined. */
void *rg_tape_realloc(rg_arena *a, void *p, uint64_t bytes) {
  void *q = malloc(bytes);
  if (!q || !p)
    return q; /* like realloc: on failure the old block lives on */
  uint64_t keep = rg_block_bytes(p);
  memcpy(q, p, keep < bytes ? keep : bytes);
  rg_tape_defer_free(a, p, free);
  return q;
}

/*===- Split mode: a tape of its own --------------------------------------===*/

/* The arena of one tape, with its first chunk in the same block of the heap; that
 * is small, since programs hold thousands of tapes. */
enum { RG_SPLIT_CHUNK = 1024 };

RG_NOINLINE __attribute__((malloc, returns_nonnull)) rg_arena *rg_split_begin(void) {
  uint64_t head = (sizeof(rg_arena) + RG_ALIGN - 1) & ~(uint64_t)(RG_ALIGN - 1);
  rg_arena *a = (rg_arena *)malloc(head + RG_SPLIT_CHUNK);
  if (!a)
    rg_arena_out_of_memory(head + RG_SPLIT_CHUNK);
  memset(a, 0, sizeof *a);
  rg_chunk *c = (rg_chunk *)((char *)a + head);
  c->prev = c->next = NULL;
  c->end = (char *)c + RG_SPLIT_CHUNK;
  c->live_before = 0;
  a->chunk = c;
  a->cur = rg_chunk_start(c);
  a->end = c->end;
  a->registered = 1; /* it belongs to the program, not to a thread */
  return a;
}

/* Runs the delayed frees and releases the arena. On any thread. */
RG_NOINLINE void rg_split_end(rg_arena *a) {
  rg_arena *mine = &rg_arena_of_thread;
  rg_arena_settle(a, NULL);
  while (a->deferred) {
    rg_deferred *d = a->deferred;
    a->deferred = d->earlier;
    d->dealloc(d->p);
  }
  uint64_t live = rg_arena_live(a);
  uint64_t with_mine = live + rg_arena_live(mine);
  if (with_mine > mine->peak)
    mine->peak = with_mine;
  mine->ended += live;
  rg_arena_release_list(a->team, a->team_size);
  rg_arena_release_list(a->spawned, a->spawned_size);
  free(a->spawned_busy);
  rg_chunk *c = a->chunk;
  while (c->prev)
    c = c->prev;
  for (c = c->next; c;) {
    rg_chunk *next = c->next;
    free(c);
    c = next;
  }
  free(a);
}

/* What programs call for a tape that they will not reverse (any more). The tape
 * begins with its arena, see lib/Emit/SplitEmitter. */
void rg_tape_free(void *tape) {
  if (tape)
    rg_split_end(*(rg_arena **)tape);
}

RG_COLD void rg_split_wrong_tape(const char *function) {
  fprintf(stderr,
          "retrograd: the reverse sweep of '%s' was given a tape that it cannot read: made by another function, with other activities, or in another "
          "translation unit\n",
          function);
  abort();
}

RG_COLD void rg_split_wrong_shadow(const char *function) {
  fprintf(stderr,
          "retrograd: the reverse sweep of '%s' must be given the shadows that __enzyme_augmentfwd was given\n",
          function);
  abort();
}

RG_COLD void rg_split_wrong_log(const char *function) {
  fprintf(stderr,
          "retrograd: forward mode of '%s' was given a tape that it cannot read: null, made by another function, or in another translation unit\n",
          function);
  abort();
}

/* A tape in memory of the user's, which need not be aligned. */
void rg_split_put(void *memory, uint64_t bytes, void *tape) {
  if (bytes < sizeof tape) {
    fprintf(stderr, "retrograd: memory for a tape must have the size that __enzyme_augmentsize returns\n");
    abort();
  }
  memcpy(memory, &tape, sizeof tape);
}

RG_NOINLINE uint64_t rg_tape_bytes_total(void) {
  rg_arena *a = &rg_arena_of_thread;
  return a->ended + rg_arena_live(a) - a->base;
}

RG_NOINLINE uint64_t rg_tape_bytes_peak(void) {
  rg_arena *a = &rg_arena_of_thread;
  uint64_t live = rg_arena_live(a);
  return live > a->peak ? live : a->peak;
}

RG_NOINLINE void rg_tape_bytes_reset(void) {
  rg_arena *a = &rg_arena_of_thread;
  a->ended = 0;
  a->peak = 0;
  a->base = rg_arena_live(a);
}
