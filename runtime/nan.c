/*===- nan.c - the first adjoint that is not finite ------------------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* -rg-nan=report|trap: after each contribution to an adjoint the reverse sweep says
|* what it was made of. The sweep runs in the order in which adjoints come to be, so the
|* first one that is not finite is the origin of all others on its thread.
\*===------------------------------------------------------------------------===*/
#include "retrograd_runtime.h"

#include <stdio.h>
#include <stdlib.h>

_Thread_local int rg_nan_said;

static int rg_nan_finite(double x) { return x - x == 0; }

/* `where`: place and operation; `operands`: bit i, the value of operand i is known, bit 31
 * the result's; a, b, c, y: these values. */
__attribute__((noinline)) void rg_nan_check(double x, double seed, const char *where, uint32_t operand,
                              uint32_t known, double a, double b, double c, double y,
                              uint32_t trap) {
  if (rg_nan_finite(x) || rg_nan_said)
    return;
  rg_nan_said = 1;
  fflush(stdout);
  fprintf(stderr, "%s: the adjoint of operand %u became %g: adjoint of the result %g", where,
          operand + 1, x, seed);
  const double v[3] = {a, b, c};
  for (unsigned i = 0; i < 3; ++i)
    if (known >> i & 1)
      fprintf(stderr, ", operand %u = %.17g", i + 1, v[i]);
  if (known >> 31)
    fprintf(stderr, ", result = %.17g", y);
  fprintf(stderr, "%s [rg-nan]\n",
          rg_nan_finite(seed) ? "" : " (which came from outside of the derivative)");
  if (trap)
    abort();
}
