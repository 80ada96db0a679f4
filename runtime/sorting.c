/*===- sorting.c - qsort and bsearch of active data ------------------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* Sorting is a permutation, and which one is piecewise constant. So it is found by
|* the library's own routine, on indices, with the user's comparator on the user's
|* elements (rg_sort_order and rg_search have records: nothing active is written, and
|* the comparator needs no derivative). What is left to be differentiated is copies.
|*
|* glibc's qsort merges, so equal elements keep their order; the order of indices
|* breaks ties here, which gives the same result whatever the library does.
\*===------------------------------------------------------------------------===*/
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef int rg_compare(const void *, const void *);
typedef int rg_compare_with(const void *, const void *, void *);

struct rg_sorting {
  const char *base;
  size_t size;
  rg_compare *compare;
  rg_compare_with *compare_with; /* with argument, or null */
  void *argument;
};

static int rg_compare_indices(const void *a, const void *b, void *of) {
  const struct rg_sorting *s = of;
  uint64_t i = *(const uint64_t *)a, j = *(const uint64_t *)b;
  const char *x = s->base + i * s->size, *y = s->base + j * s->size;
  int order = s->compare_with ? s->compare_with(x, y, s->argument) : s->compare(x, y);
  return order ? order : (i > j) - (i < j);
}

/* Fills order[0..count) so that element order[i] of the unsorted array is element i
 * of the sorted one. One of the comparators is null. */
__attribute__((noinline)) void rg_sort_order(const void *base, size_t count, size_t size,
                                            rg_compare *compare,
                                            rg_compare_with *compare_with, void *argument,
                                            uint64_t *order) {
  struct rg_sorting s = {base, size, compare, compare_with, argument};
  for (size_t i = 0; i < count; ++i)
    order[i] = i;
  qsort_r(order, count, sizeof *order, rg_compare_indices, &s);
}

/* The number of an element of the sorted array that equals key; count if none. */
__attribute__((noinline)) size_t rg_search(const void *key, const void *base, size_t count,
                                          size_t size, rg_compare *compare) {
  const char *found = count ? bsearch(key, base, count, size, compare) : NULL;
  return found ? (size_t)(found - (const char *)base) / size : count;
}

static inline __attribute__((always_inline)) void
rg_permute(char *base, size_t count, size_t size, const uint64_t *order) {
  char *old = malloc(count * size);
  memcpy(old, base, count * size);
  for (size_t i = 0; i < count; ++i)
    memcpy(base + i * size, old + order[i] * size, size);
  free(old);
}

void rg_expand_qsort(void *base, size_t count, size_t size, rg_compare *compare) {
  if (count < 2 || !size)
    return;
  uint64_t *order = malloc(count * sizeof *order);
  rg_sort_order(base, count, size, compare, NULL, NULL, order);
  rg_permute(base, count, size, order);
  free(order);
}

void rg_expand_qsort_r(void *base, size_t count, size_t size, rg_compare_with *compare,
                       void *argument) {
  if (count < 2 || !size)
    return;
  uint64_t *order = malloc(count * sizeof *order);
  rg_sort_order(base, count, size, NULL, compare, argument, order);
  rg_permute(base, count, size, order);
  free(order);
}

void *rg_expand_bsearch(const void *key, const void *base, size_t count, size_t size,
                        rg_compare *compare) {
  size_t at = rg_search(key, base, count, size, compare);
  return at == count ? NULL : (char *)base + at * size;
}
