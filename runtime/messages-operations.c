/*===- messages-operations.c - a program's own reductions -----------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* Which function an operation of MPI_Op_create stands for, MPI tells nobody: so
|* it is noted when the operation is made. The rest is what the code of
|* lib/Parallel/OperationForm.cpp asks.
\*===------------------------------------------------------------------------===*/
#include "messages.h"
#include <stdlib.h>

struct rg_mpi_operation {
  struct rg_mpi_operation *next;
  intptr_t op;
  void *function;
} *rg_mpi_operations;

/* A handle that was freed may come again, for another function. */
void rg_mpi_own_note(intptr_t op, void *function) {
  rg_mpi_lock();
  struct rg_mpi_operation *o = rg_mpi_operations;
  while (o && o->op != op)
    o = o->next;
  if (!o) {
    o = rg_mpi_memory(NULL, sizeof *o);
    o->op = op;
    o->next = rg_mpi_operations;
    rg_mpi_operations = o;
  }
  o->function = function;
  rg_mpi_unlock();
}
__attribute__((noinline)) int MPI_Op_create(void *function, int commutes,
                                            void *op) {
  int result = PMPI_Op_create(function, commutes, op);
  rg_mpi_own_note(rg_mpi_handle_at(op, 0), function);
  return result;
}

/* Null, too, where nothing is reduced but integers. */
void *rg_mpi_own_operation(intptr_t op, intptr_t type) {
  void *function = NULL;
  rg_mpi_lock();
  for (struct rg_mpi_operation *o = rg_mpi_operations; o; o = o->next)
    if (o->op == op)
      function = o->function;
  rg_mpi_unlock();
  if (!function)
    return NULL;
  const rg_layout *l = rg_mpi_layout(type, "a reduction");
  return l->numbers || l->bytes ? function : NULL;
}
int rg_mpi_own_size(intptr_t comm) {
  int size = 0, inter = 0;
  MPI_Comm_test_inter(comm, &inter);
  if (inter)
    rg_mpi_stop("a reduction", "collective routines between two groups "
                               "(intercommunicators) have no derivative");
  MPI_Comm_size(comm, &size);
  return size;
}
int rg_mpi_own_rank(intptr_t comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}
int rg_mpi_own_counts(const int *counts, int ranks) {
  int64_t sum = 0;
  for (int r = 0; r < ranks; ++r)
    sum += counts[r];
  if (sum > INT32_MAX)
    rg_mpi_stop("MPI_Reduce_scatter", "%lld elements are too many",
                (long long)sum);
  return (int)sum;
}
int64_t rg_mpi_own_extent(intptr_t type) {
  intptr_t low = 0, extent = 0;
  MPI_Type_get_extent(type, &low, &extent);
  if (low || extent < 0)
    rg_mpi_stop("a reduction",
                "with an operation of MPI_Op_create, there is a derivative for "
                "datatypes whose lower bound is 0");
  return extent;
}
int rg_mpi_own_in_place(intptr_t from) { return (void *)from == RG_IN_PLACE; }
intptr_t rg_mpi_own_self(void) { return RG_COMM_SELF; }

/*===- Reductions that are complete later --------------------------------===*/

/* A place has a cell (rg.own.cells in the module) from the start of a reduction
 * until it is complete, or until its persistent request is given back. What is
 * complete stands in a list of the thread that has completed it. */
enum { RG_MOST_CELLS = 1024 };
unsigned char rg_mpi_own_places[RG_MOST_CELLS]; /* 1: once; 2: each start */
struct rg_mpi_own_done {
  struct rg_mpi_own_done *next;
  int64_t what;
};
_Thread_local struct rg_mpi_own_done *rg_mpi_own_ready;
_Thread_local int64_t rg_mpi_own_many;

void rg_mpi_own_complete(int64_t what) {
  struct rg_mpi_own_done *d = rg_mpi_memory(NULL, sizeof *d);
  *d = (struct rg_mpi_own_done){rg_mpi_own_ready, what};
  rg_mpi_own_ready = d;
  ++rg_mpi_own_many;
}
int64_t rg_mpi_own_count(void) { return rg_mpi_own_many; }
int64_t rg_mpi_own_next(void) {
  struct rg_mpi_own_done *d = rg_mpi_own_ready;
  const int64_t what = d->what;
  rg_mpi_own_ready = d->next;
  --rg_mpi_own_many;
  free(d);
  return what;
}
int64_t rg_mpi_own_keep(const void *request, int kind) {
  rg_open *o = rg_mpi_find(rg_mpi_handle_at(request, 0));
  rg_mpi_lock();
  int place = 0;
  while (place < RG_MOST_CELLS && rg_mpi_own_places[place])
    ++place;
  if (place < RG_MOST_CELLS)
    rg_mpi_own_places[place] = o && o->persistent ? 2 : 1;
  rg_mpi_unlock();
  if (place == RG_MOST_CELLS)
    rg_mpi_stop("a reduction",
                "more than %d reductions by operations of MPI_Op_create are "
                "under way",
                RG_MOST_CELLS);
  const int64_t what = (int64_t)kind * RG_MOST_CELLS + place;
  if (o)
    o->own = what + 1;
  else
    rg_mpi_own_complete(what);
  return place;
}
int rg_mpi_own_stands(int64_t place) {
  return place >= 0 && rg_mpi_own_places[place] == 2;
}
void rg_mpi_own_leave(int64_t place) {
  rg_mpi_lock();
  rg_mpi_own_places[place] = 0;
  rg_mpi_unlock();
}
/* Of a persistent request that is about to be given back; else no kind. */
int64_t rg_mpi_own_standing(const void *request) {
  const rg_open *o = rg_mpi_find(rg_mpi_handle_at(request, 0));
  return o && o->persistent && o->own ? o->own - 1 : -1;
}
