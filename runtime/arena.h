/*===- arena.h - what an arena is made of ---------------------------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* For arena.c, kept.c and threads.c alone.
\*===------------------------------------------------------------------------===*/
#ifndef RETROGRAD_ARENA_H
#define RETROGRAD_ARENA_H
#include "retrograd_runtime.h"

enum {
  RG_ALIGN = 16,
  RG_FIRST_CHUNK = 256 * 1024,
  RG_LARGEST_CHUNK = 64 * 1024 * 1024
};

typedef struct rg_chunk {
  struct rg_chunk *prev, *next;
  char *end;
  uint64_t live_before; /* bytes in use below this chunk, tails not counted */
} rg_chunk;

typedef struct rg_deferred {
  struct rg_deferred *earlier;
  void *p;
  void (*dealloc)(void *);
} rg_deferred;

typedef struct rg_team rg_team;

/* Blocks of the caller's that the function replaces (replaced.c). Whoever notes
 * the first one says what settles them, so that nothing of it is linked
 * otherwise. */
typedef struct rg_replaced {
  struct rg_released *released; /* latest first */
  void (*settle)(rg_arena *a, const struct rg_released *until);
} rg_replaced;

typedef struct rg_mark {
  struct rg_mark *outer;
  rg_chunk *chunk; /* null when the arena had no chunk yet */
  char *cur;
  rg_deferred *deferred; /* of the outer mark */
  uint64_t overhead;
  rg_team *team;         /* of threads that the derivative starts (team.h) */
  rg_replaced *replaced; /* of the outer mark */
} rg_mark;

/* Blocks that shadows have left (kept.c). Whoever keeps the first one says what
 * releases them, so that nothing of it is linked otherwise. */
typedef struct rg_kept {
  void (*release)(struct rg_kept *);
} rg_kept;

struct rg_arena {
  char *cur, *end;       /* free part of the current chunk */
  rg_chunk *chunk;       /* current */
  rg_mark *mark;         /* innermost */
  rg_deferred *deferred; /* of the innermost mark, latest first */
  rg_replaced *replaced; /* of the innermost mark; null: none */
  uint64_t overhead;     /* live bytes that are marks and deferred frees */
  uint64_t ended;        /* bytes of calls that have ended, since the reset */
  uint64_t base;         /* live bytes at the reset */
  uint64_t peak;
  int registered; /* with the thread's exit */
  rg_kept *kept;  /* null: none */
  /* Arenas of the threads of teams that this one's thread forks, by number
   * (threads.c), and the bytes that they hold now. */
  rg_arena **team;
  uint64_t team_size, team_live;
  /* Of the threads that it starts otherwise (spawn.c), and which of them has
   * not been joined. */
  rg_arena **spawned;
  unsigned char *spawned_busy;
  uint64_t spawned_size;
  uint64_t limit;         /* -rg-memory, of the call at work; 0: none */
  const char *limit_name; /* whose; null once it was told */
};

#define RG_HEADER                                                              \
  ((sizeof(rg_chunk) + RG_ALIGN - 1) & ~(uint64_t)(RG_ALIGN - 1))

static inline char *rg_chunk_start(rg_chunk *c) {
  return (char *)c + RG_HEADER;
}

/* Bytes that the user of the arena holds now. */
static inline uint64_t rg_arena_live(const rg_arena *a) {
  if (!a->chunk)
    return a->team_live;
  return a->team_live + a->chunk->live_before +
         (uint64_t)(a->cur - rg_chunk_start(a->chunk)) - a->overhead;
}

/* Where an arena stood, to go back to. */
typedef struct rg_place {
  rg_chunk *chunk;
  char *cur;
  rg_deferred *deferred;
  const struct rg_released *released;
  uint64_t overhead;
} rg_place;

extern __thread struct rg_arena rg_arena_of_thread;

/* What the arena holds is released when the thread ends. Whether that is so. */
int rg_arena_register(rg_arena *a);

static inline void *rg_arena_record(rg_arena *a, uint64_t bytes) {
  a->overhead += (bytes + RG_ALIGN - 1) & ~(uint64_t)(RG_ALIGN - 1);
  return rg_tape_alloc(a, bytes);
}

/* The arena at place t of a list of arenas that `a` owns. */
rg_arena *rg_arena_within(rg_arena **list, uint64_t t);
void rg_arena_release(void *arena);
void rg_arena_out_of_memory(uint64_t bytes);
rg_place rg_arena_place(const rg_arena *a);
/* Settles the blocks that were replaced since `until`, before they are
 * released. */
static inline void rg_arena_settle(rg_arena *a,
                                   const struct rg_released *until) {
  if (__builtin_expect(a->replaced != NULL, 0))
    a->replaced->settle(a, until);
}
/* Runs the delayed frees since, and makes the memory since available again. */
void rg_arena_return_to(rg_arena *a, const rg_place *place);

#endif
