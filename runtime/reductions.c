/*===- reductions.c - variables that tasks reduce to ------------------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* task_reduction, in_reduction and the reduction of a taskloop: libomp has a copy per
|* thread. In a primal each task has one (lib/Parallel/OpenMPForm.cpp), which these
|* bodies make and add to the variable; they are differentiated like the user's code.
\*===------------------------------------------------------------------------===*/
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* libomp's record of one variable. */
struct rg_reduction {
  void *variable, *original;
  size_t bytes;
  void (*initialise)(void *copy, void *original);
  void (*finish)(void *copy);
  void (*combine)(void *to, void *from);
  uint64_t flags;
};
struct rg_reductions {
  uint64_t count;
  struct rg_reduction of[]; /* and behind them a sum for each */
};

static void **sum_of(struct rg_reductions *list, struct rg_reduction *r) {
  return (void **)(list->of + list->count) + (r - list->of);
}

static struct rg_reduction *find(struct rg_reductions *list, void *variable) {
  uint64_t i = 0;
  while (i + 1 < list->count && list->of[i].variable != variable)
    ++i;
  return &list->of[i];
}

static void *copy_of(struct rg_reduction *r) {
  /* libomp's size, of whole lines of the cache: clang 22 gives that of one element for an
   * array section of constant length. */
  void *copy = malloc((r->bytes + 63) / 64 * 64);
  if (r->initialise)
    r->initialise(copy, r->original);
  else
    memset(copy, 0, r->bytes);
  return copy;
}

static void add(struct rg_reduction *r, void *to, void *copy) {
  r->combine(to, copy);
  if (r->finish)
    r->finish(copy);
  free(copy);
}

/* The group of tasks begins. */
void rg_reduction_begin(struct rg_reductions *list) {
  for (uint64_t i = 0; i < list->count; ++i)
    *sum_of(list, &list->of[i]) = copy_of(&list->of[i]);
}

/* All tasks have ended. */
void rg_reduction_end(struct rg_reductions *list) {
  for (uint64_t i = 0; i < list->count; ++i)
    add(&list->of[i], list->of[i].variable, *sum_of(list, &list->of[i]));
}

/* A task begins, and ends, in a turn. */
void *rg_reduction_copy(struct rg_reductions *list, void *variable) { return copy_of(find(list, variable)); }
void rg_reduction_add(struct rg_reductions *list, void *variable, void *copy) {
  struct rg_reduction *r = find(list, variable);
  add(r, *sum_of(list, r), copy);
}
