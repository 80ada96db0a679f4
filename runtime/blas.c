/*===- blas.c - derivatives of BLAS routines -------------------------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* The functions behind the Rule records of lib/Catalogue/Blas.td; what they take
|* and return is in docs/CustomRules.md. They call the user's BLAS.
\*===------------------------------------------------------------------------===*/
#include "retrograd_rule.h"

/* First element of a vector in BLAS counting: a negative increment starts at
 * the end. */
static int64_t first(int64_t n, int64_t inc) { return inc < 0 ? (1 - n) * inc : 0; }

static double *packed(rg_arena *arena, int64_t n, const double *x, int64_t inc) {
  double *copy = rg_tape_alloc(arena, n * sizeof(double));
  x += first(n, inc);
  for (int64_t i = 0; i < n; ++i)
    copy[i] = x[i * inc];
  return copy;
}

/*===- r = x . y -----------------------------------------------------------===*/

double cblas_ddot(int n, const double *x, int incx, const double *y, int incy);

typedef struct {
  const double *x, *y; /* packed, where the reverse sweep needs them */
} dot_tape;

void *rg_rule_ddot_augment(rg_arena *arena, uint64_t active, uint64_t stable, int n,
                           const double *x, int incx, const double *y, int incy,
                           double *result) {
  (void)stable;
  *result = cblas_ddot(n, x, incx, y, incy);
  dot_tape *t = rg_tape_alloc(arena, sizeof *t);
  t->x = n > 0 && RG_ACTIVE(active, 3) ? packed(arena, n, x, incx) : 0;
  t->y = n > 0 && RG_ACTIVE(active, 1) ? packed(arena, n, y, incy) : 0;
  return t;
}

static void add_scaled(int64_t n, double a, const double *from, double *to, int64_t inc) {
  to += first(n, inc);
  for (int64_t i = 0; i < n; ++i)
    to[i * inc] += a * from[i];
}

void rg_rule_ddot_reverse(rg_arena *arena, uint64_t lanes, void *tape, int n, const double *x,
                          double *const *dx, int incx, const double *y, double *const *dy,
                          int incy, const double *seeds) {
  (void)arena, (void)x, (void)y;
  const dot_tape *t = tape;
  for (uint64_t k = 0; seeds && k < lanes; ++k) {
    if (n > 0 && dx && dx[k])
      add_scaled(n, seeds[k], t->y, dx[k], incx);
    if (n > 0 && dy && dy[k])
      add_scaled(n, seeds[k], t->x, dy[k], incy);
  }
}

void rg_rule_ddot_forward(uint64_t lanes, int n, const double *x, double *const *dx, int incx,
                          const double *y, double *const *dy, int incy, double *result,
                          double *tangents) {
  for (uint64_t k = 0; k < lanes; ++k) {
    tangents[k] = 0;
    if (dx && dx[k])
      tangents[k] += cblas_ddot(n, dx[k], incx, y, incy);
    if (dy && dy[k])
      tangents[k] += cblas_ddot(n, x, incx, dy[k], incy);
  }
  *result = cblas_ddot(n, x, incx, y, incy);
}
