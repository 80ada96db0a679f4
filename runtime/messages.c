/*===- messages.c - layouts, communicators and requests of MPI ------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* What the derivatives of messages (messages-pairs.c) and of
|* collective routines (messages-groups.c) have in common. See
|* messages.h.
\*===------------------------------------------------------------------------===*/
#include "messages.h"
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One of each per program: every unit that is differentiated shares them. */
_Atomic int rg_mpi_held;
int rg_mpi_keyval, rg_mpi_has_keyval;
intptr_t
    rg_mpi_world_channel; /* a copy of MPI_COMM_WORLD for packets; 0: none */
int64_t rg_mpi_undone_later;
rg_layout *rg_mpi_layouts;
struct rg_mpi_named_type {
  intptr_t type;
  const rg_layout *layout;
} rg_mpi_named[8];
unsigned rg_mpi_next_named;
rg_open *rg_mpi_requests[1024];
struct rg_mpi_sending {
  struct rg_mpi_sending *next;
  intptr_t request;
  void *packet;
} *rg_mpi_sendings;
struct rg_mpi_freed {
  struct rg_mpi_freed *next;
  intptr_t comm;
} *rg_mpi_freed_comms;

void rg_mpi_lock(void) {
  while (atomic_exchange_explicit(&rg_mpi_held, 1, memory_order_acquire))
    ;
}
void rg_mpi_unlock(void) {
  atomic_store_explicit(&rg_mpi_held, 0, memory_order_release);
}

/* Ends the program, with who and what. */
void rg_mpi_stop(const char *routine, const char *format, ...) {
  int rank = -1;
  MPI_Comm_rank(RG_COMM_WORLD, &rank);
  va_list args;
  va_start(args, format);
  fprintf(stderr, "retrograd: rank %d: the derivative of %s: ", rank, routine);
  vfprintf(stderr, format, args);
  fprintf(stderr, "\n");
  va_end(args);
  fflush(stderr);
  MPI_Abort(RG_COMM_WORLD, 1);
  abort();
}

void *rg_mpi_memory(rg_arena *arena, size_t bytes) {
  if (arena)
    return rg_tape_alloc(arena, bytes);
  void *p = malloc(bytes ? bytes : 1);
  if (!p) {
    fprintf(stderr, "retrograd: no memory for a message of %zu bytes\n", bytes);
    abort();
  }
  return p;
}

/*===- Layouts -----------------------------------------------------------===*/

/* A layout that is being found out; grows. */
typedef struct building {
  int runs, room, numbers, bytes, complex, index;
  ptrdiff_t index_at, packed;
  rg_run *run;
} building;

static void add_run(building *b, ptrdiff_t at, int kind, int count) {
  static const ptrdiff_t size[] = {sizeof(double), sizeof(float),
                                   sizeof(long double)};
  b->numbers += count;
  if (b->runs) {
    rg_run *last = &b->run[b->runs - 1];
    const ptrdiff_t bytes = last->count * size[kind];
    if (last->kind == kind && last->at + bytes == at &&
        last->packed + bytes == b->packed) {
      last->count += count;
      return;
    }
  }
  if (b->runs == b->room) {
    b->room = b->room ? 2 * b->room : 8;
    b->run = realloc(b->run, (size_t)b->room * sizeof *b->run);
    if (!b->run)
      abort();
  }
  b->run[b->runs++] = (rg_run){at, kind, count, b->packed};
}

/* A type that MPI brings along; they are told apart by name, which is the same
 * everywhere. */
static void add_numbers_of(building *b, rg_handle type, ptrdiff_t at,
                      const char *routine) {
  char name[256] = "";
  int length = 0, size = 0;
  MPI_Type_get_name(type, name, &length);
  MPI_Type_size(type, &size);
  const char *t = strncmp(name, "MPI_", 4) ? name : name + 4;
  if (!strcmp(t, "DOUBLE") || !strcmp(t, "FLOAT") ||
      !strcmp(t, "DOUBLE_PRECISION") || !strcmp(t, "REAL") ||
      !strcmp(t, "REAL4") || !strcmp(t, "REAL8")) {
    add_run(b, at, size == 4 ? RG_KIND_FLOAT : RG_KIND_DOUBLE, 1);
  } else if (!strcmp(t, "LONG_DOUBLE")) {
    add_run(b, at, RG_KIND_LONG_DOUBLE, 1);
  } else if (strstr(t, "COMPLEX") && t[0] != '2') {
    b->complex = 1;
    if (strstr(t, "LONG_DOUBLE"))
      add_run(b, at, RG_KIND_LONG_DOUBLE, 2);
    else if (size == 8 || size == 16)
      add_run(b, at, size == 8 ? RG_KIND_FLOAT : RG_KIND_DOUBLE, 2);
    else
      rg_mpi_stop(routine, "the type %s is not known", name);
  } else if (!strcmp(t, "DOUBLE_INT") || !strcmp(t, "FLOAT_INT") ||
             !strcmp(t, "LONG_DOUBLE_INT")) {
    int kind = t[0] == 'D'   ? RG_KIND_DOUBLE
               : t[0] == 'F' ? RG_KIND_FLOAT
                             : RG_KIND_LONG_DOUBLE;
    b->index = 4;
    b->index_at = kind == RG_KIND_DOUBLE ? 8 : kind == RG_KIND_FLOAT ? 4 : 16;
    add_run(b, at, kind, 1);
  } else if (!strcmp(t, "2REAL") || !strcmp(t, "2DOUBLE_PRECISION")) {
    int kind = size == 8 ? RG_KIND_FLOAT : RG_KIND_DOUBLE;
    b->index = -size / 2;
    b->index_at = size / 2;
    add_run(b, at, kind, 1);
  } else if (!strcmp(t, "BYTE") || !strcmp(t, "PACKED")) {
    const int packed = t[0] == 'P' && b->bytes != 1;
    b->bytes = packed ? 2 : 1;
  } else if (strstr(t, "REAL") || strstr(t, "COMPLEX")) {
    rg_mpi_stop(routine, "the type %s is not known", name);
  } /* the others are integers */
}
static void add_named(building *b, rg_handle type, ptrdiff_t at,
                      const char *routine) {
  int size = 0;
  MPI_Type_size(type, &size);
  add_numbers_of(b, type, at, routine);
  b->packed += size;
}

static void add_type(building *b, rg_handle type, ptrdiff_t at,
                     const char *routine) {
  int ints, addresses, types, kind;
  MPI_Type_get_envelope(type, &ints, &addresses, &types, &kind);
  kind -= !rg_mpi_is_open();
  if (kind == RG_NAMED || kind == RG_F90_INTEGER) {
    add_named(b, type, at, routine);
    return;
  }
  if (kind == RG_F90_REAL || kind == RG_F90_COMPLEX) {
    int size;
    MPI_Type_size(type, &size);
    b->complex |= kind == RG_F90_COMPLEX;
    size /= kind == RG_F90_COMPLEX ? 2 : 1;
    if (size != 4 && size != 8)
      rg_mpi_stop(routine, "a real type of %d bytes is not known", size);
    add_run(b, at, size == 4 ? RG_KIND_FLOAT : RG_KIND_DOUBLE,
            kind == RG_F90_COMPLEX ? 2 : 1);
    b->packed += kind == RG_F90_COMPLEX ? 2 * size : size;
    return;
  }
  int *i = rg_mpi_memory(NULL, (size_t)ints * sizeof *i);
  intptr_t *a = rg_mpi_memory(NULL, (size_t)addresses * sizeof *a);
  intptr_t *t = rg_mpi_memory(NULL, (size_t)types * sizeof *t);
  MPI_Type_get_contents(type, ints, addresses, types, i, a, t);
  rg_handle inner = types ? rg_mpi_handle_at(t, 0) : 0;
  ptrdiff_t low = 0, extent = 0;
  if (types)
    MPI_Type_get_extent(inner, &low, &extent);
#define RG_BLOCK(from, count)                                                  \
  for (int rg_k = 0; rg_k < (count); ++rg_k)                                   \
  add_type(b, inner, at + (from) + rg_k * extent, routine)
  switch (kind) {
  case RG_DUP:
  case RG_RESIZED:
    add_type(b, inner, at, routine);
    break;
  case RG_CONTIGUOUS:
    RG_BLOCK(0, i[0]);
    break;
  case RG_VECTOR:
    for (int n = 0; n < i[0]; ++n)
      RG_BLOCK((ptrdiff_t)n * i[2] * extent, i[1]);
    break;
  case RG_HVECTOR_INTEGER:
    for (int n = 0; n < i[0]; ++n)
      RG_BLOCK((ptrdiff_t)n * i[2], i[1]);
    break;
  case RG_HVECTOR:
    for (int n = 0; n < i[0]; ++n)
      RG_BLOCK(n * a[0], i[1]);
    break;
  case RG_INDEXED:
    for (int n = 0; n < i[0]; ++n)
      RG_BLOCK(i[1 + i[0] + n] * extent, i[1 + n]);
    break;
  case RG_HINDEXED_INTEGER:
    for (int n = 0; n < i[0]; ++n)
      RG_BLOCK(i[1 + i[0] + n], i[1 + n]);
    break;
  case RG_HINDEXED:
    for (int n = 0; n < i[0]; ++n)
      RG_BLOCK(a[n], i[1 + n]);
    break;
  case RG_INDEXED_BLOCK:
    for (int n = 0; n < i[0]; ++n)
      RG_BLOCK(i[2 + n] * extent, i[1]);
    break;
  case RG_HINDEXED_BLOCK:
    for (int n = 0; n < i[0]; ++n)
      RG_BLOCK(a[n], i[1]);
    break;
  case RG_STRUCT_INTEGER:
  case RG_STRUCT:
    for (int n = 0; n < i[0]; ++n) {
      inner = rg_mpi_handle_at(t, n);
      MPI_Type_get_extent(inner, &low, &extent);
      RG_BLOCK(kind == RG_STRUCT ? a[n] : i[1 + i[0] + n], i[1 + n]);
    }
    break;
  case RG_SUBARRAY: {
    int dims = i[0], *sizes = i + 1, *parts = sizes + dims,
        *starts = parts + dims;
    int by_rows = i[1 + 3 * dims] == (rg_mpi_is_open() ? 0 : 56);
    int64_t all = 1;
    for (int d = 0; d < dims; ++d)
      all *= parts[d];
    for (int64_t n = 0; n < all; ++n) {
      int64_t rest = n, step = 1, element = 0;
      for (int d = 0; d < dims; ++d) {
        int dim = by_rows ? dims - 1 - d : d;
        element += (starts[dim] + rest % parts[dim]) * step;
        rest /= parts[dim];
        step *= sizes[dim];
      }
      add_type(b, inner, at + element * extent, routine);
    }
    break;
  }
  default:
    rg_mpi_stop(
        routine,
        "a derived datatype made by MPI_Type_create_darray is not known");
  }
#undef RG_BLOCK
  for (int n = 0; n < types; ++n) {
    /* Types that are not MPI's own come as copies, which are ours to free. */
    int x, y, z, k;
    rg_handle copy = rg_mpi_handle_at(t, n);
    MPI_Type_get_envelope(copy, &x, &y, &z, &k);
    k -= !rg_mpi_is_open();
    if (k != RG_NAMED && k != RG_F90_REAL && k != RG_F90_COMPLEX &&
        k != RG_F90_INTEGER) {
      int narrow = (int)copy;
      MPI_Type_free(rg_mpi_is_open() ? (void *)&copy : (void *)&narrow);
    }
  }
  free(i);
  free(a);
  free(t);
}

/* Kept for good: programs have few, and make the same ones again and again.
 * Those that MPI brings along are found by their handles. */
const rg_layout *rg_mpi_layout(rg_handle type, const char *routine) {
  building b = {0};
  ptrdiff_t low, extent;
  rg_mpi_lock();
  for (int i = 0; i < 8; ++i)
    if (rg_mpi_named[i].layout && rg_mpi_named[i].type == type) {
      const rg_layout *known = rg_mpi_named[i].layout;
      rg_mpi_unlock();
      return known;
    }
  rg_mpi_unlock();
  add_type(&b, type, 0, routine);
  MPI_Type_get_extent(type, &low, &extent);
  int size = 0;
  MPI_Type_size(type, &size);
  rg_mpi_lock();
  rg_layout *l = rg_mpi_layouts;
  for (; l; l = l->next)
    if (l->extent == extent && l->size == size && l->runs == b.runs &&
        l->bytes == b.bytes && l->complex == b.complex && l->index == b.index &&
        l->index_at == b.index_at) {
      int same = 1;
      for (int r = 0; r < b.runs; ++r)
        same &= l->run[r].at == b.run[r].at &&
                l->run[r].kind == b.run[r].kind &&
                l->run[r].count == b.run[r].count &&
                l->run[r].packed == b.run[r].packed;
      if (same)
        break;
    }
  if (!l) {
    l = rg_mpi_memory(NULL, sizeof *l + (size_t)b.runs * sizeof *b.run);
    *l = (rg_layout){rg_mpi_layouts, extent,    b.numbers, size,      b.runs,
                     b.bytes,        b.complex, b.index,   b.index_at,
                     0,              0,         0,       0};
    if (b.runs)
      memcpy(l->run, b.run, (size_t)b.runs * sizeof *b.run);
    rg_mpi_layouts = l;
  }
  int x, y, z, kind;
  MPI_Type_get_envelope(type, &x, &y, &z, &kind);
  if (kind - !rg_mpi_is_open() == RG_NAMED) {
    rg_mpi_named[rg_mpi_next_named % 8].type = type;
    rg_mpi_named[rg_mpi_next_named++ % 8].layout = l;
  }
  rg_mpi_unlock();
  free(b.run);
  return l;
}

/*===- Bytes -------------------------------------------------------------===*/

/* What the compiler knows of the bytes that the next routine is given, as text:
 * how many bytes, and behind them, again and again; then kind, place and count
 * of each run; a '?' where it does not know; a '!' where marks tell of more, and
 * another one where nothing else does. Null: it says nothing. */
_Thread_local const char *rg_mpi_told[2];
void rg_mpi_bytes_are(uint64_t which, const char *what) {
  rg_mpi_told[which] = what;
}

struct rg_mpi_description {
  struct rg_mpi_description *next;
  const char *text;
  rg_layout *layout;
} *rg_mpi_descriptions;

int64_t rg_mpi_bytes_of(int kind) {
  static const ptrdiff_t size[] = {sizeof(double), sizeof(float),
                                   sizeof(long double), 8, 1};
  return size[kind];
}
static ptrdiff_t size_of(int kind) { return rg_mpi_bytes_of(kind); }

static const rg_layout *described(const char *text) {
  rg_mpi_lock();
  for (struct rg_mpi_description *d = rg_mpi_descriptions; d; d = d->next)
    if (d->text == text) {
      rg_mpi_unlock();
      return d->layout;
    }
  int runs = 0;
  for (const char *p = text; *p; ++p)
    runs += *p == ';';
  rg_layout *l =
      rg_mpi_memory(NULL, sizeof *l + (size_t)runs * sizeof l->run[0]);
  *l = (rg_layout){.extent = 1, .size = 1, .numbers = 1, .by_words = 1};
  char *p;
  l->period = strtol(text, &p, 10);
  for (; *p == ';'; ++l->runs) {
    rg_run *r = &l->run[l->runs];
    r->kind = (int)strtol(p + 1, &p, 10);
    r->at = strtol(p, &p, 10);
    r->count = (int)strtol(p, &p, 10);
    r->packed = r->at;
    l->by_words &= (r->kind == RG_KIND_DOUBLE || r->kind == RG_KIND_WORD ||
                    r->kind == RG_KIND_RAW) &&
                   r->at % 8 == 0;
  }
  l->by_words &= l->period % 8 == 0;
  l->bytes = *p == '?';
  l->marked = *p == '!';
  l->strict = l->marked && p[1] == '!';
  struct rg_mpi_description *d = rg_mpi_memory(NULL, sizeof *d);
  *d = (struct rg_mpi_description){rg_mpi_descriptions, text, l};
  rg_mpi_descriptions = d;
  rg_mpi_unlock();
  return l;
}

const rg_layout *rg_mpi_layout_of_buffer(rg_handle type, const char *routine,
                                         int which, int *count) {
  const rg_layout *l = rg_mpi_layout(type, routine);
  if (!l->bytes || l->numbers || l->size != l->extent || !rg_mpi_told[which] ||
      (!count && l->size != 1))
    return l;
  int64_t bytes = count ? (int64_t)*count * l->size : 0;
  if (bytes > INT32_MAX)
    rg_mpi_stop(routine, "%lld bytes are too many for one message",
                (long long)bytes);
  if (count)
    *count = (int)bytes;
  const char *told = rg_mpi_told[which];
  return described(l->bytes == 2 && told[strlen(told) - 1] == '?' ? "1!!" : told);
}

/* As doubles, addresses would be numbers that are too small to count. */
static int is_address(const char *at) {
  uint64_t word;
  memcpy(&word, at, sizeof word);
  return word && word < (uint64_t)1 << 48;
}

static void add_beside_others(void *to, double more, int kind);
extern int omp_in_parallel(void) __attribute__((weak));

void rg_mpi_one(int what, int kind, char *at, char *image, int others) {
  const size_t size = (size_t)size_of(kind);
  if (kind == RG_KIND_WORD) {
    if (is_address(at)) {
      if (what == RG_TAKE)
        memset(image, 0, size);
      return;
    }
    kind = RG_KIND_DOUBLE;
  }
  double d, e;
  float f, g;
  long double m, n;
  switch (what) {
  case RG_TAKE:
    memcpy(image, at, size);
    return;
  case RG_CLEAR:
    memset(at, 0, size);
    return;
  case RG_PUT:
    memcpy(at, image, size);
    return;
  }
  switch (kind) {
  case RG_KIND_DOUBLE:
    memcpy(&d, image, size);
    memcpy(&e, at, size);
    e += d;
    if (others)
      add_beside_others(at, d, kind);
    else
      memcpy(at, &e, size);
    return;
  case RG_KIND_FLOAT:
    memcpy(&f, image, size);
    memcpy(&g, at, size);
    g += f;
    if (others)
      add_beside_others(at, (double)f, kind);
    else
      memcpy(at, &g, size);
    return;
  case RG_KIND_LONG_DOUBLE:
    memcpy(&m, image, size);
    memcpy(&n, at, size);
    n += m;
    memcpy(at, &n, size);
    return;
  }
}

int rg_mpi_beside_others(void) { return omp_in_parallel && omp_in_parallel(); }

/* Each number among some bytes. A message ends behind a number. */
static void do_all(int what, const rg_layout *l, char *at, int64_t bytes,
                   char *image) {
  const int others = what == RG_ADD && rg_mpi_beside_others();
  if (l->runs && l->run[0].kind == RG_KIND_RAW) {
    if (what == RG_CLEAR)
      memset(at, 0, (size_t)bytes);
    else
      memcpy(what == RG_TAKE ? image : at, what == RG_TAKE ? at : image,
             (size_t)bytes);
    return;
  }
  for (int64_t from = 0; from < bytes; from += l->period)
    for (int r = 0; r < l->runs; ++r) {
      const int kind = l->run[r].kind;
      const ptrdiff_t size = size_of(kind);
      for (int i = 0; i < l->run[r].count; ++i) {
        const int64_t place = from + l->run[r].at + i * size;
        if (place + size > bytes) {
          if (place < bytes && kind != RG_KIND_WORD)
            rg_mpi_stop("a message of bytes", "it ends within a number");
          break;
        }
        rg_mpi_one(what, kind, at + place, image + place, others);
      }
    }
}

/*===- Numbers of a layout -----------------------------------------------===*/

/* All in one piece, without gaps. */
static int is_plain(const rg_layout *l) {
  return !l->period && l->runs == 1 && l->run[0].kind == RG_KIND_DOUBLE &&
         l->run[0].at == 0 &&
         l->extent == l->numbers * (ptrdiff_t)sizeof(double);
}

/* The numbers in a buffer, as doubles; returns where they end. */
double *rg_mpi_pack(const rg_layout *l, const void *from, int count,
                    double *to) {
  if (l->period) {
    const int64_t n = rg_mpi_numbers(l, count);
    memset(to, 0, (size_t)n * sizeof *to);
    do_all(RG_TAKE, l, (char *)(uintptr_t)from, count, (char *)to);
    return to + n;
  }
  if (is_plain(l)) {
    size_t n = (size_t)count * (size_t)l->numbers;
    memcpy(to, from, n * sizeof *to);
    return to + n;
  }
  const char *base = from;
  for (int e = 0; e < count; ++e, base += l->extent)
    for (int r = 0; r < l->runs; ++r) {
      const void *p = base + l->run[r].at;
      int n = l->run[r].count;
      if (l->run[r].kind == RG_KIND_DOUBLE)
        for (int i = 0; i < n; ++i)
          *to++ = ((const double *)p)[i];
      else if (l->run[r].kind == RG_KIND_FLOAT)
        for (int i = 0; i < n; ++i)
          *to++ = (double)((const float *)p)[i];
      else
        for (int i = 0; i < n; ++i)
          *to++ = (double)((const long double *)p)[i];
    }
  return to;
}

void rg_mpi_zero(const rg_layout *l, void *at, int count) {
  char *base = at;
  if (l->period) {
    do_all(RG_CLEAR, l, at, count, NULL);
    return;
  }
  for (int e = 0; e < count; ++e, base += l->extent)
    for (int r = 0; r < l->runs; ++r) {
      void *p = base + l->run[r].at;
      int n = l->run[r].count;
      if (l->run[r].kind == RG_KIND_DOUBLE)
        for (int i = 0; i < n; ++i)
          ((double *)p)[i] = 0;
      else if (l->run[r].kind == RG_KIND_FLOAT)
        for (int i = 0; i < n; ++i)
          ((float *)p)[i] = 0;
      else
        for (int i = 0; i < n; ++i)
          ((long double *)p)[i] = 0;
    }
}

/* In a region of OpenMP the other threads may add to the same places. */
static void add_beside_others(void *to, double more, int kind) {
  uint64_t was, will;
  uint32_t was4, will4;
  double sum;
  float sum4;
  if (kind == RG_KIND_DOUBLE) {
    was = __atomic_load_n((uint64_t *)to, __ATOMIC_RELAXED);
    do {
      memcpy(&sum, &was, sizeof sum);
      sum += more;
      memcpy(&will, &sum, sizeof sum);
    } while (!__atomic_compare_exchange_n((uint64_t *)to, &was, will, 1,
                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return;
  }
  was4 = __atomic_load_n((uint32_t *)to, __ATOMIC_RELAXED);
  do {
    memcpy(&sum4, &was4, sizeof sum4);
    sum4 = (float)((double)sum4 + more);
    memcpy(&will4, &sum4, sizeof sum4);
  } while (!__atomic_compare_exchange_n((uint32_t *)to, &was4, will4, 1,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

/* The other way: added to what is there, or in its place. */
const double *rg_mpi_unpack(const rg_layout *l, void *to, int count,
                            const double *from, int add) {
  char *base = to;
  if (l->period) {
    do_all(add ? RG_ADD : RG_PUT, l, to, count, (char *)(uintptr_t)from);
    return from + rg_mpi_numbers(l, count);
  }
  const int others = add && omp_in_parallel && omp_in_parallel();
  for (int e = 0; e < count; ++e, base += l->extent)
    for (int r = 0; r < l->runs; ++r) {
      void *p = base + l->run[r].at;
      int n = l->run[r].count, kind = l->run[r].kind;
      if (others && kind != RG_KIND_LONG_DOUBLE)
        for (int i = 0; i < n; ++i)
          add_beside_others((char *)p + (size_t)i * (kind == RG_KIND_DOUBLE ? 8 : 4),
                            *from++, kind);
      else if (kind == RG_KIND_DOUBLE)
        for (int i = 0; i < n; ++i)
          ((double *)p)[i] = (add ? ((double *)p)[i] : 0) + *from++;
      else if (kind == RG_KIND_FLOAT)
        for (int i = 0; i < n; ++i)
          ((float *)p)[i] =
              (float)((add ? (double)((float *)p)[i] : 0) + *from++);
      else
        for (int i = 0; i < n; ++i)
          ((long double *)p)[i] = (add ? ((long double *)p)[i] : 0) + *from++;
    }
  return from;
}

/*===- Communicators -----------------------------------------------------===*/

static int no_copy(rg_handle comm, int key, void *state, void *in, void *out,
                   int *flag) {
  (void)comm, (void)key, (void)state, (void)in, (void)out;
  *flag = 0;
  return 0;
}

/* The communicator is freed; MPI_COMM_SELF is by MPI_Finalize, before anything
 * else happens there. */
static int drop(rg_handle comm, int key, void *value, void *state) {
  (void)comm, (void)key, (void)state;
  rg_comm *c = value;
  if (c->handle == RG_COMM_SELF) {
    rg_mpi_finish_sends();
    if (rg_mpi_world_channel) {
      int narrow = (int)rg_mpi_world_channel;
      MPI_Comm_free(rg_mpi_is_open() ? (void *)&rg_mpi_world_channel
                                     : (void *)&narrow);
      rg_mpi_world_channel = 0;
    }
  }
  while (c->streams) {
    rg_stream *next = c->streams->next;
    free(c->streams);
    c->streams = next;
  }
  free(c);
  return 0;
}

static rg_comm *attach(rg_handle handle) {
  rg_comm *c = rg_mpi_memory(NULL, sizeof *c);
  memset(c, 0, sizeof *c);
  c->handle = handle;
  c->unsettled_end = &c->unsettled;
  MPI_Comm_rank(handle, &c->rank);
  MPI_Comm_size(handle, &c->size);
  int *most = NULL, found = 0;
  MPI_Comm_get_attr(RG_COMM_WORLD, RG_TAG_UB, &most, &found);
  c->tags = found ? *most : 32767;
  c->channel = handle;
  if (handle == RG_COMM_WORLD && rg_mpi_world_channel) {
    c->channel = rg_mpi_world_channel;
  } else {
    c->tags /= 2;
    c->shift = c->tags + 1;
  }
  MPI_Comm_set_attr(handle, rg_mpi_keyval, c);
  return c;
}

rg_comm *rg_mpi_comm(rg_handle handle) {
  void *c = NULL;
  int found = 0;
  rg_mpi_lock();
  if (!rg_mpi_has_keyval) {
    MPI_Comm_create_keyval((void *)no_copy, (void *)drop, &rg_mpi_keyval, NULL);
    rg_mpi_has_keyval = 1;
    attach(RG_COMM_SELF);
  }
  MPI_Comm_get_attr(handle, rg_mpi_keyval, &c, &found);
  if (!found)
    c = attach(handle);
  rg_mpi_unlock();
  return c;
}

/* All processes are here: the only place where they surely are. Whoever starts
 * MPI elsewhere (in a library, in Python) has packets on MPI_COMM_WORLD itself,
 * with tags of their own. */
static void separate(void) {
  int ready = 0;
  MPI_Initialized(&ready);
  if (!ready || rg_mpi_world_channel)
    return;
  intptr_t copy = 0;
  MPI_Comm_dup(RG_COMM_WORLD, &copy);
  rg_mpi_world_channel = rg_mpi_handle_at(&copy, 0);
  rg_mpi_comm(RG_COMM_WORLD);
}
__attribute__((noinline)) int MPI_Init(void *argc, void *argv) {
  int result = PMPI_Init(argc, argv);
  separate();
  return result;
}
__attribute__((noinline)) int MPI_Init_thread(void *argc, void *argv,
                                              int wanted, int *given) {
  int result = PMPI_Init_thread(argc, argv, wanted, given);
  separate();
  return result;
}
__attribute__((noinline)) void mpi_init_(int *error) {
  pmpi_init_(error);
  separate();
}
__attribute__((noinline)) void mpi_init_thread_(const int *wanted, int *given,
                                                int *error) {
  pmpi_init_thread_(wanted, given, error);
  separate();
}

static void free_later(rg_handle comm) {
  struct rg_mpi_freed *f = rg_mpi_memory(NULL, sizeof *f);
  f->comm = comm;
  rg_mpi_lock();
  f->next = rg_mpi_freed_comms;
  rg_mpi_freed_comms = f;
  rg_mpi_unlock();
}
static void free_comm(rg_handle comm) {
  int narrow = (int)comm;
  MPI_Comm_free(rg_mpi_is_open() ? (void *)&comm : (void *)&narrow);
}

/* MPI_Comm_free: the reverse sweep still needs it. */
void *rg_mpi_comm_free(rg_arena *arena, uint64_t lanes, void *comm,
                       int *result) {
  (void)lanes;
  if (!arena) {
    *result = MPI_Comm_free(comm);
    return NULL;
  }
  free_later(rg_mpi_handle_at(comm, 0));
  extern char ompi_mpi_comm_null[] __attribute__((weak));
  if (rg_mpi_is_open())
    *(intptr_t *)comm = (intptr_t)ompi_mpi_comm_null;
  else
    *(int *)comm = 0x04000000;
  *result = 0;
  return NULL;
}

static void free_comms(void) {
  struct rg_mpi_freed *list = rg_mpi_freed_comms, *first = NULL;
  rg_mpi_freed_comms = NULL;
  while (list) { /* in the order of the program */
    struct rg_mpi_freed *next = list->next;
    list->next = first;
    first = list;
    list = next;
  }
  while (first) {
    struct rg_mpi_freed *next = first->next;
    free_comm(first->comm);
    free(first);
    first = next;
  }
}

/*===- Sends that nobody waits for ---------------------------------------===*/

void rg_mpi_send_later(rg_comm *comm, int peer, int tag, void *packet,
                       size_t bytes) {
  struct rg_mpi_sending *s = rg_mpi_memory(NULL, sizeof *s);
  s->request = 0;
  s->packet = packet;
  if (bytes > INT32_MAX)
    rg_mpi_stop(
        "a message",
        "%zu bytes, to rank %d with tag %d, are too many for one message",
        bytes, peer, tag);
  MPI_Isend(packet, (int)bytes, RG_BYTE, peer, tag, comm->channel, &s->request);
  rg_mpi_lock();
  s->next = rg_mpi_sendings;
  rg_mpi_sendings = s;
  /* Those that are through need no memory any more. */
  for (struct rg_mpi_sending **at = &s->next; *at;) {
    struct rg_mpi_sending *old = *at;
    int done = 0;
    rg_status status;
    MPI_Test(&old->request, &done, &status);
    if (!done) {
      at = &old->next;
      continue;
    }
    *at = old->next;
    free(old->packet);
    free(old);
  }
  rg_mpi_unlock();
}

void rg_mpi_finish_sends(void) {
  rg_mpi_lock();
  struct rg_mpi_sending *s = rg_mpi_sendings;
  rg_mpi_sendings = NULL;
  rg_mpi_unlock();
  while (s) {
    struct rg_mpi_sending *next = s->next;
    rg_status status;
    MPI_Wait(&s->request, &status);
    free(s->packet);
    free(s);
    s = next;
  }
}

/*===- The reverse sweep -------------------------------------------------===*/

/* One more thing to undo. */
void rg_mpi_opened(void) {
  rg_mpi_lock();
  ++rg_mpi_undone_later;
  rg_mpi_unlock();
}

__attribute__((noinline)) void rg_mpi_reverse(void *tape) {
  if (!tape)
    return;
  rg_undo *undo = tape;
  undo->reverse(undo);
  rg_mpi_lock();
  int last = --rg_mpi_undone_later <= 0; /* a tape may be reversed again */
  if (last)
    rg_mpi_undone_later = 0;
  rg_mpi_unlock();
  if (last) {
    rg_mpi_finish_sends();
    free_comms();
  }
}

/*===- Requests ----------------------------------------------------------===*/

_Thread_local uint64_t rg_mpi_made;

static rg_open **bucket(rg_handle request) {
  uintptr_t h = (uintptr_t)request;
  return &rg_mpi_requests[(h ^ (h >> 4) ^ (h >> 14)) % 1024];
}

/* The request that a routine has just made. */
rg_open *rg_mpi_track(const void *request) {
  rg_handle handle = rg_mpi_handle_at(request, 0);
  if (handle == RG_REQUEST_NULL)
    return NULL;
  rg_open *o = rg_mpi_memory(NULL, sizeof *o);
  memset(o, 0, sizeof *o);
  o->request = handle;
  o->thread = &rg_mpi_depth;
  o->serial = rg_mpi_made++;
  rg_mpi_lock();
  rg_open **at = bucket(handle);
  while (*at) {
    rg_open *old = *at;
    /* Freed without our knowing; another thread may be about to finish its own. */
    if (old->request == handle && !old->work && old->thread == o->thread) {
      *at = old->next;
      free(old);
    } else {
      at = &old->next;
    }
  }
  *at = o;
  rg_mpi_unlock();
  return o;
}

/* The first operation of this thread that the request stands for; if there is none, of
 * another thread. As soon as a request is complete, another thread may get it for
 * something else. */
static rg_open *first_of(rg_handle request) {
  rg_open *other = NULL;
  for (rg_open *o = *bucket(request); o; o = o->next) {
    if (o->request != request)
      continue;
    if (o->thread == &rg_mpi_depth)
      return o;
    if (!other)
      other = o;
  }
  return other;
}

/* What a request stands for: operations of one thread. What is complete when it starts may
 * get a request that others have, too (MPICH: small sends, all of one rank). */
typedef struct standing {
  rg_handle request;
  const uint64_t *thread;
  int count;
} standing;
static standing standing_of(rg_handle request) {
  standing s = {request, NULL, 0};
  rg_mpi_lock();
  const rg_open *first = first_of(request);
  for (const rg_open *o = first; o; o = o->next)
    s.count += o->request == request && o->thread == first->thread;
  if (first)
    s.thread = first->thread;
  rg_mpi_unlock();
  return s;
}
/* The first that is left of it. */
static rg_open *left_of(const standing *s) {
  rg_mpi_lock();
  rg_open *o = *bucket(s->request);
  while (o && !(o->request == s->request && o->thread == s->thread))
    o = o->next;
  rg_mpi_unlock();
  return o;
}

rg_open *rg_mpi_find(rg_handle request) {
  rg_mpi_lock();
  rg_open *o = first_of(request);
  rg_mpi_unlock();
  return o;
}

void rg_mpi_forget(rg_open *o) {
  rg_mpi_lock();
  rg_open **at = bucket(o->request);
  while (*at && *at != o)
    at = &(*at)->next;
  if (*at) {
    *at = o->next;
    free(o);
  }
  rg_mpi_unlock();
}

/* Derivatives that are running. Not static: routines are linked into a module one
 * by one, and share it. */
_Thread_local uint64_t rg_mpi_depth;
uint64_t rg_mpi_begin(void) { return rg_mpi_depth++; }
/* Shadows of a derivative that has ended are gone: so are persistent requests that
 * it made, for others. */
void rg_mpi_end(uint64_t depth) {
  rg_open *gone = NULL;
  rg_mpi_depth = depth;
  rg_mpi_lock();
  for (unsigned i = 0; i < 1024; ++i)
    for (rg_open **at = &rg_mpi_requests[i]; *at;) {
      rg_open *o = *at;
      if (!o->persistent || o->thread != &rg_mpi_depth || o->depth <= depth) {
        at = &o->next;
        continue;
      }
      *at = o->next;
      /* In the order in which they were made, which is that of all ranks. */
      rg_open **place = &gone;
      while (*place && (*place)->serial < o->serial)
        place = &(*place)->next;
      o->next = *place;
      *place = o;
    }
  const int undone = !rg_mpi_undone_later;
  rg_mpi_unlock();
  while (gone) {
    rg_open *next = gone->next;
    if (gone->comm && undone)
      free_comm(gone->comm);
    else if (gone->comm)
      free_later(gone->comm);
    if (gone->own)
      rg_mpi_own_leave((gone->own - 1) % 1024);
    free(gone->what);
    free(gone);
    gone = next;
  }
}

/* What was completed by one call, to be undone in the opposite order. */
typedef struct completed {
  rg_undo head;
  int count;
  struct {
    void (*undo)(rg_undo *work);
    rg_undo *work;
  } each[];
} completed;

static void undo_completed(void *tape) {
  completed *c = tape;
  for (int i = c->count; i-- > 0;)
    c->each[i].undo(c->each[i].work);
}

/* What a call is about to complete: the handles, and room for all statuses. */
typedef struct completing {
  rg_arena *arena;
  completed *done;
  standing *request;
  char *statuses;
  int room, own;
  int arrived; /* receives whose tangents come now */
  struct {
    void (*arrive)(rg_undo *work);
    rg_undo *work;
  } *arrival;
} completing;

static completing begin(rg_arena *arena, int count, const void *requests,
                        void *statuses) {
  completing c = {0};
  c.arena = arena;
  c.request = rg_mpi_memory(NULL, (size_t)count * sizeof *c.request);
  for (int i = 0; i < count; ++i) {
    c.request[i] = standing_of(rg_mpi_handle_at(requests, i));
    c.room += c.request[i].count;
  }
  c.own = rg_mpi_ignores(statuses);
  if (!arena)
    c.arrival = rg_mpi_memory(NULL, (size_t)c.room * sizeof *c.arrival);
  c.statuses =
      c.own ? rg_mpi_memory(NULL, (size_t)count * sizeof(rg_status)) : statuses;
  return c;
}

/* An operation that request i stands for is complete; its status is the s-th. */
static void finish_one(completing *c, rg_open *o, int s) {
  rg_undo *work = o->work;
  if (!work)
    return;
  rg_status status;
  memcpy(&status, c->statuses + (size_t)s * rg_mpi_status_bytes(),
         rg_mpi_status_bytes());
  o->work = NULL;
  if (c->arena && !c->done) {
    c->done = rg_mpi_memory(c->arena,
                            sizeof *c->done +
                                (size_t)c->room * sizeof c->done->each[0]);
    c->done->head.reverse = undo_completed;
    c->done->count = 0;
    rg_mpi_opened();
  }
  if (c->arena) {
    c->done->each[c->done->count].undo = o->undo;
    c->done->each[c->done->count++].work = work;
  }
  if (o->own)
    rg_mpi_own_complete(o->own - 1);
  o->complete(work, &status);
  if (!c->arena) {
    c->arrival[c->arrived].arrive = o->arrive;
    c->arrival[c->arrived++].work = work;
  }
}

/* Request i is complete. So is all else that it stands for: it was when it started,
 * and nobody looks at its memory before he has waited for it. */
static void finish(completing *c, int i, int s) {
  rg_open *o;
  for (int left = c->request[i].count; left > 0 && (o = left_of(&c->request[i])); --left) {
    finish_one(c, o, s);
    if (o->persistent)
      return;
    rg_mpi_forget(o);
  }
}

static void *end(completing *c) {
  for (int i = 0; i < c->arrived; ++i)
    c->arrival[i].arrive(c->arrival[i].work);
  free(c->arrival);
  free(c->request);
  if (c->own)
    free(c->statuses);
  return c->done;
}

void *rg_mpi_wait(rg_arena *arena, uint64_t lanes, void *request, void *status,
                  int *result) {
  (void)lanes;
  completing c = begin(arena, 1, request, status);
  *result = MPI_Wait(request, c.statuses);
  finish(&c, 0, 0);
  return end(&c);
}
void *rg_mpi_waitall(rg_arena *arena, uint64_t lanes, int count, void *requests,
                     void *statuses, int *result) {
  (void)lanes;
  completing c = begin(arena, count, requests, statuses);
  *result = MPI_Waitall(count, requests, c.statuses);
  for (int i = 0; i < count; ++i)
    finish(&c, i, i);
  return end(&c);
}
void *rg_mpi_waitany(rg_arena *arena, uint64_t lanes, int count, void *requests,
                     int *which, void *status, int *result) {
  (void)lanes;
  completing c = begin(arena, count, requests, status);
  *result = MPI_Waitany(count, requests, which, c.statuses);
  if (*which != RG_UNDEFINED)
    finish(&c, *which, 0);
  return end(&c);
}
void *rg_mpi_waitsome(rg_arena *arena, uint64_t lanes, int count,
                      void *requests, int *many, int *which, void *statuses,
                      int *result) {
  (void)lanes;
  completing c = begin(arena, count, requests, statuses);
  *result = MPI_Waitsome(count, requests, many, which, c.statuses);
  for (int i = 0; *many != RG_UNDEFINED && i < *many; ++i)
    finish(&c, which[i], i);
  return end(&c);
}
void *rg_mpi_test(rg_arena *arena, uint64_t lanes, void *request, int *flag,
                  void *status, int *result) {
  (void)lanes;
  completing c = begin(arena, 1, request, status);
  *result = MPI_Test(request, flag, c.statuses);
  if (*flag)
    finish(&c, 0, 0);
  return end(&c);
}
void *rg_mpi_testall(rg_arena *arena, uint64_t lanes, int count, void *requests,
                     int *flag, void *statuses, int *result) {
  (void)lanes;
  completing c = begin(arena, count, requests, statuses);
  *result = MPI_Testall(count, requests, flag, c.statuses);
  for (int i = 0; *flag && i < count; ++i)
    finish(&c, i, i);
  return end(&c);
}
void *rg_mpi_testany(rg_arena *arena, uint64_t lanes, int count, void *requests,
                     int *which, int *flag, void *status, int *result) {
  (void)lanes;
  completing c = begin(arena, count, requests, status);
  *result = MPI_Testany(count, requests, which, flag, c.statuses);
  if (*flag && *which != RG_UNDEFINED)
    finish(&c, *which, 0);
  return end(&c);
}
void *rg_mpi_testsome(rg_arena *arena, uint64_t lanes, int count,
                      void *requests, int *many, int *which, void *statuses,
                      int *result) {
  (void)lanes;
  completing c = begin(arena, count, requests, statuses);
  *result = MPI_Testsome(count, requests, many, which, c.statuses);
  for (int i = 0; *many != RG_UNDEFINED && i < *many; ++i)
    finish(&c, which[i], i);
  return end(&c);
}

/* What is started again and again. */
static int start(rg_arena *arena, rg_handle request) {
  rg_open *o = rg_mpi_find(request);
  if (!o)
    rg_mpi_stop("MPI_Start", "the request was not made by this derivative, so that nothing tells the shadow of its "
                             "buffer: make it (MPI_Send_init, MPI_Recv_init) in the differentiated function");
  if (!o->start)
    return 0;
  o->work = o->start(arena, o->what);
  return o->work != NULL;
}
/* Undone by the reverse of each message. */
static void undo_start(void *tape) {
  completed *c = tape;
  for (int i = c->count; i-- > 0;)
    c->each[i].work->reverse(c->each[i].work);
}
void *rg_mpi_startall(rg_arena *arena, uint64_t lanes, int count,
                      void *requests, int *result) {
  (void)lanes;
  completed *c = NULL;
  for (int i = 0; i < count; ++i) {
    rg_handle request = rg_mpi_handle_at(requests, i);
    if (!start(arena, request) || !arena)
      continue;
    if (!c) {
      c = rg_mpi_memory(arena, sizeof *c + (size_t)count * sizeof c->each[0]);
      c->head.reverse = undo_start;
      c->count = 0;
      rg_mpi_opened();
    }
    c->each[c->count++].work = rg_mpi_find(request)->work;
  }
  *result = MPI_Startall(count, requests);
  return c;
}
void *rg_mpi_start(rg_arena *arena, uint64_t lanes, void *request,
                   int *result) {
  return rg_mpi_startall(arena, lanes, 1, request, result);
}

/* A buffer of a message whose pointer may be its own shadow, of memory without
 * one (constant.c): in front of what it sends, behind what it brings. */
void rg_mpi_watch(char *p, char *shadow, int count, rg_handle type,
                  int brings, int which, const char *routine) {
  if (!p || p == RG_IN_PLACE || (p != shadow && !rg_constant_any()))
    return;
  const rg_layout *l = rg_mpi_layout_of_buffer(type, routine, which, &count);
  if (l->marked && brings)
    rg_constant_store(p, shadow, (uint64_t)count, routine);
  else if (l->marked)
    rg_constant_load(p, (uint64_t)count, routine);
  const ptrdiff_t step = l->period ? l->period : l->extent;
  const int64_t rounds = l->period ? count / l->period : count;
  for (int64_t i = 0; l->numbers && i < rounds; ++i)
    for (int k = 0; k < l->runs; ++k) {
      const rg_run *r = &l->run[k];
      uint64_t bytes = (uint64_t)(r->count * size_of(r->kind));
      ptrdiff_t at = i * step + r->at;
      if (brings)
        rg_constant_store(p + at, shadow + at, bytes, routine);
      else
        rg_constant_load(p + at, bytes, routine);
    }
}

/* A send that nobody will wait for is complete at some time; so are its
 * adjoints. */
void *rg_mpi_request_free(rg_arena *arena, uint64_t lanes, void *request,
                          int *result) {
  (void)lanes;
  rg_handle handle = rg_mpi_handle_at(request, 0);
  rg_open *o = rg_mpi_find(handle);
  completing c = {0};
  if (o && o->work) {
    rg_status status = {{0}};
    c = begin(arena, 1, request, &status);
    finish(&c, 0, 0);
    end(&c);
    o = rg_mpi_find(handle); /* only persistent ones are still there */
  }
  if (o) {
    if (o->comm && arena)
      free_later(o->comm);
    else if (o->comm)
      free_comm(o->comm);
    free(o->persistent ? o->what : NULL);
    rg_mpi_forget(o);
  }
  *result = MPI_Request_free(request);
  return c.done;
}
