/*===- rgtest.h - what a self-checking test program needs ------------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|*
|* An execution test computes derivatives by the entry calls and compares them
|* with references that owe nothing to automatic differentiation: a central
|* difference of the user's own function, and a hand-written derivative where one
|* is easy. A mismatch prints one line; main ends in `return rgReport();`, which
|* fails when anything mismatched or when nothing was checked at all.
|*
|*   double x = 1.5;
|*   RG_GRAD(__enzyme_autodiff((void *)f, x), f(x), x);   // by differences
|*   RG_NEAR(__enzyme_autodiff((void *)f, x), 2 * x);     // by hand
|*   return rgReport();
|*
|* The difference is taken by changing the named variable in place, evaluating
|* the expression, and putting the old value back; so any expression works that
|* can be evaluated repeatedly, and any assignable thing can be the variable:
|* a scalar, a[3], p->mass. The formula is the fourth-order one (Richardson's
|* extrapolation of the plain central difference), whose error at the steps used
|* here is about 1e-12 for double, so that tolerances can be tight.
|*
|* Works in C and C++ and at every -O level, -ffast-math included (where isnan
|* would be folded away, hence rgFinite).
|*
\*===------------------------------------------------------------------------===*/
#ifndef RGTEST_H
#define RGTEST_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define RG_UNUSED __attribute__((unused))

static int rgChecks RG_UNUSED;
static int rgFailures RG_UNUSED;

/** Neither infinite nor NaN; by bits, since -ffast-math assumes both away. */
RG_UNUSED static int rgFinite(double V) {
  uint64_t Bits;
  memcpy(&Bits, &V, sizeof Bits);
  return ((Bits >> 52) & 0x7ff) != 0x7ff;
}

/** Counts one comparison; prints a line when Got is farther from Want than Tol,
 *  relative to max(1, |Want|). */
RG_UNUSED static void rgCompare(const char *File, int Line, const char *What,
                                double Got, double Want, double Tol) {
  double Error = Got > Want ? Got - Want : Want - Got;
  double Size = Want < 0 ? -Want : Want;
  ++rgChecks;
  if (rgFinite(Got) && rgFinite(Want) && Error <= Tol * (Size > 1 ? Size : 1))
    return;
  ++rgFailures;
  printf("%s:%d: %s: got %.12g, want %.12g (error %.2g, allowed %.2g)\n", File,
         Line, What, Got, Want, Error, Tol);
}

/** Counts one condition; prints a line when it does not hold. */
RG_UNUSED static void rgCondition(const char *File, int Line, const char *What,
                                  int Holds) {
  ++rgChecks;
  if (Holds)
    return;
  ++rgFailures;
  printf("%s:%d: does not hold: %s\n", File, Line, What);
}

/** The exit status of main, with a last line that says what was done. */
RG_UNUSED static int rgReport(void) {
  if (rgChecks == 0) {
    printf("nothing was checked\n");
    return 1;
  }
  printf("%d of %d checks passed\n", rgChecks - rgFailures, rgChecks);
  return rgFailures != 0;
}

/** Step of a difference for a variable of Size bytes at X: a power of two times
 *  the magnitude of X, about the fifth root of the type's precision. */
RG_UNUSED static long double rgStep(unsigned long Size, long double X) {
  long double Magnitude = 1;
  long double Step = Size == 2 ? 0x1p-3L : Size == 4 ? 0x1p-6L : 0x1p-10L;
  while (Magnitude < (X < 0 ? -X : X))
    Magnitude *= 2;
  return Step * Magnitude;
}

/** Tolerance against a difference, for a variable of Size bytes. */
RG_UNUSED static double rgTolerance(unsigned long Size) {
  return Size == 2 ? 5e-2 : Size == 4 ? 2e-3 : 1e-7;
}

/** d EXPR / d VAR by differences; VAR is changed in place and restored. */
#define RG_DIFF(EXPR, VAR)                                                     \
  (__extension__({                                                             \
    const __typeof__(VAR) RgOld = (VAR);                                       \
    const long double RgAt = (long double)RgOld;                               \
    const long double RgH = rgStep(sizeof(VAR), RgAt);                         \
    long double RgF[4];                                                        \
    (VAR) = (__typeof__(VAR))(RgAt + RgH);                                     \
    RgF[0] = (long double)(EXPR);                                              \
    (VAR) = (__typeof__(VAR))(RgAt - RgH);                                     \
    RgF[1] = (long double)(EXPR);                                              \
    (VAR) = (__typeof__(VAR))(RgAt + 2 * RgH);                                 \
    RgF[2] = (long double)(EXPR);                                              \
    (VAR) = (__typeof__(VAR))(RgAt - 2 * RgH);                                 \
    RgF[3] = (long double)(EXPR);                                              \
    (VAR) = RgOld;                                                             \
    (double)((8 * (RgF[0] - RgF[1]) - (RgF[2] - RgF[3])) / (12 * RgH));        \
  }))

/** GOT is WANT within TOL. */
#define RG_WITHIN(GOT, WANT, TOL)                                              \
  rgCompare(__FILE__, __LINE__, #GOT, (double)(GOT), (double)(WANT), (TOL))

/** GOT is the exactly known WANT, up to rounding of double arithmetic. */
#define RG_NEAR(GOT, WANT) RG_WITHIN(GOT, WANT, 1e-10)

/** GOT is the exactly known WANT, up to rounding of float arithmetic. */
#define RG_NEARF(GOT, WANT) RG_WITHIN(GOT, WANT, 2e-5)

/** GOT is the derivative of EXPR with respect to VAR. GOT is evaluated first,
 *  with VAR untouched. */
#define RG_GRAD(GOT, EXPR, VAR)                                                \
  do {                                                                         \
    const double RgGot = (double)(GOT);                                        \
    const double RgWant = RG_DIFF(EXPR, VAR);                                  \
    rgCompare(__FILE__, __LINE__, #GOT, RgGot, RgWant,                         \
              rgTolerance(sizeof(VAR)));                                       \
  } while (0)

/** D[i] is the derivative of EXPR with respect to A[i], for i < N. */
#define RG_GRADS(D, EXPR, A, N)                                                \
  do {                                                                         \
    for (int RgI = 0; RgI < (int)(N); ++RgI)                                   \
      RG_GRAD((D)[RgI], EXPR, (A)[RgI]);                                       \
  } while (0)

/** The reverse and the forward derivative of the one-argument function F at X
 *  agree with its difference. Needs __enzyme_autodiff and __enzyme_fwddiff in
 *  the `void *, ...` form. */
#define RG_UNARY(F, X)                                                         \
  do {                                                                         \
    double RgArg = (X);                                                        \
    RG_GRAD(__enzyme_autodiff((void *)(F), RgArg), F(RgArg), RgArg);           \
    RG_GRAD(__enzyme_fwddiff((void *)(F), RgArg, 1.0), F(RgArg), RgArg);       \
  } while (0)

/** COND holds. */
#define RG_TRUE(COND) rgCondition(__FILE__, __LINE__, #COND, (COND) ? 1 : 0)

#endif
