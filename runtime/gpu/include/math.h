/*===- math.h - mathematical functions by their C names, for devices ------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* Devices have no C library. What is declared here is called by the name that
|* the machine's library has for it once it is in the user's module
|* (Bitcode/RuntimeLibrary).
\*===------------------------------------------------------------------------===*/
#ifndef RETROGRAD_DEVICE_MATH_H
#define RETROGRAD_DEVICE_MATH_H

#define NAN __builtin_nanf("")
#define INFINITY __builtin_inff()
#define HUGE_VAL __builtin_inf()

/* long double is double here. */
#define RG_MATH(NAME)                                                          \
  double NAME(double);                                                         \
  float NAME##f(float);                                                        \
  long double NAME##l(long double) __asm__(#NAME);
#define RG_MATH2(NAME)                                                         \
  double NAME(double, double);                                                 \
  float NAME##f(float, float);                                                 \
  long double NAME##l(long double, long double) __asm__(#NAME);
/* clang-format off */
RG_MATH(sin) RG_MATH(cos) RG_MATH(tan) RG_MATH(log) RG_MATH(exp) RG_MATH(rint)
RG_MATH(floor) RG_MATH(trunc) RG_MATH(round) RG_MATH(fabs) RG_MATH(sqrt)
RG_MATH(sinpi) RG_MATH(cospi)
RG_MATH2(pow) RG_MATH2(fmod) RG_MATH2(remainder) RG_MATH2(hypot)
double scalbn(double, int);
/* clang-format on */
float scalbnf(float, int);
long double scalbnl(long double, int) __asm__("scalbn");
int ilogb(double);
int ilogbf(float);

#endif
