/*===- messages-groups.c - collective routines ----------------------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* A collective routine is a linear map L of the numbers that all ranks put in
|* to those that all ranks get out, or, for reductions other than sums, one at
|* the values that were put in. Tangents go through L, adjoints through its
|* transpose:
|*
|*   broadcast    sum at the root        sum              broadcast
|*   gather       scatter                sum for all      the same
|*   scatter      gather                 all to all       the same, back
|*   for all      sum, scattered         sum, scattered   gather for all
|*   neighbours   all to all, back
|*
|* Products, minima, maxima and scans gather what was put in and the adjoints,
|* and each rank takes its part.
|*
|* What goes to neighbours of a topology has a block per edge, and not per rank:
|* one rank may be several neighbours (a periodic dimension of one or two
|* ranks). Which edge of the sender ends in which place of the receiver,
|* libraries do not agree on; so the numbers of the edges go the same way first.
|*
|* All are started without waiting, tangents beside the primal and adjoints in
|* the opposite order of the primal starts, which is the same on all ranks
|* whatever they wait for. So adjoints can neither be mistaken for each other
|* nor wait for each other in a circle.
\*===------------------------------------------------------------------------===*/
#include "messages.h"
#include <stdlib.h>
#include <string.h>

int MPI_Bcast(void *, int, rg_handle, int, rg_handle);
int MPI_Reduce(const void *, void *, int, rg_handle, rg_handle, int, rg_handle);
int MPI_Allreduce(const void *, void *, int, rg_handle, rg_handle, rg_handle);
int MPI_Gather(const void *, int, rg_handle, void *, int, rg_handle, int,
               rg_handle);
int MPI_Gatherv(const void *, int, rg_handle, void *, const int *, const int *,
                rg_handle, int, rg_handle);
int MPI_Scatter(const void *, int, rg_handle, void *, int, rg_handle, int,
                rg_handle);
int MPI_Scatterv(const void *, const int *, const int *, rg_handle, void *, int,
                 rg_handle, int, rg_handle);
int MPI_Allgather(const void *, int, rg_handle, void *, int, rg_handle,
                  rg_handle);
int MPI_Allgatherv(const void *, int, rg_handle, void *, const int *,
                   const int *, rg_handle, rg_handle);
int MPI_Alltoall(const void *, int, rg_handle, void *, int, rg_handle,
                 rg_handle);
int MPI_Alltoallv(const void *, const int *, const int *, rg_handle, void *,
                  const int *, const int *, rg_handle, rg_handle);
int MPI_Reduce_scatter(const void *, void *, const int *, rg_handle, rg_handle,
                       rg_handle);
int MPI_Reduce_scatter_block(const void *, void *, int, rg_handle, rg_handle,
                             rg_handle);
int MPI_Scan(const void *, void *, int, rg_handle, rg_handle, rg_handle);
int MPI_Exscan(const void *, void *, int, rg_handle, rg_handle, rg_handle);
int MPI_Neighbor_allgather(const void *, int, rg_handle, void *, int, rg_handle,
                           rg_handle);
int MPI_Neighbor_allgatherv(const void *, int, rg_handle, void *, const int *,
                            const int *, rg_handle, rg_handle);
int MPI_Neighbor_alltoall(const void *, int, rg_handle, void *, int, rg_handle,
                          rg_handle);
int MPI_Neighbor_alltoallv(const void *, const int *, const int *, rg_handle,
                           void *, const int *, const int *, rg_handle,
                           rg_handle);
int MPI_Ineighbor_allgather(const void *, int, rg_handle, void *, int,
                            rg_handle, rg_handle, void *);
int MPI_Ineighbor_allgatherv(const void *, int, rg_handle, void *, const int *,
                             const int *, rg_handle, rg_handle, void *);
int MPI_Ineighbor_alltoall(const void *, int, rg_handle, void *, int, rg_handle,
                           rg_handle, void *);
int MPI_Ineighbor_alltoallv(const void *, const int *, const int *, rg_handle,
                            void *, const int *, const int *, rg_handle,
                            rg_handle, void *);
int MPI_Topo_test(rg_handle, int *);
int MPI_Cartdim_get(rg_handle, int *);
int MPI_Cart_shift(rg_handle, int, int, int *, int *);
int MPI_Graph_neighbors_count(rg_handle, int, int *);
int MPI_Graph_neighbors(rg_handle, int, int, int *);
int MPI_Dist_graph_neighbors_count(rg_handle, int *, int *, int *);
int MPI_Dist_graph_neighbors(rg_handle, int, int *, int *, int, int *, int *);
int MPI_Ibcast(void *, int, rg_handle, int, rg_handle, void *);
int MPI_Ireduce(const void *, void *, int, rg_handle, rg_handle, int, rg_handle,
                void *);
int MPI_Iallreduce(const void *, void *, int, rg_handle, rg_handle, rg_handle,
                   void *);
int MPI_Igather(const void *, int, rg_handle, void *, int, rg_handle, int,
                rg_handle, void *);
int MPI_Igatherv(const void *, int, rg_handle, void *, const int *, const int *,
                 rg_handle, int, rg_handle, void *);
int MPI_Iscatter(const void *, int, rg_handle, void *, int, rg_handle, int,
                 rg_handle, void *);
int MPI_Iscatterv(const void *, const int *, const int *, rg_handle, void *,
                  int, rg_handle, int, rg_handle, void *);
int MPI_Iallgather(const void *, int, rg_handle, void *, int, rg_handle,
                   rg_handle, void *);
int MPI_Iallgatherv(const void *, int, rg_handle, void *, const int *,
                    const int *, rg_handle, rg_handle, void *);
int MPI_Ialltoall(const void *, int, rg_handle, void *, int, rg_handle,
                  rg_handle, void *);
int MPI_Ialltoallv(const void *, const int *, const int *, rg_handle, void *,
                   const int *, const int *, rg_handle, rg_handle, void *);
int MPI_Ireduce_scatter(const void *, void *, const int *, rg_handle, rg_handle,
                        rg_handle, void *);
int MPI_Ireduce_scatter_block(const void *, void *, int, rg_handle, rg_handle,
                              rg_handle, void *);
int MPI_Iscan(const void *, void *, int, rg_handle, rg_handle, rg_handle,
              void *);
int MPI_Iexscan(const void *, void *, int, rg_handle, rg_handle, rg_handle,
                void *);

/* MPI 4 names them MPI_*, Open MPI 4 MPIX_* (mpi-ext.h). */
#define RG_STANDING(Name, ...)                                                 \
  int MPI_##Name##_init(__VA_ARGS__, rg_handle, rg_handle, void *)             \
      __attribute__((weak));                                                   \
  int MPIX_##Name##_init(__VA_ARGS__, rg_handle, rg_handle, void *)            \
      __attribute__((weak));
RG_STANDING(Bcast, void *, int, rg_handle, int)
RG_STANDING(Reduce, const void *, void *, int, rg_handle, rg_handle, int)
RG_STANDING(Allreduce, const void *, void *, int, rg_handle, rg_handle)
RG_STANDING(Scan, const void *, void *, int, rg_handle, rg_handle)
RG_STANDING(Exscan, const void *, void *, int, rg_handle, rg_handle)
RG_STANDING(Reduce_scatter_block, const void *, void *, int, rg_handle,
            rg_handle)
RG_STANDING(Reduce_scatter, const void *, void *, const int *, rg_handle,
            rg_handle)
RG_STANDING(Gather, const void *, int, rg_handle, void *, int, rg_handle, int)
RG_STANDING(Gatherv, const void *, int, rg_handle, void *, const int *,
            const int *, rg_handle, int)
RG_STANDING(Scatter, const void *, int, rg_handle, void *, int, rg_handle, int)
RG_STANDING(Scatterv, const void *, const int *, const int *, rg_handle, void *,
            int, rg_handle, int)
RG_STANDING(Allgather, const void *, int, rg_handle, void *, int, rg_handle)
RG_STANDING(Allgatherv, const void *, int, rg_handle, void *, const int *,
            const int *, rg_handle)
RG_STANDING(Alltoall, const void *, int, rg_handle, void *, int, rg_handle)
RG_STANDING(Alltoallv, const void *, const int *, const int *, rg_handle,
            void *, const int *, const int *, rg_handle)
RG_STANDING(Neighbor_allgather, const void *, int, rg_handle, void *, int,
            rg_handle)
RG_STANDING(Neighbor_allgatherv, const void *, int, rg_handle, void *,
            const int *, const int *, rg_handle)
RG_STANDING(Neighbor_alltoall, const void *, int, rg_handle, void *, int,
            rg_handle)
RG_STANDING(Neighbor_alltoallv, const void *, const int *, const int *,
            rg_handle, void *, const int *, const int *, rg_handle)
int MPI_Barrier_init(rg_handle, rg_handle, void *) __attribute__((weak));
int MPIX_Barrier_init(rg_handle, rg_handle, void *) __attribute__((weak));

typedef enum {
  BROADCAST,
  GATHER,
  SCATTER,
  FOR_ALL, /* gather for all */
  ALL_TO_ALL,
  NEIGHBOURS,
  REDUCE,
  REDUCE_FOR_ALL,
  REDUCE_SCATTER,
  SCAN,
  SCAN_BEFORE /* without the rank's own */
} rg_shape;

typedef enum {
  SUM,
  PRODUCT,
  LEAST,
  MOST,
  LEAST_AND_WHERE,
  MOST_AND_WHERE
} rg_operator;

/* One buffer of the routine: blocks, one per rank or one in all; or one per
 * edge, by the rank at its other end and the sender's number of it. */
typedef struct rg_side {
  const rg_layout *layout;
  int blocks;
  int *ranks, *edges; /* of neighbours; else null */
  int *counts;       /* elements per block */
  ptrdiff_t *offset; /* bytes */
  void **shadows;    /* per lane; null where it has none */
} rg_side;

typedef struct rg_collective {
  rg_undo head;
  struct rg_collective *earlier; /* of the communicator */
  const char *routine;
  rg_comm *comm;
  rg_shape shape;
  rg_operator op;
  int root;
  int ready, started;
  uint64_t lanes;
  rg_side in, out; /* `out` as the caller is to find it changed */
  int *sizes; /* per rank: numbers of a lane in what it sends or gets, by shape
               */
  int64_t most;   /* numbers of one lane that are worked on together */
  double *values; /* other than sums: what this rank put in */
  intptr_t request;
  double *given, *got, *more;
  int *counts, *places; /* of the transfer */
  int *numbers, *senders; /* of edges: ours, and by the place that they end in */
  intptr_t numbering;     /* a request, of senders; 0: there is none */
} rg_collective;

/*===- Buffers -----------------------------------------------------------===*/

static int64_t numbers_in(const rg_side *s, int block) {
  return s->layout ? rg_mpi_numbers(s->layout, s->counts[block]) : 0;
}
static int64_t all_numbers(const rg_side *s) {
  int64_t n = 0;
  for (int b = 0; b < s->blocks; ++b)
    n += numbers_in(s, b);
  return n;
}

/* Block by block, in each the lanes; zeros where there is no shadow. */
static void pack(const rg_side *s, uint64_t lanes, double *to, int clear) {
  for (int b = 0; b < s->blocks; ++b)
    for (uint64_t l = 0; l < lanes; ++l) {
      int64_t n = numbers_in(s, b);
      if (!n)
        continue;
      if (s->shadows) {
        void *at = (char *)s->shadows[l] + s->offset[b];
        rg_mpi_pack(s->layout, at, s->counts[b], to);
      } else {
        memset(to, 0, (size_t)n * sizeof *to);
      }
      to += n;
    }
  /* Blocks may overlap: first all are read. */
  if (clear && s->shadows)
    for (int b = 0; b < s->blocks; ++b)
      for (uint64_t l = 0; l < lanes && numbers_in(s, b); ++l)
        rg_mpi_zero(s->layout, (char *)s->shadows[l] + s->offset[b],
                    s->counts[b]);
}
static void unpack(const rg_side *s, uint64_t lanes, const double *from,
                   int add) {
  for (int b = 0; s->shadows && b < s->blocks; ++b)
    for (uint64_t l = 0; l < lanes; ++l)
      if (numbers_in(s, b))
        from = rg_mpi_unpack(s->layout, (char *)s->shadows[l] + s->offset[b],
                             s->counts[b], from, add);
}

static double *doubles(int64_t n) {
  return rg_mpi_memory(NULL, (size_t)n * sizeof(double));
}

static int narrow(const rg_collective *c, int64_t n) {
  if (n > INT32_MAX)
    rg_mpi_stop(c->routine, "%lld numbers are too many for one message",
                (long long)n);
  return (int)n;
}

/*===- Transfers ---------------------------------------------------------===*/

/* Counts and places of blocks of all lanes, one after the other. */
static void lay_out(rg_collective *c, const int *sizes, int **counts,
                    int **places) {
  int n = c->comm->size;
  *counts = rg_mpi_memory(NULL, (size_t)n * sizeof(int));
  *places = rg_mpi_memory(NULL, (size_t)n * sizeof(int));
  int64_t at = 0;
  for (int r = 0; r < n; ++r) {
    (*counts)[r] = narrow(c, sizes[r] * (int64_t)c->lanes);
    (*places)[r] = narrow(c, at);
    at += (*counts)[r];
  }
}

/* The sizes of a side's blocks, where it has one per rank. */
static int *sizes_of(const rg_collective *c, const rg_side *s) {
  int *sizes = rg_mpi_memory(NULL, (size_t)c->comm->size * sizeof *sizes);
  memset(sizes, 0, (size_t)c->comm->size * sizeof *sizes);
  for (int b = 0; b < s->blocks && (s->ranks || b < c->comm->size); ++b)
    sizes[s->ranks ? s->ranks[b] : b] += (int)numbers_in(s, b);
  return sizes;
}

/* The blocks of one side go to the other side's ranks. */
static void start_all_to_all(rg_collective *c, const rg_side *from,
                             const rg_side *to) {
  const int n = c->comm->size;
  int *more[4];
  int *a = sizes_of(c, from), *b = sizes_of(c, to);
  lay_out(c, a, &more[0], &more[1]);
  lay_out(c, b, &more[2], &more[3]);
  free(a);
  free(b);
  c->counts = rg_mpi_memory(NULL, 4 * (size_t)n * sizeof(int));
  for (int k = 0; k < 4; ++k) {
    memcpy(c->counts + k * n, more[k], (size_t)n * sizeof(int));
    free(more[k]);
  }
  MPI_Ialltoallv(c->given, c->counts, c->counts + n, RG_DOUBLE, c->got,
                 c->counts + 2 * n, c->counts + 3 * n, RG_DOUBLE,
                 c->comm->handle, &c->request);
}

static int gathers(const rg_collective *c) {
  return c->op != SUM || c->shape == SCAN || c->shape == SCAN_BEFORE;
}

/* Not sums: each rank puts in what it put in, and the numbers of all lanes. */
static void start_gathering(rg_collective *c, double *numbers) {
  int64_t values = c->op == SUM               ? 0
                   : c->op >= LEAST_AND_WHERE ? 2 * c->most
                                              : c->most;
  int64_t all = values + c->most * (int64_t)c->lanes;
  c->given = doubles(all);
  if (values)
    memcpy(c->given, c->values, (size_t)values * sizeof(double));
  memcpy(c->given + values, numbers,
         (size_t)(c->most * (int64_t)c->lanes) * sizeof(double));
  free(numbers);
  c->got = doubles(all * c->comm->size);
  narrow(c, all * c->comm->size);
  MPI_Iallgather(c->given, (int)all, RG_DOUBLE, c->got, (int)all, RG_DOUBLE,
                 c->comm->handle, &c->request);
}

/* A rank's record in what was gathered. */
static const double *record_of(const rg_collective *c, int rank) {
  int64_t values = c->op == SUM               ? 0
                   : c->op >= LEAST_AND_WHERE ? 2 * c->most
                                              : c->most;
  return c->got + rank * (values + c->most * (int64_t)c->lanes);
}
static const double *lanes_of(const rg_collective *c, int rank) {
  int64_t values = c->op == SUM               ? 0
                   : c->op >= LEAST_AND_WHERE ? 2 * c->most
                                              : c->most;
  return record_of(c, rank) + values;
}

/* d (result over ranks first to last, element i) / d (element i of rank s) */
static double weight(const rg_collective *c, int first, int last, int s,
                     int64_t i) {
  if (c->op == SUM)
    return 1;
  double w = 1;
  int best = first;
  switch (c->op) {
  case PRODUCT:
    for (int r = first; r <= last; ++r)
      w *= r == s ? 1 : record_of(c, r)[i];
    return w;
  default:
    /* The first rank that has it. */
    for (int r = first + 1; r <= last; ++r) {
      double x = record_of(c, r)[i], y = record_of(c, best)[i];
      int better = c->op == LEAST || c->op == LEAST_AND_WHERE ? x < y : x > y;
      if (x == y && c->op >= LEAST_AND_WHERE)
        better = record_of(c, r)[c->most + i] < record_of(c, best)[c->most + i];
      best = better ? r : best;
    }
    return best == s;
  }
}

/* The ranks that rank r's result is of. */
static void range_of(const rg_collective *c, int r, int *first, int *last) {
  *first = 0;
  *last = c->shape == SCAN          ? r
          : c->shape == SCAN_BEFORE ? r - 1
                                    : c->comm->size - 1;
}

static int has_result(const rg_collective *c, int r) {
  return c->shape != REDUCE || r == c->root;
}

/* Of a scattered result, the elements that are rank r's. */
static void part_of(const rg_collective *c, int r, int64_t *from, int64_t *to) {
  *from = 0;
  *to = c->most;
  if (c->shape != REDUCE_SCATTER)
    return;
  for (int k = 0; k < r; ++k)
    *from += c->sizes[k];
  *to = *from + c->sizes[r];
}

/* Numbers of a lane lie block by block, the lanes of a block one after the
 * other: where element i of lane l is. */
static int64_t place(const rg_collective *c, const rg_side *s, int64_t i,
                     uint64_t l) {
  int64_t at = 0;
  for (int b = 0; b < s->blocks; ++b) {
    int64_t n = numbers_in(s, b);
    if (i < n)
      return at + (int64_t)l * n + i;
    i -= n;
    at += n * (int64_t)c->lanes;
  }
  return at;
}

/* By lanes, as the gathered records want them, from what pack() made, and back.
 */
static double *by_lanes(const rg_collective *c, const rg_side *s, int64_t first,
                        const double *packed) {
  double *lanes = doubles(c->most * (int64_t)c->lanes);
  memset(lanes, 0, (size_t)(c->most * (int64_t)c->lanes) * sizeof *lanes);
  int64_t n = all_numbers(s);
  for (uint64_t l = 0; l < c->lanes; ++l)
    for (int64_t i = 0; i < n; ++i)
      lanes[(int64_t)l * c->most + first + i] = packed[place(c, s, i, l)];
  return lanes;
}

/*===- Neighbours --------------------------------------------------------===*/

/* Blocks by the rank at the other end, and of one rank by the sender's numbers
 * of their edges: in this order both ends lay them out. */
static void sort_edges(rg_side *s) {
  for (int b = 1; b < s->blocks; ++b)
    for (int a = b; a > 0 && (s->ranks[a - 1] > s->ranks[a] ||
                              (s->ranks[a - 1] == s->ranks[a] &&
                               s->edges[a - 1] > s->edges[a]));
         --a) {
#define RG_SWAP(T, array)                                                      \
  do {                                                                         \
    T rg_t = s->array[a];                                                      \
    s->array[a] = s->array[a - 1];                                             \
    s->array[a - 1] = rg_t;                                                    \
  } while (0)
      RG_SWAP(int, ranks);
      RG_SWAP(int, edges);
      RG_SWAP(int, counts);
      RG_SWAP(ptrdiff_t, offset);
#undef RG_SWAP
    }
}

/* Edge b leads to or comes from ranks[b], or from nobody. */
static void set_edges(rg_side *s, int *ranks, int *edges) {
  int n = 0;
  s->ranks = ranks;
  s->edges = edges;
  for (int b = 0; b < s->blocks; ++b) {
    if (ranks[b] < 0)
      continue;
    ranks[n] = ranks[b];
    edges[n] = b;
    s->counts[n] = s->counts[b];
    s->offset[n++] = s->offset[b];
  }
  s->blocks = n;
  sort_edges(s);
}

/* What has arrived is by the receiver's numbers until those of the sender are
 * here. */
static void number_edges(rg_collective *c) {
  if (!c->numbering)
    return;
  rg_status status;
  if (c->numbering != RG_REQUEST_NULL)
    MPI_Wait(&c->numbering, &status);
  c->numbering = 0;
  for (int b = 0; b < c->out.blocks; ++b)
    c->out.edges[b] = c->senders[c->out.edges[b]];
  sort_edges(&c->out);
}

/*===- Forward: tangents -------------------------------------------------===*/

static void start_tangents(rg_collective *c) {
  rg_comm *m = c->comm;
  int64_t in = all_numbers(&c->in) * (int64_t)c->lanes,
          out = all_numbers(&c->out) * (int64_t)c->lanes;
  double *given = doubles(in);
  pack(&c->in, c->lanes, given, 0);
  if (gathers(c)) {
    start_gathering(c, by_lanes(c, &c->in, 0, given));
    free(given);
    return;
  }
  int *sizes = NULL;
  c->given = given;
  switch (c->shape) {
  case BROADCAST:
    narrow(c, c->most * (int64_t)c->lanes);
    if (m->rank != c->root)
      c->got = doubles(out);
    MPI_Ibcast(m->rank == c->root ? c->given : c->got,
               (int)(c->most * (int64_t)c->lanes), RG_DOUBLE, c->root,
               m->handle, &c->request);
    break;
  case GATHER:
    c->got = doubles(out);
    if (m->rank == c->root)
      lay_out(c, sizes = sizes_of(c, &c->out), &c->counts, &c->places);
    MPI_Igatherv(c->given, narrow(c, in), RG_DOUBLE, c->got, c->counts,
                 c->places, RG_DOUBLE, c->root, m->handle, &c->request);
    break;
  case SCATTER:
    c->got = doubles(c->most * (int64_t)c->lanes);
    if (m->rank == c->root)
      lay_out(c, sizes = sizes_of(c, &c->in), &c->counts, &c->places);
    MPI_Iscatterv(c->given, c->counts, c->places, RG_DOUBLE, c->got,
                  narrow(c, c->most * (int64_t)c->lanes), RG_DOUBLE, c->root,
                  m->handle, &c->request);
    break;
  case FOR_ALL:
    c->got = doubles(out);
    lay_out(c, sizes = sizes_of(c, &c->out), &c->counts, &c->places);
    MPI_Iallgatherv(c->given, narrow(c, in), RG_DOUBLE, c->got, c->counts,
                    c->places, RG_DOUBLE, m->handle, &c->request);
    break;
  case ALL_TO_ALL:
  case NEIGHBOURS:
    c->got = doubles(out);
    start_all_to_all(c, &c->in, &c->out);
    break;
  case REDUCE:
    c->got = doubles(in);
    MPI_Ireduce(c->given, c->got, narrow(c, in), RG_DOUBLE, RG_SUM, c->root,
                m->handle, &c->request);
    break;
  case REDUCE_FOR_ALL:
    c->got = doubles(in);
    MPI_Iallreduce(c->given, c->got, narrow(c, in), RG_DOUBLE, RG_SUM,
                   m->handle, &c->request);
    break;
  default:
    c->got = doubles(out);
    lay_out(c, c->sizes, &c->counts, &c->places);
    MPI_Ireduce_scatter(c->given, c->got, c->counts, RG_DOUBLE, RG_SUM,
                        m->handle, &c->request);
    break;
  }
  free(sizes);
}

static void free_transfer(rg_collective *c) {
  free(c->given);
  free(c->got);
  free(c->more);
  free(c->counts);
  free(c->places);
  c->given = c->got = c->more = NULL;
  c->counts = c->places = NULL;
}

static void wait_for(rg_collective *c) {
  rg_status status;
  MPI_Wait(&c->request, &status);
}

static void finish_tangents(rg_collective *c) {
  wait_for(c);
  number_edges(c);
  int rank = c->comm->rank;
  if (gathers(c)) {
    int first, last;
    int64_t from, to;
    range_of(c, rank, &first, &last);
    part_of(c, rank, &from, &to);
    if (has_result(c, rank) && last >= first) {
      double *out = doubles((to - from) * (int64_t)c->lanes), *at = out;
      for (uint64_t l = 0; l < c->lanes; ++l)
        for (int64_t i = from; i < to; ++i) {
          double sum = 0;
          for (int s = first; s <= last; ++s)
            sum += weight(c, first, last, s, i) *
                   lanes_of(c, s)[(int64_t)l * c->most + i];
          *at++ = sum;
        }
      unpack(&c->out, c->lanes, out, 0);
      free(out);
    }
  } else if (c->got && has_result(c, rank)) {
    unpack(&c->out, c->lanes, c->got, 0);
  }
  free_transfer(c);
}

/*===- Reverse: adjoints -------------------------------------------------===*/

/* The adjoints of what the routine gave are on their way, and gone here. */
static void start_adjoints(rg_collective *c) {
  rg_comm *m = c->comm;
  int64_t in = all_numbers(&c->in) * (int64_t)c->lanes,
          out = all_numbers(&c->out) * (int64_t)c->lanes;
  int64_t most = c->most * (int64_t)c->lanes;
  int *sizes = NULL;
  number_edges(c);
  double *given = doubles(out > most ? out : most);
  if (all_numbers(&c->out) == 0)
    memset(given, 0, (size_t)most * sizeof *given);
  pack(&c->out, c->lanes, given, 1);
  c->started = 1;
  if (gathers(c)) {
    int64_t from, to;
    part_of(c, m->rank, &from, &to);
    start_gathering(c, by_lanes(c, &c->out, from, given));
    free(given);
    return;
  }
  c->given = given;
  c->got = doubles(in > most ? in : most);
  switch (c->shape) {
  case BROADCAST:
    MPI_Ireduce(c->given, c->got, narrow(c, most), RG_DOUBLE, RG_SUM, c->root,
                m->handle, &c->request);
    break;
  case GATHER:
    if (m->rank == c->root)
      lay_out(c, sizes = sizes_of(c, &c->out), &c->counts, &c->places);
    MPI_Iscatterv(c->given, c->counts, c->places, RG_DOUBLE, c->got,
                  narrow(c, in), RG_DOUBLE, c->root, m->handle, &c->request);
    break;
  case SCATTER:
    if (m->rank == c->root)
      lay_out(c, sizes = sizes_of(c, &c->in), &c->counts, &c->places);
    MPI_Igatherv(c->given, narrow(c, most), RG_DOUBLE, c->got, c->counts,
                 c->places, RG_DOUBLE, c->root, m->handle, &c->request);
    break;
  case FOR_ALL:
    lay_out(c, sizes = sizes_of(c, &c->out), &c->counts, &c->places);
    MPI_Ireduce_scatter(c->given, c->got, c->counts, RG_DOUBLE, RG_SUM,
                        m->handle, &c->request);
    break;
  case ALL_TO_ALL:
  case NEIGHBOURS:
    start_all_to_all(c, &c->out, &c->in);
    break;
  case REDUCE:
    if (m->rank == c->root)
      memcpy(c->got, c->given, (size_t)most * sizeof(double));
    MPI_Ibcast(c->got, narrow(c, most), RG_DOUBLE, c->root, m->handle,
               &c->request);
    break;
  case REDUCE_FOR_ALL:
    MPI_Iallreduce(c->given, c->got, narrow(c, most), RG_DOUBLE, RG_SUM,
                   m->handle, &c->request);
    break;
  default:
    lay_out(c, c->sizes, &c->counts, &c->places);
    MPI_Iallgatherv(c->given, narrow(c, out), RG_DOUBLE, c->got, c->counts,
                    c->places, RG_DOUBLE, m->handle, &c->request);
    break;
  }
  free(sizes);
}

/* Where it was complete in the primal. Those that were started later go first,
 * on all ranks. */
static void undo_done(rg_undo *work) {
  rg_collective *c = (rg_collective *)work;
  rg_comm *m = c->comm;
  c->ready = 1;
  rg_mpi_lock();
  while (m->collectives && m->collectives->ready) {
    rg_collective *next = m->collectives;
    m->collectives = next->earlier;
    rg_mpi_unlock();
    start_adjoints(next);
    rg_mpi_lock();
  }
  rg_mpi_unlock();
}

/* Where it was started. */
static void undo_start(void *work) {
  rg_collective *c = work;
  if (!c->started)
    undo_done(&c->head);
  if (!c->started)
    rg_mpi_stop(c->routine, "its adjoints cannot be started: a collective "
                            "routine that was started later was "
                            "never complete");
  wait_for(c);
  int rank = c->comm->rank;
  if (gathers(c)) {
    double *in = doubles(c->most * (int64_t)c->lanes);
    memset(in, 0, (size_t)(c->most * (int64_t)c->lanes) * sizeof *in);
    for (int64_t i = 0; i < c->most; ++i) {
      /* One result for all: one weight for all adjoints. */
      int one = c->shape != SCAN && c->shape != SCAN_BEFORE;
      double w = one ? weight(c, 0, c->comm->size - 1, rank, i) : 0;
      for (int r = 0; r < c->comm->size; ++r) {
        int first, last;
        range_of(c, r, &first, &last);
        if (!has_result(c, r) || rank < first || rank > last)
          continue;
        double v = one ? w : weight(c, first, last, rank, i);
        for (uint64_t l = 0; l < c->lanes; ++l)
          in[place(c, &c->in, i, l)] +=
              v == 0 ? 0 : v * lanes_of(c, r)[(int64_t)l * c->most + i];
      }
    }
    unpack(&c->in, c->lanes, in, 1);
    free(in);
  } else if (c->in.blocks) {
    unpack(&c->in, c->lanes, c->got, 1);
  }
  free_transfer(c);
  c->ready = c->started = 0;
}

static void undo_both(void *work) {
  undo_done(work);
  undo_start(work);
}

/*===- Records -----------------------------------------------------------===*/

/* What a routine was called with; null pointers where a rank has nothing. */
typedef struct rg_call {
  rg_arena *arena;
  uint64_t lanes;
  const char *routine;
  rg_shape shape;
  rg_handle comm;
  int root;
  rg_handle op;
  const void *from;
  void *const *from_shadows;
  int from_count;
  const int *from_counts, *from_places;
  rg_handle from_type;
  void *to;
  void *const *to_shadows;
  int to_count;
  const int *to_counts, *to_places;
  rg_handle to_type;
  int waits, one_for_all; /* one_for_all: one block goes to all neighbours */
  const char *told[2];    /* persistent: of its bytes */
} rg_call;

static void set_side(rg_side *s, const rg_call *k, const rg_layout *layout,
                     int blocks, int count, const int *counts,
                     const int *places, void *const *shadows) {
  s->layout = layout;
  s->blocks = blocks;
  s->ranks = s->edges = NULL;
  s->counts = rg_mpi_memory(k->arena, (size_t)blocks * sizeof *s->counts);
  s->offset = rg_mpi_memory(k->arena, (size_t)blocks * sizeof *s->offset);
  ptrdiff_t next = 0;
  for (int b = 0; b < blocks; ++b) {
    s->counts[b] = counts ? counts[b] : count;
    s->offset[b] = (places ? places[b] : next) * layout->extent;
    next += s->counts[b];
  }
  s->shadows = NULL;
  for (uint64_t l = 0; shadows && l < k->lanes; ++l)
    if (!shadows[l])
      shadows = NULL;
  if (!shadows)
    return;
  s->shadows = rg_mpi_memory(k->arena, k->lanes * sizeof(void *));
  memcpy(s->shadows, shadows, k->lanes * sizeof(void *));
}

static rg_operator operator_of(const rg_call *k) {
  static const int mpich[] = {3, 4, 2, 1, 11, 12};
  for (int i = 0; i < 6; ++i)
    if (k->op == (rg_mpi_is_open() ? (rg_handle)(i == 0   ? ompi_mpi_op_sum
                                                 : i == 1 ? ompi_mpi_op_prod
                                                 : i == 2 ? ompi_mpi_op_min
                                                 : i == 3 ? ompi_mpi_op_max
                                                 : i == 4 ? ompi_mpi_op_minloc
                                                          : ompi_mpi_op_maxloc)
                                   : 0x58000000 + mpich[i]))
      return (rg_operator)i;
  rg_mpi_stop(k->routine,
              "it has no derivative with this operation; it has one with "
              "MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX, MPI_MINLOC and MPI_MAXLOC, "
              "and with those that MPI_Op_create makes in the same file (in "
              "Fortran: of routines that wait)");
}

/* The values of a reduction, and the indices of pairs. */
static double *values_of(const rg_call *k, const rg_layout *l, const void *from,
                         int64_t n, rg_operator op) {
  if (op == SUM)
    return NULL;
  double *v = rg_mpi_memory(
      k->arena, (size_t)n * (op >= LEAST_AND_WHERE ? 2 : 1) * sizeof *v);
  rg_mpi_pack(l, from, (int)(n / l->numbers), v);
  for (int64_t i = 0; op >= LEAST_AND_WHERE && i < n; ++i) {
    const void *at = (const char *)from + i * l->extent + l->index_at;
    v[n + i] = l->index == 4    ? *(const int *)at
               : l->index == -4 ? (double)*(const float *)at
                                : *(const double *)at;
  }
  return v;
}

/* The ends of the edges of a topology: first those that come, then those that go. */
static int *ends_of(const rg_call *k, const rg_comm *m, int *come, int *go) {
  int kind = 0, dims = 0, weighted = 0, *ends;
  MPI_Topo_test(k->comm, &kind);
  if (!rg_mpi_is_open() && (kind == 1 || kind == 2))
    kind = 3 - kind; /* MPICH numbers graphs before grids */
  switch (kind) {
  case 1:
    MPI_Cartdim_get(k->comm, &dims);
    *come = *go = 2 * dims;
    ends = rg_mpi_memory(k->arena, 4 * (size_t)dims * sizeof *ends);
    for (int d = 0; d < dims; ++d)
      MPI_Cart_shift(k->comm, d, 1, &ends[2 * d], &ends[2 * d + 1]);
    memcpy(ends + *come, ends, (size_t)*go * sizeof *ends);
    break;
  case 2:
    MPI_Graph_neighbors_count(k->comm, m->rank, come);
    *go = *come;
    ends = rg_mpi_memory(k->arena, 2 * (size_t)*go * sizeof *ends);
    MPI_Graph_neighbors(k->comm, m->rank, *go, ends);
    memcpy(ends + *come, ends, (size_t)*go * sizeof *ends);
    break;
  case 3: {
    MPI_Dist_graph_neighbors_count(k->comm, come, go, &weighted);
    int all = *come + *go;
    ends = rg_mpi_memory(k->arena, (size_t)all * sizeof *ends);
    int *weights = rg_mpi_memory(NULL, (size_t)all * sizeof *weights);
    MPI_Dist_graph_neighbors(k->comm, *come, ends, weights, *go, ends + *come,
                             weights + *come);
    free(weights);
    break;
  }
  default:
    rg_mpi_stop(k->routine, "the communicator has no topology");
  }
  for (int e = 0; e < *come + *go; ++e)
    if (ends[e] == RG_PROC_NULL)
      ends[e] = -1;
  return ends;
}

static void set_neighbours(rg_collective *c, const rg_call *k,
                           const rg_layout *from, const rg_layout *to) {
  int come = 0, go = 0, *ends = ends_of(k, c->comm, &come, &go);
  size_t all = (size_t)(come + go);
  int *edges = rg_mpi_memory(k->arena, all * sizeof *edges);
  set_side(&c->out, k, to, come, k->to_count, k->to_counts, k->to_places,
           k->to_shadows);
  set_side(&c->in, k, from, go, k->from_count, k->from_counts, k->from_places,
           k->from_shadows);
  for (int e = 0; k->one_for_all && e < go; ++e)
    c->in.offset[e] = 0;
  set_edges(&c->out, ends, edges);
  set_edges(&c->in, ends + come, edges + come);
  if (k->one_for_all)
    return;
  /* By the same routine: another one may take other edges. */
  int most = come > go ? come : go, n = (int)sizeof(int);
  c->numbers = rg_mpi_memory(k->arena, (all + 2 * (size_t)most) * sizeof(int));
  c->senders = c->numbers + go;
  int *counts = c->senders + come, *places = counts + most;
  for (int e = 0; e < most; ++e) {
    counts[e] = n;
    places[e] = e * n;
  }
  for (int e = 0; e < go; ++e)
    c->numbers[e] = e;
  c->numbering = RG_REQUEST_NULL;
  if (!k->to_counts && k->waits)
    MPI_Neighbor_alltoall(c->numbers, n, RG_BYTE, c->senders, n, RG_BYTE,
                          k->comm);
  else if (!k->to_counts)
    MPI_Ineighbor_alltoall(c->numbers, n, RG_BYTE, c->senders, n, RG_BYTE,
                           k->comm, &c->numbering);
  else if (k->waits)
    MPI_Neighbor_alltoallv(c->numbers, counts, places, RG_BYTE, c->senders,
                           counts, places, RG_BYTE, k->comm);
  else
    MPI_Ineighbor_alltoallv(c->numbers, counts, places, RG_BYTE, c->senders,
                            counts, places, RG_BYTE, k->comm, &c->numbering);
}

/* What the two buffers consist of; returns one of them, or null where no numbers
 * are moved. */
static const rg_layout *layouts_of(const rg_call *k, const rg_comm *m,
                                   const rg_layout **from_layout,
                                   const rg_layout **to_layout) {
  int reduces = k->shape >= REDUCE;
  int is_root = m->rank == k->root;
  int in_place = k->from == RG_IN_PLACE, in_place_to = k->to == RG_IN_PLACE;
  /* Which of the two types means anything here. */
  int has_from = k->shape == SCATTER
                     ? is_root
                     : !(in_place && !reduces) || k->shape == BROADCAST;
  int has_to =
      k->shape == GATHER || (k->shape == REDUCE) ? is_root : !in_place_to;
  if (k->shape == SCATTER)
    has_to = !in_place_to;
  if (k->shape == BROADCAST) {
    has_from = is_root;
    has_to = !is_root;
  }
  const rg_layout *from =
      has_from ? rg_mpi_layout_of_buffer(k->from_type, k->routine, 0, NULL)
               : NULL;
  const rg_layout *to =
      has_to ? rg_mpi_layout_of_buffer(k->to_type, k->routine,
                                       k->shape != BROADCAST, NULL)
             : NULL;
  if ((from && from->period && !from->by_words && !from->bytes) ||
      (to && to->period && !to->by_words && !to->bytes))
    rg_mpi_stop(k->routine, "the message consists of bytes (MPI_BYTE) with "
                            "numbers that are no doubles; say what they are by "
                            "a datatype");
  if (in_place && !from)
    from = to;
  const rg_layout *some = from ? from : to;
  if ((from && from->bytes && k->from_shadows && k->from_shadows[0]) ||
      (to && to->bytes && k->to_shadows && k->to_shadows[0]))
    rg_mpi_stop(k->routine, "the message consists of bytes (MPI_BYTE, "
                            "MPI_PACKED) that may be active numbers; "
                            "say what they are by a datatype");
  *from_layout = from;
  *to_layout = to;
  return some && some->numbers ? some : NULL;
}

static void refuse_two_groups(const rg_call *k) {
  int inter = 0;
  MPI_Comm_test_inter(k->comm, &inter);
  if (inter)
    rg_mpi_stop(k->routine, "collective routines between two groups "
                            "(intercommunicators) have no derivative");
}

static rg_collective *record(const rg_call *k) {
  rg_comm *m = rg_mpi_comm(k->comm);
  refuse_two_groups(k);
  int rooted = k->shape == BROADCAST || k->shape == GATHER ||
               k->shape == SCATTER || k->shape == REDUCE;
  int is_root = m->rank == k->root;
  int in_place = k->from == RG_IN_PLACE;
  const rg_layout *from, *to, *some = layouts_of(k, m, &from, &to);
  if (!some)
    return NULL;
  const int has_to = to != NULL;
  if (k->arena)
    rg_mpi_opened();
  rg_collective *c = rg_mpi_memory(k->arena, sizeof *c);
  memset(c, 0, sizeof *c);
  c->head.reverse = undo_start;
  c->routine = k->routine;
  c->comm = m;
  c->shape = k->shape;
  c->root = rooted ? k->root : -1;
  c->lanes = k->lanes;
  int n = m->size;
  switch (k->shape) {
  case BROADCAST:
    if (is_root)
      set_side(&c->in, k, from, 1, k->from_count, NULL, NULL, k->from_shadows);
    else
      set_side(&c->out, k, to, 1, k->from_count, NULL, NULL, k->from_shadows);
    c->most = numbers_in(is_root ? &c->in : &c->out, 0);
    break;
  case GATHER:
  case FOR_ALL: {
    int all = k->shape == FOR_ALL || is_root;
    if (all)
      set_side(&c->out, k, to, n, k->to_count, k->to_counts, k->to_places,
               k->to_shadows);
    if (in_place) { /* its own block of what it gets */
      set_side(&c->in, k, to, 1, c->out.counts[m->rank], NULL, NULL,
               k->to_shadows);
      c->in.offset[0] = c->out.offset[m->rank];
    } else {
      set_side(&c->in, k, from, 1, k->from_count, NULL, NULL, k->from_shadows);
    }
    c->most = all_numbers(&c->in);
    break;
  }
  case SCATTER:
    if (is_root)
      set_side(&c->in, k, from, n, k->from_count, k->from_counts,
               k->from_places, k->from_shadows);
    if (has_to)
      set_side(&c->out, k, to, 1, k->to_count, NULL, NULL, k->to_shadows);
    c->most = has_to ? all_numbers(&c->out) : numbers_in(&c->in, m->rank);
    break;
  case ALL_TO_ALL:
    set_side(&c->out, k, to, n, k->to_count, k->to_counts, k->to_places,
             k->to_shadows);
    if (in_place)
      set_side(&c->in, k, to, n, k->to_count, k->to_counts, k->to_places,
               k->to_shadows);
    else
      set_side(&c->in, k, from, n, k->from_count, k->from_counts,
               k->from_places, k->from_shadows);
    break;
  case NEIGHBOURS:
    set_neighbours(c, k, from, to);
    break;
  default: {
    /* In place: what is reduced lies where the result goes. */
    const void *operand = in_place ? k->to : k->from;
    void *const *shadows = in_place ? k->to_shadows : k->from_shadows;
    int scattered = k->shape == REDUCE_SCATTER;
    c->op = operator_of(k);
    if (c->op == PRODUCT && some->complex)
      rg_mpi_stop(k->routine,
                  "products of complex numbers have no derivative yet");
    if ((c->op >= LEAST_AND_WHERE) != (some->index != 0))
      rg_mpi_stop(k->routine, "the datatype does not fit the operation");
    set_side(&c->in, k, some, scattered ? n : 1, k->from_count, k->from_counts,
             NULL, shadows);
    c->most = all_numbers(&c->in);
    if (scattered) {
      c->sizes = rg_mpi_memory(k->arena, (size_t)n * sizeof(int));
      for (int r = 0; r < n; ++r)
        c->sizes[r] = narrow(c, numbers_in(&c->in, r));
    }
    if (has_result(c, m->rank) && !(k->shape == SCAN_BEFORE && m->rank == 0))
      set_side(&c->out, k, some, 1,
               scattered ? c->in.counts[m->rank] : k->from_count, NULL, NULL,
               k->to_shadows);
    c->values = values_of(k, some, operand, c->most, c->op);
    break;
  }
  }
  if (k->arena) {
    rg_mpi_lock();
    c->earlier = m->collectives;
    m->collectives = c;
    rg_mpi_unlock();
  } else {
    start_tangents(c);
  }
  return c;
}

static void drop(rg_collective *c) {
  free(c->in.counts);
  free(c->in.offset);
  free(c->in.shadows);
  free(c->out.counts);
  free(c->out.offset);
  free(c->out.shadows);
  free(c->out.ranks); /* and those of the other side, behind them */
  free(c->out.edges);
  free(c->numbers);
  free(c->sizes);
  free(c->values);
  free(c);
}

/* The routine has returned, and is complete. */
static void *blocking(const rg_call *k, rg_collective *c) {
  if (!c)
    return NULL;
  if (k->arena) {
    c->head.reverse = undo_both;
    return c;
  }
  finish_tangents(c);
  drop(c);
  return NULL;
}

static void completed(rg_undo *work, const rg_status *status) {
  (void)work, (void)status;
}
static void arrive(rg_undo *work) {
  rg_collective *c = (rg_collective *)work;
  finish_tangents(c);
  drop(c);
}
static void *started(const rg_call *k, rg_collective *c, const void *request) {
  /* Complete at once: then Open MPI has one handle for all. */
  extern char ompi_request_empty[] __attribute__((weak));
  int empty = rg_mpi_is_open() &&
              rg_mpi_handle_at(request, 0) == (rg_handle)ompi_request_empty;
  rg_open *o = c && !empty ? rg_mpi_track(request) : NULL;
  if (!o) {
    return blocking(k, c);
  }
  o->work = &c->head;
  o->complete = completed;
  o->undo = undo_done;
  o->arrive = arrive;
  return k->arena ? c : NULL;
}

/*===- Persistent requests -----------------------------------------------===*/

/* All ranks make such requests in one order, but may start them in any. So each
 * has a communicator of its own, on which its adjoints have the order of its
 * starts. */
static rg_undo *start(rg_arena *arena, void *what) {
  rg_call k = *(const rg_call *)what;
  k.arena = arena;
  memcpy(rg_mpi_told, k.told, sizeof k.told);
  rg_collective *c = record(&k);
  return c ? &c->head : NULL;
}

static void stand(const rg_call *k, const void *request) {
  rg_open *o = rg_mpi_track(request);
  refuse_two_groups(k);
  const rg_layout *from, *to;
  const int moves = layouts_of(k, rg_mpi_comm(k->comm), &from, &to) != NULL;
  intptr_t copy = 0;
  if (moves)
    MPI_Comm_dup(k->comm, &copy);
  if (!o)
    return;
  o->persistent = 1;
  o->depth = rg_mpi_depth;
  if (!moves)
    return;
  o->comm = rg_mpi_handle_at(&copy, 0);
  const size_t list = k->lanes * sizeof(void *);
  rg_call *kept = rg_mpi_memory(NULL, sizeof *kept + 2 * list);
  void **shadows = (void **)(kept + 1);
  *kept = *k;
  memcpy(kept->told, rg_mpi_told, sizeof kept->told);
  kept->comm = o->comm;
  if (k->from_shadows)
    kept->from_shadows = memcpy(shadows, k->from_shadows, list);
  if (k->to_shadows)
    kept->to_shadows = memcpy(shadows + k->lanes, k->to_shadows, list);
  o->what = kept;
  o->start = start;
  o->complete = completed;
  o->undo = undo_done;
  o->arrive = arrive;
}

void *rg_mpi_barrier_init(rg_arena *arena, uint64_t lanes, rg_handle comm,
                          rg_handle info, void *request, int *result) {
  (void)arena, (void)lanes;
  *result = MPI_Barrier_init ? MPI_Barrier_init(comm, info, request)
                             : MPIX_Barrier_init(comm, info, request);
  rg_open *o = rg_mpi_track(request);
  if (o) {
    o->persistent = 1;
    o->depth = rg_mpi_depth;
  }
  return NULL;
}

/*===- The routines ------------------------------------------------------===*/

/* Each in three forms: name(args), its I-form with a request, and the one that
 * makes a persistent request. */
#define RG_BOTH(name, Name, PARAMETERS, ARGUMENTS, ...)                        \
  void *rg_mpi_##name(rg_arena *arena, uint64_t lanes, RG_LIST PARAMETERS,     \
                      rg_handle comm, int *result) {                           \
    rg_call k = {.arena = arena,                                               \
                 .lanes = lanes,                                               \
                 .routine = "MPI_" #Name,                                      \
                 .comm = comm,                                                 \
                 .waits = 1,                                                   \
                 __VA_ARGS__};                                                 \
    rg_collective *c = record(&k);                                             \
    *result = MPI_##Name(RG_LIST ARGUMENTS, comm);                             \
    return blocking(&k, c);                                                    \
  }                                                                            \
  void *rg_mpi_i##name(rg_arena *arena, uint64_t lanes, RG_LIST PARAMETERS,    \
                       rg_handle comm, void *request, int *result) {           \
    rg_call k = {.arena = arena,                                               \
                 .lanes = lanes,                                               \
                 .routine = "MPI_I" #name,                                     \
                 .comm = comm,                                                 \
                 __VA_ARGS__};                                                 \
    rg_collective *c = record(&k);                                             \
    *result = MPI_I##name(RG_LIST ARGUMENTS, comm, request);                   \
    return started(&k, c, request);                                            \
  }                                                                            \
  void *rg_mpi_##name##_init(rg_arena *arena, uint64_t lanes,                  \
                             RG_LIST PARAMETERS, rg_handle comm,               \
                             rg_handle info, void *request, int *result) {     \
    rg_call k = {.arena = arena,                                               \
                 .lanes = lanes,                                               \
                 .routine = "MPI_" #Name "_init",                              \
                 .comm = comm,                                                 \
                 __VA_ARGS__};                                                 \
    *result = MPI_##Name##_init                                                \
                  ? MPI_##Name##_init(RG_LIST ARGUMENTS, comm, info, request)  \
                  : MPIX_##Name##_init(RG_LIST ARGUMENTS, comm, info,          \
                                       request);                               \
    stand(&k, request);                                                        \
    return NULL;                                                               \
  }
#define RG_LIST(...) __VA_ARGS__

RG_BOTH(bcast, Bcast,
        (void *buffer, void *const *shadows, int count, rg_handle type,
         int root),
        (buffer, count, type, root), .shape = BROADCAST, .root = root,
        .from = buffer, .to = buffer, .from_shadows = shadows,
        .from_count = count, .from_type = type, .to_type = type)
RG_BOTH(reduce, Reduce,
        (const void *from, void *const *from_shadows, void *to,
         void *const *to_shadows, int count, rg_handle type, rg_handle op,
         int root),
        (from, to, count, type, op, root), .shape = REDUCE, .root = root,
        .op = op, .from = from, .from_shadows = from_shadows, .to = to,
        .to_shadows = to_shadows, .from_count = count, .from_type = type,
        .to_type = type)
#define RG_REDUCTION(name, Name, Shape)                                        \
  RG_BOTH(name, Name,                                                          \
          (const void *from, void *const *from_shadows, void *to,              \
           void *const *to_shadows, int count, rg_handle type, rg_handle op),  \
          (from, to, count, type, op), .shape = Shape, .op = op, .from = from, \
          .from_shadows = from_shadows, .to = to, .to_shadows = to_shadows,    \
          .from_count = count, .from_type = type, .to_type = type)
RG_REDUCTION(allreduce, Allreduce, REDUCE_FOR_ALL)
RG_REDUCTION(scan, Scan, SCAN)
RG_REDUCTION(exscan, Exscan, SCAN_BEFORE)
RG_REDUCTION(reduce_scatter_block, Reduce_scatter_block, REDUCE_SCATTER)
RG_BOTH(reduce_scatter, Reduce_scatter,
        (const void *from, void *const *from_shadows, void *to,
         void *const *to_shadows, const int *counts, rg_handle type,
         rg_handle op),
        (from, to, counts, type, op), .shape = REDUCE_SCATTER, .op = op,
        .from = from, .from_shadows = from_shadows, .to = to,
        .to_shadows = to_shadows, .from_counts = counts, .from_type = type,
        .to_type = type)
#define RG_FROM                                                                \
  const void *from, void *const *from_shadows, int from_count,                 \
      rg_handle from_type
#define RG_TO void *to, void *const *to_shadows, int to_count, rg_handle to_type
#define RG_FROMS                                                               \
  const void *from, void *const *from_shadows, const int *from_counts,         \
      const int *from_places, rg_handle from_type
#define RG_TOS                                                                 \
  void *to, void *const *to_shadows, const int *to_counts,                     \
      const int *to_places, rg_handle to_type
#define RG_ENDS                                                                \
  .from = from, .from_shadows = from_shadows, .from_type = from_type,          \
  .to = to, .to_shadows = to_shadows, .to_type = to_type
RG_BOTH(gather, Gather, (RG_FROM, RG_TO, int root),
        (from, from_count, from_type, to, to_count, to_type, root),
        .shape = GATHER, .root = root, RG_ENDS, .from_count = from_count,
        .to_count = to_count)
RG_BOTH(gatherv, Gatherv, (RG_FROM, RG_TOS, int root),
        (from, from_count, from_type, to, to_counts, to_places, to_type, root),
        .shape = GATHER, .root = root, RG_ENDS, .from_count = from_count,
        .to_counts = to_counts, .to_places = to_places)
RG_BOTH(scatter, Scatter, (RG_FROM, RG_TO, int root),
        (from, from_count, from_type, to, to_count, to_type, root),
        .shape = SCATTER, .root = root, RG_ENDS, .from_count = from_count,
        .to_count = to_count)
RG_BOTH(scatterv, Scatterv, (RG_FROMS, RG_TO, int root),
        (from, from_counts, from_places, from_type, to, to_count, to_type,
         root),
        .shape = SCATTER, .root = root, RG_ENDS, .from_counts = from_counts,
        .from_places = from_places, .to_count = to_count)
RG_BOTH(allgather, Allgather, (RG_FROM, RG_TO),
        (from, from_count, from_type, to, to_count, to_type), .shape = FOR_ALL,
        RG_ENDS, .from_count = from_count, .to_count = to_count)
RG_BOTH(allgatherv, Allgatherv, (RG_FROM, RG_TOS),
        (from, from_count, from_type, to, to_counts, to_places, to_type),
        .shape = FOR_ALL, RG_ENDS, .from_count = from_count,
        .to_counts = to_counts, .to_places = to_places)
RG_BOTH(alltoall, Alltoall, (RG_FROM, RG_TO),
        (from, from_count, from_type, to, to_count, to_type),
        .shape = ALL_TO_ALL, RG_ENDS, .from_count = from_count,
        .to_count = to_count)
RG_BOTH(alltoallv, Alltoallv, (RG_FROMS, RG_TOS),
        (from, from_counts, from_places, from_type, to, to_counts, to_places,
         to_type),
        .shape = ALL_TO_ALL, RG_ENDS, .from_counts = from_counts,
        .from_places = from_places, .to_counts = to_counts,
        .to_places = to_places)
RG_BOTH(neighbor_allgather, Neighbor_allgather, (RG_FROM, RG_TO),
        (from, from_count, from_type, to, to_count, to_type),
        .shape = NEIGHBOURS, .one_for_all = 1, RG_ENDS,
        .from_count = from_count, .to_count = to_count)
RG_BOTH(neighbor_allgatherv, Neighbor_allgatherv, (RG_FROM, RG_TOS),
        (from, from_count, from_type, to, to_counts, to_places, to_type),
        .shape = NEIGHBOURS, .one_for_all = 1, RG_ENDS,
        .from_count = from_count, .to_counts = to_counts,
        .to_places = to_places)
RG_BOTH(neighbor_alltoall, Neighbor_alltoall, (RG_FROM, RG_TO),
        (from, from_count, from_type, to, to_count, to_type),
        .shape = NEIGHBOURS, RG_ENDS, .from_count = from_count,
        .to_count = to_count)
RG_BOTH(neighbor_alltoallv, Neighbor_alltoallv, (RG_FROMS, RG_TOS),
        (from, from_counts, from_places, from_type, to, to_counts, to_places,
         to_type),
        .shape = NEIGHBOURS, RG_ENDS, .from_counts = from_counts,
        .from_places = from_places, .to_counts = to_counts,
        .to_places = to_places)
