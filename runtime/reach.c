/*===- reach.c - which thread adds to which adjoints ----------------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* In the primal sweep of a region each thread tells, group of accesses by group,
|* the least and the greatest address of the shadows that it will add to: its reach
|* (docs/Parallel.md, "Adjoints"). Between the two sweeps of the region the forking
|* thread compares:
|*
|*   thread 0   [---- alone ----|= shared =]
|*   thread 1                [= shared =|------ alone ------|= shared =]
|*   thread 2                                            [= shared =|--- alone ---]
|*
|* Where a thread is alone it adds to the shadow. What is left on the two sides it adds
|* to copies of its own, which are added to the shadows behind the region, thread by
|* thread, so that the result does not depend on who comes first. There are no copies
|* where some thread of the region writes, since whoever reverses that needs all that
|* was added; nor where the copies would cost more than atomic additions.
|*
|* Work that goes on by itself, a task or a thread, cannot compare: others come and go
|* while it runs. Where it waits for nobody it adds to copies of its own, and the copies
|* to the shadows, atomically, when its reverse sweep is over. Nobody can have looked
|* for what it adds before that.
\*===------------------------------------------------------------------------===*/
#define _GNU_SOURCE
#include "team.h"
#include <stdlib.h>
#include <string.h>

__thread struct rg_reach *rg_reaches_of_thread;

/* Outside of regions whoever adds is alone. */
static const struct rg_reach everything = {.own_size = UINT64_MAX};

__attribute__((noinline)) void rg_reach_from(const void *low, int64_t bytes, int32_t which, int32_t kind,
                                             int64_t additions) {
  struct rg_reach *r = rg_reaches_of_thread;
  if (!r || bytes <= 0)
    return;
  r += which;
  uint64_t from = (uint64_t)(uintptr_t)low, to = from + (uint64_t)bytes;
  if (!r->kind || from < r->low)
    r->low = from;
  if (!r->kind || to > r->high)
    r->high = to;
  r->uneven |= (from | to) & (uint64_t)((kind & RG_REACH_BYTES) - 1) ? 1 : 0;
  r->kind = (uint32_t)kind;
  r->additions += additions > 0 ? (uint64_t)additions : 1;
}

__attribute__((noinline)) const struct rg_reach *rg_reach_of(int32_t which) {
  return rg_reaches_of_thread ? rg_reaches_of_thread + which : &everything;
}

/* Where another thread may add, too. */
#define RG_REACH_ADD(T, NAME)                                                                           \
  __attribute__((noinline)) void rg_reach_elsewhere_##NAME(const struct rg_reach *r, T *p, T x) {       \
    uint64_t at = (uint64_t)(uintptr_t)p;                                                               \
    int64_t by = at < r->own_low ? r->below : r->above;                                                 \
    if (by && at >= r->low && at < r->high) {                                                                                           \
      *(T *)((char *)p + by) += x;                                                                      \
      return;                                                                                           \
    }                                                                                                   \
    rg_inorder_wait();                                                                                  \
    T old;                                                                                              \
    __atomic_load(p, &old, __ATOMIC_RELAXED);                                                           \
    for (T sum = old + x; !__atomic_compare_exchange(p, &old, &sum, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED);) \
      sum = old + x;                                                                                    \
  }                                                                                                     \
  __attribute__((always_inline)) void rg_reach_add_##NAME(const struct rg_reach *r, T *p, T x) {        \
    if ((uint64_t)(uintptr_t)p - r->own_low < r->own_size)                                              \
      *p += x;                                                                                          \
    else                                                                                                \
      rg_reach_elsewhere_##NAME(r, p, x);                                                               \
  }
RG_REACH_ADD(double, f64)
RG_REACH_ADD(float, f32)

/*===- Between the sweeps -------------------------------------------------===*/

/* A thread's reach begins or ends. */
struct edge {
  uint64_t at;
  int32_t thread, change;
};
static int by_address(const void *a, const void *b) {
  uint64_t x = ((const struct edge *)a)->at, y = ((const struct edge *)b)->at;
  return x < y ? -1 : x > y;
}
/* Memory that one thread alone reaches. */
struct sole {
  uint64_t low, high;
  int32_t thread;
};

static int is_added(const struct rg_reach *r) { return r->kind && !(r->kind & RG_REACH_WRITES); }

static int is_written(const rg_team *team, uint64_t low, uint64_t high) {
  for (int t = 0; t < team->threads; ++t)
    for (uint32_t g = 0; g < team->reaches; ++g) {
      const struct rg_reach *r = &team->slots[t].reaches[g];
      if (r->kind & RG_REACH_WRITES && r->low < high && low < r->high)
        return 1;
    }
  return 0;
}

/* Bytes of copies for [low, high), or 0: then additions there are atomic. A copy is
 * written and read once; an atomic addition costs a few times as much as that for one
 * number, and more where threads meet. */
static uint64_t bytes_of_copy(const rg_team *team, const struct rg_reach *r, uint64_t low, uint64_t high) {
  enum { NUMBERS_PER_ADDITION = 4, ALWAYS = 4096, PATIENCE = 16 };
  uint64_t size = r->kind & RG_REACH_BYTES, numbers = (high - low) / size;
  if (team->is_ordered) /* else threads would add one after the other */
    numbers /= PATIENCE;
  if (low >= high || r->uneven || (low | high) & (size - 1) || high - low > (uint64_t)1 << 32 ||
      (numbers > ALWAYS && numbers / NUMBERS_PER_ADDITION > r->additions) || is_written(team, low, high))
    return 0;
  return (high - low + 63) & ~(uint64_t)63;
}

static void find_alone(rg_team *team, struct edge *edges, struct sole *soles, uint64_t count, int32_t *inside) {
  uint64_t edge_count = 0, found = 0;
  for (int t = 0; t < team->threads; ++t)
    for (uint32_t g = 0; g < team->reaches; ++g) {
      const struct rg_reach *r = &team->slots[t].reaches[g];
      if (!is_added(r))
        continue;
      edges[edge_count++] = (struct edge){r->low, t, 1};
      edges[edge_count++] = (struct edge){r->high, t, -1};
    }
  qsort(edges, edge_count, sizeof *edges, by_address);
  memset(inside, 0, (uint64_t)team->threads * sizeof *inside);
  int threads_inside = 0;
  int64_t sum_of_threads = 0; /* with one inside, which one it is */
  for (uint64_t i = 0; i < edge_count;) {
    uint64_t at = edges[i].at;
    for (; i < edge_count && edges[i].at == at; ++i) {
      int t = edges[i].thread;
      int before = inside[t] > 0;
      inside[t] += edges[i].change;
      int after = inside[t] > 0;
      threads_inside += after - before;
      sum_of_threads += (after - before) * t;
    }
    if (i == edge_count || threads_inside != 1)
      continue;
    int t = (int)sum_of_threads;
    if (found && soles[found - 1].high == at && soles[found - 1].thread == t)
      soles[found - 1].high = edges[i].at;
    else if (found < count)
      soles[found++] = (struct sole){at, edges[i].at, t};
  }
  for (int t = 0; t < team->threads; ++t)
    for (uint32_t g = 0; g < team->reaches; ++g) {
      struct rg_reach *r = &team->slots[t].reaches[g];
      if (!is_added(r))
        continue;
      r->own_low = r->high;
      r->own_size = 0;
      for (uint64_t i = 0; i < found; ++i) {
        uint64_t low = soles[i].low > r->low ? soles[i].low : r->low;
        uint64_t high = soles[i].high < r->high ? soles[i].high : r->high;
        if (soles[i].thread == t && low < high && high - low > r->own_size)
          r->own_low = low, r->own_size = high - low;
      }
    }
}

/* Says for each thread and group where it is alone, and makes room for copies on the
 * forking thread's tape: how many bytes. */
__attribute__((noinline)) uint64_t rg_reach_compare(rg_team *team) {
  uint64_t all = (uint64_t)team->threads * team->reaches, bytes = 0;
  if (!all)
    return 0;
  if (team->threads == 1) {
    for (uint32_t g = 0; g < team->reaches; ++g)
      team->slots[0].reaches[g].own_low = 0, team->slots[0].reaches[g].own_size = UINT64_MAX;
    return 0;
  }
  rg_place before = rg_arena_place(team->parent);
  struct edge *edges = (struct edge *)rg_tape_alloc(team->parent, 2 * all * sizeof *edges);
  struct sole *soles = (struct sole *)rg_tape_alloc(team->parent, 2 * all * sizeof *soles);
  int32_t *inside = (int32_t *)rg_tape_alloc(team->parent, (uint64_t)team->threads * sizeof *inside);
  find_alone(team, edges, soles, 2 * all, inside);
  rg_arena_return_to(team->parent, &before);
  for (int t = 0; t < team->threads; ++t)
    for (uint32_t g = 0; g < team->reaches; ++g) {
      struct rg_reach *r = &team->slots[t].reaches[g];
      r->below = r->above = 0;
      if (!is_added(r))
        continue;
      r->bytes_below = bytes_of_copy(team, r, r->low, r->own_low);
      r->bytes_above = bytes_of_copy(team, r, r->own_low + r->own_size, r->high);
      bytes += r->bytes_below + r->bytes_above;
    }
  return bytes;
}

/* The copies, in `bytes` bytes from `place` on, a multiple of 64. */
__attribute__((noinline)) void rg_reach_place(rg_team *team, char *place) {
  for (int t = 0; t < team->threads; ++t)
    for (uint32_t g = 0; g < team->reaches; ++g) {
      struct rg_reach *r = &team->slots[t].reaches[g];
      if (!is_added(r))
        continue;
      if (r->bytes_below)
        r->below = (int64_t)((uint64_t)(uintptr_t)place - r->low);
      place += r->bytes_below;
      if (r->bytes_above)
        r->above = (int64_t)((uint64_t)(uintptr_t)place - (r->own_low + r->own_size));
      place += r->bytes_above;
    }
}

/* By the thread that will add to them. */
__attribute__((noinline)) void rg_reach_clear(rg_team *team, struct rg_slot *s) {
  for (uint32_t g = 0; g < team->reaches; ++g) {
    struct rg_reach *r = &s->reaches[g];
    if (r->below)
      memset((char *)(uintptr_t)r->low + r->below, 0, r->bytes_below);
    if (r->above)
      memset((char *)(uintptr_t)(r->own_low + r->own_size) + r->above, 0, r->bytes_above);
  }
}

/* Adds the copy of [low, high) to the shadow. What nobody added to is left alone: it
 * may be an integer. */
static void add_copy(uint64_t low, uint64_t high, int64_t by, uint64_t size) {
  if (size == sizeof(double))
    for (uint64_t at = low; at < high; at += sizeof(double)) {
      double x = *(const double *)((const char *)(uintptr_t)at + by);
      if (x != 0)
        *(double *)(uintptr_t)at += x;
    }
  else
    for (uint64_t at = low; at < high; at += sizeof(float)) {
      float x = *(const float *)((const char *)(uintptr_t)at + by);
      if (x != 0)
        *(float *)(uintptr_t)at += x;
    }
}

/* Adds what lies in this thread's pages, of all copies in the order of threads. */
enum { PAGE = 4096 };
static void add_my_pages(rg_team *team, uint64_t mine, uint64_t of) {
  for (int t = 0; t < team->threads; ++t)
    for (uint32_t g = 0; g < team->reaches; ++g) {
      const struct rg_reach *r = &team->slots[t].reaches[g];
      uint64_t middle = r->own_low + r->own_size;
      for (int side = 0; side < 2; ++side) {
        int64_t by = side ? r->above : r->below;
        uint64_t low = side ? middle : r->low, high = side ? r->high : r->own_low;
        if (!by)
          continue;
        if (of == 1) {
          add_copy(low, high, by, r->kind & RG_REACH_BYTES);
          continue;
        }
        uint64_t page = low / PAGE;
        for (page += (mine + of - page % of) % of; page * PAGE < high; page += of)
          add_copy(page * PAGE > low ? page * PAGE : low, (page + 1) * PAGE < high ? (page + 1) * PAGE : high, by,
                   r->kind & RG_REACH_BYTES);
      }
    }
}

static void run_adding(void *team, int t, int n) { add_my_pages((rg_team *)team, (uint64_t)t, (uint64_t)n); }

__attribute__((noinline)) void rg_reach_add_copies(rg_team *team, uint64_t bytes, rg_team_forker fork) {
  enum { MANY = 256 * 1024 };
  if (bytes < MANY)
    add_my_pages(team, 0, 1);
  else
    fork(team->threads, run_adding, team);
}

/*===- Work that goes on by itself ----------------------------------------===*/

__attribute__((noinline)) rg_reach_table rg_reach_note(rg_arena *a, int32_t count) {
  rg_reach_table table = {NULL, (uint32_t)count};
  uint64_t bytes = (uint64_t)count * sizeof(struct rg_reach);
  if (count)
    table.reaches = (struct rg_reach *)memset(rg_tape_alloc(a, bytes), 0, bytes);
  return table;
}

/* A copy is cleared, written, read and added atomically: it pays where each number is
 * added to more than once. */
static uint64_t bytes_of_own_copy(const rg_reach_table *table, const struct rg_reach *r) {
  enum { ADDITIONS_PER_NUMBER = 2 };
  uint64_t size = r->kind & RG_REACH_BYTES, numbers = (r->high - r->low) / size;
  if (r->uneven || (r->low | r->high) & (size - 1) || numbers * ADDITIONS_PER_NUMBER > r->additions)
    return 0;
  for (uint32_t g = 0; g < table->count; ++g) {
    const struct rg_reach *w = &table->reaches[g];
    if (w->kind & RG_REACH_WRITES && w->low < r->high && r->low < w->high)
      return 0;
  }
  return (r->high - r->low + 63) & ~(uint64_t)63;
}

/* Before its reverse sweep. `alone`: no other thread runs. */
__attribute__((noinline)) void rg_reach_open(const rg_reach_table *table, rg_arena *a, int alone) {
  uint64_t bytes = 0;
  for (uint32_t g = 0; g < table->count; ++g) {
    struct rg_reach *r = &table->reaches[g];
    r->below = r->above = 0;
    r->bytes_below = r->bytes_above = 0;
    r->own_low = alone ? 0 : r->high;
    r->own_size = alone ? UINT64_MAX : 0;
    if (!alone && is_added(r))
      bytes += r->bytes_below = bytes_of_own_copy(table, r);
  }
  if (!bytes)
    return;
  uintptr_t place = ((uintptr_t)rg_tape_alloc(a, bytes + 64) + 63) & ~(uintptr_t)63;
  memset((void *)place, 0, bytes);
  for (uint32_t g = 0; g < table->count; ++g) {
    struct rg_reach *r = &table->reaches[g];
    if (r->bytes_below)
      r->below = (int64_t)((uint64_t)place - r->low);
    place += r->bytes_below;
  }
}

#define RG_REACH_FLUSH(T, NAME)                                                                         \
  static void flush_##NAME(const struct rg_reach *r) {                                                  \
    for (uint64_t at = r->low; at < r->high; at += sizeof(T)) {                                         \
      T *p = (T *)(uintptr_t)at, x = *(const T *)((const char *)p + r->below), old;                     \
      if (x == 0)                                                                                       \
        continue;                                                                                       \
      __atomic_load(p, &old, __ATOMIC_RELAXED);                                                         \
      for (T sum = old + x; !__atomic_compare_exchange(p, &old, &sum, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED);) \
        sum = old + x;                                                                                  \
    }                                                                                                   \
  }
RG_REACH_FLUSH(double, f64)
RG_REACH_FLUSH(float, f32)

/* Behind it, before anybody may know that it is over. `before`: where the arena was in front
 * of rg_reach_open. */
__attribute__((noinline)) void rg_reach_close(const rg_reach_table *table, rg_arena *a, const rg_place *before) {
  for (uint32_t g = 0; g < table->count; ++g) {
    const struct rg_reach *r = &table->reaches[g];
    if (!r->below)
      continue;
    if ((r->kind & RG_REACH_BYTES) == sizeof(double))
      flush_f64(r);
    else
      flush_f32(r);
  }
  if (table->count && a->deferred == before->deferred)
    rg_arena_return_to(a, before);
}
