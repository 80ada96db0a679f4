/*===- rounded.c - numbers of 16 bits that are rounded in a direction
-------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* Routines with records: where a number is rounded to has no derivative of its
|* own, so the result moves as the number does.
\*===------------------------------------------------------------------------===*/
#include <math.h>

enum { TO_ZERO, DOWN, UP };

/* Of `digits` bits, whose last is worth 2^least or more. */
static double rounded(double x, int digits, int least, double most, int way) {
  int exponent;
  if (x == 0 || isnan(x) || isinf(x))
    return x;
  frexp(x, &exponent);
  int unit = exponent - digits < least ? least : exponent - digits;
  double units = ldexp(x, -unit);
  units = way == TO_ZERO ? trunc(units)
          : way == DOWN  ? floor(units)
                         : ceil(units);
  double r = ldexp(units, unit);
  if (fabs(r) <= most)
    return r;
  if (way == TO_ZERO || (way == DOWN) == (r > 0))
    return copysign(most, r);
  return copysign(HUGE_VAL, r);
}
double rg_rounded_half(double x, int way) {
  return rounded(x, 11, -24, 65504, way);
}
double rg_rounded_bfloat(double x, int way) {
  return rounded(x, 8, -133, 0x1.fep127, way);
}
