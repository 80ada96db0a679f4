// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What nests.c (the nests) and hand.c (gradients by hand) share.
#ifndef RETROGRAD_BENCH_NESTS_H
#define RETROGRAD_BENCH_NESTS_H

#include <math.h>
#include <stddef.h>

#define EACH(i, from, to) for (int i = (from); i < (to); i++)

// Arrays of n * n numbers, whatever a nest takes of them; at least one for each
// time step of fdtd_2d.
enum { MostArrays = 9, MostSteps = 20 };
static inline size_t numbers(int n) {
  return n * n < MostSteps ? MostSteps : (size_t)n * n;
}
typedef double *Arrays[MostArrays];
#define P(k) (void *)a[k]

/// heat_3d: the side of its cube.
static inline int side(int n) { return (int)cbrt((double)n * n + 0.5); }

// The nests that have a gradient by hand:
// void NAME_hand(int n, Arrays a, Arrays d).
// clang-format off
#define BY_HAND(X) \
  X(gemm) X(two_products) X(atax) X(syrk) X(symm) X(trmm) X(cholesky) X(durbin) X(jacobi_2d) X(seidel_2d) X(fdtd_2d) X(heat_3d)
#define DECLARE(f) void f##_run(int n, Arrays a); void f##_hand(int n, Arrays a, Arrays d);
// clang-format on
BY_HAND(DECLARE)
#undef DECLARE

#endif
