/*===- messages-packed.c - MPI_Pack and MPI_Unpack ------------------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* A packed buffer is bytes, and where numbers lie among them only the program
|* knows that packs and unpacks. In the primal sweep nobody needs to: the
|* library moves what there is. Adjoints are added up, so the reverse sweep has
|* to. It comes to the unpacking first, whose datatype tells:
|*
|*   primal sweep                          reverse sweep
|*   MPI_Pack(x, .., buffer, &at)          x' += what lies at buffer' + at
|*   MPI_Send(buffer, .., MPI_PACKED)      buffer' += the packet; marks them
|*   MPI_Recv(buffer, .., MPI_PACKED)      the packet = what is marked
|*   MPI_Unpack(buffer, &at, y, ..)        buffer' + at += y'; marks them
|*
|* So each message tells its other end where numbers are, and what kind they
|* have. Where a buffer has been copied, marks move with the adjoints. Numbers
|* that reach a buffer otherwise have no mark, and end the program.
\*===------------------------------------------------------------------------===*/
#include "messages.h"
#include <stdlib.h>
#include <string.h>

/*===- Marks -------------------------------------------------------------===*/

/* In the order of addresses; they do not overlap. */
struct rg_mpi_one_mark {
  char *at;
  int64_t count;
  int kind;
} *rg_mpi_marked;
int64_t rg_mpi_marks_held, rg_mpi_marks_room;

static char *end_of(const struct rg_mpi_one_mark *m) {
  return m->at + m->count * rg_mpi_bytes_of(m->kind);
}
/* The first mark that ends behind a place. */
static int64_t first_behind(const char *at) {
  int64_t low = 0, high = rg_mpi_marks_held;
  while (low < high) {
    const int64_t middle = (low + high) / 2;
    if (end_of(&rg_mpi_marked[middle]) <= at)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}
static void insert(int64_t i, struct rg_mpi_one_mark mark) {
  if (rg_mpi_marks_held == rg_mpi_marks_room) {
    rg_mpi_marks_room = rg_mpi_marks_room ? 2 * rg_mpi_marks_room : 64;
    rg_mpi_marked = realloc(rg_mpi_marked,
                            (size_t)rg_mpi_marks_room * sizeof *rg_mpi_marked);
    if (!rg_mpi_marked)
      abort();
  }
  memmove(&rg_mpi_marked[i + 1], &rg_mpi_marked[i],
          (size_t)(rg_mpi_marks_held++ - i) * sizeof *rg_mpi_marked);
  rg_mpi_marked[i] = mark;
}
static void erase(int64_t i) {
  memmove(&rg_mpi_marked[i], &rg_mpi_marked[i + 1],
          (size_t)(--rg_mpi_marks_held - i) * sizeof *rg_mpi_marked);
}

/* A copy of a buffer is undone (unknown.c): marks go the way of the adjoints. */
static void follow(char *from, char *to, uint64_t bytes) {
  rg_run *runs;
  const rg_layout nothing = {0};
  const int64_t n = rg_mpi_all_runs(&nothing, from, (int64_t)bytes, &runs);
  if (n)
    rg_mpi_unmark(from, (int64_t)bytes);
  for (int64_t r = 0; to && r < n; ++r)
    rg_mpi_mark(to + runs[r].at, runs[r].kind, runs[r].count);
  free(runs);
}
extern void (*rg_adjoints_moved)(char *from, char *to, uint64_t bytes);

void rg_mpi_mark(char *at, int kind, int64_t count) {
  rg_adjoints_moved = follow;
  kind = rg_mpi_number_of(kind);
  const int64_t size = rg_mpi_bytes_of(kind);
  char *end = at + count * size;
  int clash = 0;
  rg_mpi_lock();
  /* Neighbours of the same kind become one. */
  int64_t i = first_behind(at);
  if (i && end_of(&rg_mpi_marked[i - 1]) == at &&
      rg_mpi_marked[i - 1].kind == kind)
    --i;
  while (i < rg_mpi_marks_held && rg_mpi_marked[i].at <= end) {
    struct rg_mpi_one_mark m = rg_mpi_marked[i];
    const int same = m.kind == kind && (m.at - at) % size == 0;
    if (!same && m.at == end)
      break;
    clash |= !same;
    at = m.at < at ? m.at : at;
    end = end_of(&m) > end ? end_of(&m) : end;
    erase(i);
  }
  insert(i, (struct rg_mpi_one_mark){at, (end - at) / size, kind});
  rg_mpi_unlock();
  if (clash)
    rg_mpi_stop("MPI_Unpack",
                "the same bytes of a packed buffer are numbers of two kinds");
}

void rg_mpi_unmark(const char *at, int64_t bytes) {
  int cut = 0;
  rg_mpi_lock();
  for (int64_t i = first_behind(at);
       i < rg_mpi_marks_held && rg_mpi_marked[i].at < at + bytes;) {
    const struct rg_mpi_one_mark m = rg_mpi_marked[i];
    const int64_t size = rg_mpi_bytes_of(m.kind);
    const int64_t before = m.at < at ? at - m.at : 0;
    const int64_t behind =
        end_of(&m) > at + bytes ? end_of(&m) - at - bytes : 0;
    cut |= before % size || behind % size;
    erase(i);
    if (behind)
      insert(i, (struct rg_mpi_one_mark){end_of(&m) - behind, behind / size,
                                         m.kind});
    if (before)
      insert(i++, (struct rg_mpi_one_mark){m.at, before / size, m.kind});
    if (behind)
      break;
  }
  rg_mpi_unlock();
  if (cut)
    rg_mpi_stop("MPI_Pack",
                "a message, or what is packed, ends within a number");
}

static rg_run *add_run(rg_run *to, int64_t *n, int64_t *room, int64_t at,
                       int kind, int64_t count) {
  if (*n == *room)
    to = realloc(to, (size_t)(*room *= 2) * sizeof *to);
  if (!to)
    abort();
  to[(*n)++] = (rg_run){at, kind, (int)count, at};
  return to;
}

int64_t rg_mpi_all_runs(const rg_layout *l, const char *at, int64_t bytes,
                        rg_run **runs) {
  int64_t n = 0, room = 16;
  rg_run *to = rg_mpi_memory(NULL, (size_t)room * sizeof *to);
  for (int64_t from = 0; l->runs && from < bytes; from += l->period)
    for (int r = 0; r < l->runs; ++r) {
      const int64_t size = rg_mpi_bytes_of(l->run[r].kind);
      const int64_t first = from + l->run[r].at;
      int64_t count = l->run[r].count;
      if (first + count * size > bytes)
        count = (bytes - first) / size;
      if (count > 0)
        to = add_run(to, &n, &room, first, l->run[r].kind, count);
    }
  rg_mpi_lock();
  for (int64_t i = first_behind(at);
       i < rg_mpi_marks_held && rg_mpi_marked[i].at < at + bytes; ++i) {
    const struct rg_mpi_one_mark m = rg_mpi_marked[i];
    const int64_t size = rg_mpi_bytes_of(m.kind);
    const char *first = m.at < at ? at : m.at;
    const char *end = end_of(&m) > at + bytes ? at + bytes : end_of(&m);
    to = add_run(to, &n, &room, first - at, m.kind, (end - first) / size);
  }
  rg_mpi_unlock();
  *runs = to;
  return n;
}

void rg_mpi_give_marked(const char *routine, const rg_layout *l,
                        const rg_run *runs, int64_t n, char *at, int64_t bytes,
                        char *image) {
  for (int64_t r = 0; r < n; ++r)
    for (int i = 0; i < runs[r].count; ++i) {
      const int64_t place = runs[r].at + i * rg_mpi_bytes_of(runs[r].kind);
      rg_mpi_one(RG_TAKE, runs[r].kind, at + place, image + place, 0);
      rg_mpi_one(RG_CLEAR, runs[r].kind, at + place, NULL, 0);
    }
  rg_mpi_unmark(at, bytes);
  for (int64_t i = 0; !l->runs && l->strict && i < bytes; ++i)
    if (at[i])
      rg_mpi_stop(routine,
                  "a message of MPI_PACKED has brought numbers that reach the "
                  "function's result on another way than by MPI_Unpack from "
                  "the buffer; give it the datatype of the numbers");
}

/* What the layout has at a place: a kind; -1: nothing. */
static int kind_at(const char *routine, const rg_layout *l, int64_t place,
                   int kind) {
  const int64_t size = rg_mpi_bytes_of(kind);
  const int64_t from = place % l->period;
  for (int r = 0; r < l->runs; ++r) {
    const int own = rg_mpi_number_of(l->run[r].kind);
    const int64_t low = l->run[r].at, step = rg_mpi_bytes_of(own);
    if (from >= low + l->run[r].count * step || low >= from + size)
      continue;
    if (own != rg_mpi_number_of(kind) ||
        (from - low) % step)
      rg_mpi_stop(routine,
                  "the two ends of a message of bytes take it for "
                  "different numbers; say what they are by a datatype");
    return l->run[r].kind;
  }
  return -1;
}

void rg_mpi_take_marked(const char *routine, const rg_layout *l,
                        const rg_run *runs, int64_t n, int64_t period, char *at,
                        int64_t bytes, char *image) {
  const int others = rg_mpi_beside_others();
  if (period == RG_ONCE)
    period = bytes;
  for (int64_t from = 0; from < bytes; from += period)
    for (int64_t r = 0; r < n; ++r) {
      const int64_t size = rg_mpi_bytes_of(runs[r].kind);
      for (int i = 0; i < runs[r].count; ++i) {
        const int64_t place = from + runs[r].at + i * size;
        if (place + size > bytes)
          break;
        int kind = kind_at(routine, l, place, runs[r].kind);
        if (kind < 0 && !l->marked)
          continue;
        if (kind < 0)
          rg_mpi_mark(at + place, kind = runs[r].kind, 1);
        rg_mpi_one(RG_ADD, kind, at + place, image + place, others);
      }
    }
}

/*===- The routines ------------------------------------------------------===*/

typedef struct packing {
  rg_undo head;
  const rg_layout *layout;
  int packs;
  int64_t count; /* elements, or bytes of an image */
  int64_t at, bytes;
  uint64_t lanes;
  char *shadow[]; /* of each lane: the numbers, and the buffer */
} packing;

/* Tangents are put, adjoints are added, and gone where they come from. */
static void move_numbers(const packing *p, char *numbers, char *buffer,
                         int reverse) {
  const rg_layout *l = p->layout;
  const int others = reverse && p->packs && rg_mpi_beside_others();
  const int to_numbers = p->packs == reverse;
  const int64_t step = l->period ? l->period : 1;
  char *packed = buffer ? buffer + p->at : NULL;
  if (!reverse && p->packs && packed)
    memset(packed, 0, (size_t)p->bytes);
  for (int64_t e = 0; numbers && e < p->count; e += step) {
    char *base = numbers + (l->period ? e : e * l->extent);
    const int64_t behind = l->period ? e : e * l->size;
    for (int r = 0; r < l->runs; ++r) {
      const int kind = rg_mpi_number_of(l->run[r].kind);
      const int64_t size = rg_mpi_bytes_of(kind);
      for (int i = 0; i < l->run[r].count; ++i) {
        char *x = base + l->run[r].at + i * size;
        const int64_t place = behind + l->run[r].packed + i * size;
        if (l->period && place + size > p->bytes)
          break;
        char image[16] = {0};
        char *there = packed ? packed + place : NULL;
        char *from = to_numbers ? there : x, *to = to_numbers ? x : there;
        if (from)
          rg_mpi_one(RG_TAKE, l->run[r].kind, from, image, 0);
        if (from && reverse)
          rg_mpi_one(RG_CLEAR, l->run[r].kind, from, NULL, 0);
        if (to)
          rg_mpi_one(reverse ? RG_ADD : RG_PUT, l->run[r].kind, to, image,
                     others);
        if (reverse && !to_numbers && to)
          rg_mpi_mark(to, kind, 1);
      }
    }
  }
  if (reverse && p->packs && packed) {
    rg_mpi_unmark(packed, p->bytes);
    memset(packed, 0, (size_t)p->bytes);
  }
}

static void undo_packing(void *undo) {
  const packing *p = undo;
  for (uint64_t i = 0; i < p->lanes; ++i)
    move_numbers(p, p->shadow[2 * i], p->shadow[2 * i + 1], 1);
}

static void *pack_or_unpack(rg_arena *arena, uint64_t lanes, int packs,
                            const char *routine, void *const *numbers,
                            void *const *buffers, const rg_layout *l, int count,
                            int64_t at, int64_t bytes) {
  if (l->bytes && numbers && numbers[0])
    rg_mpi_stop(routine,
                "bytes (MPI_BYTE) that may be active numbers; say what "
                "they are by a datatype");
  packing *p =
      rg_mpi_memory(arena, sizeof *p + 2 * lanes * sizeof p->shadow[0]);
  *p = (packing){{undo_packing}, l, packs, count, at, bytes, lanes};
  for (uint64_t i = 0; i < lanes; ++i) {
    p->shadow[2 * i] = numbers ? numbers[i] : NULL;
    p->shadow[2 * i + 1] = buffers ? buffers[i] : NULL;
  }
  if (arena) {
    rg_mpi_opened();
    return p;
  }
  for (uint64_t i = 0; i < lanes; ++i)
    move_numbers(p, p->shadow[2 * i], p->shadow[2 * i + 1], 0);
  free(p);
  return NULL;
}

static void check_size(const char *routine, int64_t count, const rg_layout *l,
                       int64_t bytes) {
  if (count * l->size != bytes)
    rg_mpi_stop(routine, "%lld bytes of a datatype are %lld in the buffer",
                (long long)(count * l->size), (long long)bytes);
}

void *rg_mpi_packs(rg_arena *arena, uint64_t lanes, const void *from,
                   void *const *numbers, int count, rg_handle type, void *to,
                   void *const *buffers, int room, int *position,
                   rg_handle comm, int *result) {
  const int at = *position;
  int n = count;
  const rg_layout *l = rg_mpi_layout_of_buffer(type, "MPI_Pack", 0, &n);
  *result = MPI_Pack(from, count, type, to, room, position, comm);
  check_size("MPI_Pack", n, l, *position - at);
  char *there = (char *)to + at;
  if (numbers && numbers[0] && !(buffers && buffers[0]))
    rg_constant_store(there, there, (uint64_t)(*position - at),
                      "a call of 'MPI_Pack'");
  return pack_or_unpack(arena, lanes, 1, "MPI_Pack", numbers, buffers, l, n, at,
                        *position - at);
}

void *rg_mpi_unpacks(rg_arena *arena, uint64_t lanes, void *from,
                     void *const *buffers, int room, int *position, void *to,
                     void *const *numbers, int count, rg_handle type,
                     rg_handle comm, int *result) {
  const int at = *position;
  int n = count;
  const rg_layout *l = rg_mpi_layout_of_buffer(type, "MPI_Unpack", 0, &n);
  *result = MPI_Unpack(from, room, position, to, count, type, comm);
  check_size("MPI_Unpack", n, l, *position - at);
  if (l->numbers && !(buffers && buffers[0]))
    rg_constant_load((char *)from + at, (uint64_t)(*position - at),
                     "a call of 'MPI_Unpack'");
  return pack_or_unpack(arena, lanes, 0, "MPI_Unpack", numbers, buffers, l, n,
                        at, *position - at);
}
