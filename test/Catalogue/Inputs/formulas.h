/*===- formulas.h - how one record of the catalogue is tested --------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* The generated programs beside this folder are one line per function; this header
|* says what a line means: the reverse and the forward derivative of that function,
|* at points spread over its domain, against a central difference of sixth order of
|* its long double form. The macro's suffix is the prototype: F for an operand of
|* the type under test, I for an integer, X for a long double that has no share.
\*===------------------------------------------------------------------------===*/
#ifndef RG_FORMULAS_H
#define RG_FORMULAS_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "rgtest.h"
#include <math.h>

typedef RG_REAL Real;
typedef struct { Real X, Y; } Two;
typedef struct { Real X, Y, Z; } Three;

extern int enzyme_const;
Real __enzyme_autodiff_F(Real (*)(Real), Real);
Real __enzyme_fwddiff_F(Real (*)(Real), Real, Real);
Two __enzyme_autodiff_FF(Real (*)(Real, Real), Real, Real);
Real __enzyme_fwddiff_FF(Real (*)(Real, Real), Real, Real, Real, Real);
Three __enzyme_autodiff_FFF(Real (*)(Real, Real, Real), Real, Real, Real);
Real __enzyme_fwddiff_FFF(Real (*)(Real, Real, Real), Real, Real, Real, Real,
                          Real, Real);
Real __enzyme_autodiff_IF(Real (*)(int, Real), int, Real);
Real __enzyme_fwddiff_IF(Real (*)(int, Real), int, Real, Real);
Real __enzyme_autodiff_FI(Real (*)(Real, int), Real, int);
Real __enzyme_fwddiff_FI(Real (*)(Real, int), Real, Real, int);
Real __enzyme_autodiff_FX(Real (*)(Real, long double), Real, int, long double);
Real __enzyme_fwddiff_FX(Real (*)(Real, long double), Real, Real, int,
                         long double);

enum { RG_SAMPLES = 12 };

/** The I-th point of a sequence that fills [Lo, Hi] evenly, for operand Op. */
RG_UNUSED static Real rgSample(int I, int Op, double Lo, double Hi) {
  double Turn = (I + 1) * (0.6180339887498949 + 0.1357 * Op) + 0.21 * Op;
  return (Real)(Lo + (Hi - Lo) * (Turn - (double)(long)Turn));
}

/** The same for an integer operand. */
RG_UNUSED static int rgIntSample(int I, int Lo, int Hi) {
  return Lo + (I * 7) % (Hi - Lo + 1);
}

/** What rounding of the type under test may add to a record's tolerance. */
RG_UNUSED static double rgBound(double Tolerance) {
  return sizeof(Real) == 4 && Tolerance < 3e-5 ? 3e-5 : Tolerance;
}

/** The derivative of CALL, an expression over the long double At, at X. */
#define RG_DIFFERENCE(X, CALL)                                                 \
  (__extension__({                                                             \
    const long double RgX = (X);                                               \
    const long double RgSize = RgX < 0 ? -RgX : RgX;                           \
    const long double RgH = 0x1p-9L * (RgSize > 1 ? RgSize / 4 : 0.25L);       \
    long double RgF[7];                                                        \
    for (int RgK = 0; RgK < 7; ++RgK) {                                        \
      const long double At = RgX + (RgK - 3) * RgH;                            \
      RgF[RgK] = (CALL);                                                       \
    }                                                                          \
    (45 * (RgF[4] - RgF[2]) - 9 * (RgF[5] - RgF[1]) + (RgF[6] - RgF[0])) /     \
        (60 * RgH);                                                            \
  }))

#define RG_CHECK(What, Got, Want, Tolerance)                                   \
  rgCompare(__FILE__, __LINE__, What, (double)(Got), (double)(Want),           \
            rgBound(Tolerance))

#define RG_FORMULA_F(Name, Lo, Hi, Tolerance)                                  \
  static Real primal_##Name(Real X) { return RG_FORM(Name)(X); }               \
  static void test_##Name(void) {                                              \
    for (int I = 0; I < RG_SAMPLES; ++I) {                                     \
      Real X = rgSample(I, 0, Lo, Hi);                                         \
      long double Want = RG_DIFFERENCE(X, Name##l(At));                        \
      RG_CHECK(#Name ", reverse", __enzyme_autodiff_F(primal_##Name, X), Want, \
               Tolerance);                                                     \
      RG_CHECK(#Name ", forward", __enzyme_fwddiff_F(primal_##Name, X, 1),     \
               Want, Tolerance);                                               \
    }                                                                          \
  }

#define RG_FORMULA_FF(Name, Lo0, Hi0, Lo1, Hi1, Tolerance)                     \
  static Real primal_##Name(Real X, Real Y) { return RG_FORM(Name)(X, Y); }    \
  static void test_##Name(void) {                                              \
    for (int I = 0; I < RG_SAMPLES; ++I) {                                     \
      Real X = rgSample(I, 0, Lo0, Hi0), Y = rgSample(I, 1, Lo1, Hi1);         \
      long double DX = RG_DIFFERENCE(X, Name##l(At, Y));                       \
      /* NaN where the function is defined for isolated Y alone: no share. */  \
      long double DY = Lo1 == Hi1 ? 0 : RG_DIFFERENCE(Y, Name##l(X, At));      \
      Two Got = __enzyme_autodiff_FF(primal_##Name, X, Y);                     \
      RG_CHECK(#Name ", reverse, x", Got.X, DX, Tolerance);                    \
      RG_CHECK(#Name ", reverse, y", Got.Y, DY, Tolerance);                    \
      RG_CHECK(#Name ", forward, x",                                           \
               __enzyme_fwddiff_FF(primal_##Name, X, 1, Y, 0), DX, Tolerance); \
      RG_CHECK(#Name ", forward, y",                                           \
               __enzyme_fwddiff_FF(primal_##Name, X, 0, Y, 1), DY, Tolerance); \
    }                                                                          \
  }

#define RG_FORMULA_FFF(Name, Lo0, Hi0, Lo1, Hi1, Lo2, Hi2, Tolerance)          \
  static Real primal_##Name(Real X, Real Y, Real Z) {                          \
    return RG_FORM(Name)(X, Y, Z);                                             \
  }                                                                            \
  static void test_##Name(void) {                                              \
    for (int I = 0; I < RG_SAMPLES; ++I) {                                     \
      Real X = rgSample(I, 0, Lo0, Hi0), Y = rgSample(I, 1, Lo1, Hi1);         \
      Real Z = rgSample(I, 2, Lo2, Hi2);                                       \
      long double DX = RG_DIFFERENCE(X, Name##l(At, Y, Z));                    \
      long double DY = RG_DIFFERENCE(Y, Name##l(X, At, Z));                    \
      long double DZ = RG_DIFFERENCE(Z, Name##l(X, Y, At));                    \
      Three Got = __enzyme_autodiff_FFF(primal_##Name, X, Y, Z);               \
      RG_CHECK(#Name ", reverse, x", Got.X, DX, Tolerance);                    \
      RG_CHECK(#Name ", reverse, y", Got.Y, DY, Tolerance);                    \
      RG_CHECK(#Name ", reverse, z", Got.Z, DZ, Tolerance);                    \
      RG_CHECK(#Name ", forward",                                              \
               __enzyme_fwddiff_FFF(primal_##Name, X, 1, Y, 2, Z, 3),          \
               DX + 2 * DY + 3 * DZ, Tolerance);                               \
    }                                                                          \
  }

#define RG_FORMULA_IF(Name, Lo0, Hi0, Lo1, Hi1, Tolerance)                     \
  static Real primal_##Name(int N, Real X) { return RG_FORM(Name)(N, X); }     \
  static void test_##Name(void) {                                              \
    for (int I = 0; I < RG_SAMPLES; ++I) {                                     \
      int N = rgIntSample(I, Lo0, Hi0);                                        \
      Real X = rgSample(I, 0, Lo1, Hi1);                                       \
      long double Want = RG_DIFFERENCE(X, Name##l(N, At));                     \
      RG_CHECK(#Name ", reverse", __enzyme_autodiff_IF(primal_##Name, N, X),   \
               Want, Tolerance);                                               \
      RG_CHECK(#Name ", forward", __enzyme_fwddiff_IF(primal_##Name, N, X, 1), \
               Want, Tolerance);                                               \
    }                                                                          \
  }

#define RG_FORMULA_FI(Name, Lo0, Hi0, Lo1, Hi1, Tolerance)                     \
  static Real primal_##Name(Real X, int N) { return RG_FORM(Name)(X, N); }     \
  static void test_##Name(void) {                                              \
    for (int I = 0; I < RG_SAMPLES; ++I) {                                     \
      Real X = rgSample(I, 0, Lo0, Hi0);                                       \
      int N = rgIntSample(I, Lo1, Hi1);                                        \
      long double Want = RG_DIFFERENCE(X, Name##l(At, N));                     \
      RG_CHECK(#Name ", reverse", __enzyme_autodiff_FI(primal_##Name, X, N),   \
               Want, Tolerance);                                               \
      RG_CHECK(#Name ", forward", __enzyme_fwddiff_FI(primal_##Name, X, 1, N), \
               Want, Tolerance);                                               \
    }                                                                          \
  }

#define RG_FORMULA_FX(Name, Lo0, Hi0, Lo1, Hi1, Tolerance)                     \
  static Real primal_##Name(Real X, long double Y) {                           \
    return RG_FORM(Name)(X, Y);                                                \
  }                                                                            \
  static void test_##Name(void) {                                              \
    for (int I = 0; I < RG_SAMPLES; ++I) {                                     \
      Real X = rgSample(I, 0, Lo0, Hi0);                                       \
      long double Y = (long double)rgSample(I, 1, Lo1, Hi1);                   \
      long double Want = RG_DIFFERENCE(X, Name##l(At, Y));                     \
      RG_CHECK(#Name ", reverse",                                              \
               __enzyme_autodiff_FX(primal_##Name, X, enzyme_const, Y), Want,  \
               Tolerance);                                                     \
      RG_CHECK(#Name ", forward",                                              \
               __enzyme_fwddiff_FX(primal_##Name, X, 1, enzyme_const, Y),      \
               Want, Tolerance);                                               \
    }                                                                          \
  }

#endif
