/*===- special.c - functions that derivatives need and libm lacks ---------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* The digamma function psi = (log Gamma)', which is in the derivatives of tgamma
|* and lgamma, and its own derivatives, the polygamma functions psi^(n). The
|* catalogue has records for both, so derivatives of any order close.
|*
|* Method. Both have an asymptotic series in 1/x (Abramowitz and Stegun 6.3.18 and
|* 6.4.11, the B are Bernoulli numbers):
|*
|*   psi(x)     ~ log x - 1/(2x) - sum_k B(2k) / (2k x^(2k))
|*   psi^(n)(x) ~ (-1)^(n+1) [ (n-1)!/x^n + n!/(2 x^(n+1))
|*                             + sum_k B(2k) (2k+n-1)! / ((2k)! x^(2k+n)) ]
|*
|* Smaller positive arguments are moved up by the recurrence
|*   psi^(n)(x) = psi^(n)(x+1) - (-1)^n n! / x^(n+1),
|* and negative ones are reflected:
|*   (-1)^n psi^(n)(1-x) - psi^(n)(x) = d^n/dx^n (pi cot(pi x)).
|*
|* Accuracy: a few units in the last place of |psi| + 1; near the zero of psi at
|* 1.4616... that is an absolute bound. Poles (0, -1, -2, ...) give NaN.
\*===------------------------------------------------------------------------===*/

#include <math.h>

/* B(2), B(4), ..., B(24) as exact quotients. */
#define RG_BERNOULLI_TERMS 12
static const double RgBernoulliOver[RG_BERNOULLI_TERMS] = {
    1, -1, 1, -1, 5, -691, 7, -3617, 43867, -174611, 854513, -236364091};
static const double RgBernoulliUnder[RG_BERNOULLI_TERMS] = {
    6, 30, 42, 30, 66, 2730, 6, 510, 798, 330, 138, 2730};

/* The order up to which the cotangent is derived; second derivatives of a
   program ask for order 1, third ones for 2. */
#define RG_MAX_ORDER 32

/* From `Far` on, the 12 terms give more digits than the type has. */
#define RG_DEFINE_POLYGAMMA(Type, Suffix, Far, Literal)                        \
  Type rg_digamma##Suffix(Type X) {                                            \
    const Type Pi = Literal(3.14159265358979323846264338327950288);            \
    Type Sum = 0;                                                              \
    if (X <= 0) {                                                              \
      /* Taken from the nearest integer, so that pi x is no big number. */     \
      Type Off = X - rint##Suffix(X);                                          \
      if (Off == 0)                                                            \
        return (Type)NAN;                                                      \
      Sum = -Pi / tan##Suffix(Pi * Off);                                       \
      X = 1 - X;                                                               \
    }                                                                          \
    for (; X < Far; X += 1)                                                    \
      Sum -= 1 / X;                                                            \
    Type Inverse = 1 / (X * X), Series = 0;                                    \
    for (int K = RG_BERNOULLI_TERMS; K > 0; --K)                               \
      Series = (Series + (Type)RgBernoulliOver[K - 1] /                        \
                             ((Type)RgBernoulliUnder[K - 1] * (2 * K))) *      \
               Inverse;                                                        \
    return Sum + (log##Suffix(X) - Literal(0.5) / X - Series);                 \
  }                                                                            \
                                                                               \
  /* d^n/dx^n (pi cot(pi x)) as a polynomial in c = cot(pi x), by             \
     d/dx p(c) = -pi (1 + c^2) p'(c). */                                       \
  static Type rgCotDerivative##Suffix(int N, Type X) {                         \
    const Type Pi = Literal(3.14159265358979323846264338327950288);            \
    Type Off = X - rint##Suffix(X);                                            \
    if (Off == 0)                                                              \
      return (Type)NAN;                                                        \
    Type C = 1 / tan##Suffix(Pi * Off);                                        \
    Type P[RG_MAX_ORDER + 2] = {0, Pi}, Q[RG_MAX_ORDER + 2];                   \
    for (int D = 1; D <= N; ++D) {                                             \
      /* P has degree D, Q = -pi (1 + c^2) P' has degree D + 1. */             \
      for (int I = 0; I <= D + 1; ++I) {                                       \
        Type Low = I + 1 <= D ? (I + 1) * P[I + 1] : 0;                        \
        Type High = I >= 1 && I - 1 < D + 1 ? (I - 1) * P[I - 1] : 0;          \
        Q[I] = -Pi * (Low + High);                                             \
      }                                                                        \
      for (int I = 0; I <= D + 1; ++I)                                         \
        P[I] = Q[I];                                                           \
    }                                                                          \
    Type Value = 0;                                                            \
    for (int I = N + 1; I >= 0; --I)                                           \
      Value = Value * C + P[I];                                                \
    return Value;                                                              \
  }                                                                            \
                                                                               \
  Type rg_polygamma##Suffix(int N, Type X) {                                   \
    if (N == 0)                                                                \
      return rg_digamma##Suffix(X);                                            \
    if (N < 0 || N > RG_MAX_ORDER)                                             \
      return (Type)NAN;                                                        \
    if (X <= 0) {                                                              \
      Type Reflected = rg_polygamma##Suffix(N, 1 - X);                         \
      return (N % 2 ? -Reflected : Reflected) - rgCotDerivative##Suffix(N, X); \
    }                                                                          \
    Type Factorial = 1; /* (n-1)! */                                           \
    for (int I = 2; I < N; ++I)                                                \
      Factorial *= I;                                                          \
    Type Sum = 0;                                                              \
    /* Higher orders converge later: move further up. */                      \
    for (; X < Far + N; X += 1)                                                \
      Sum += pow##Suffix(X, -(Type)(N + 1));                                   \
    Sum *= Factorial * N;                                                      \
    /* The factor (2k+n-1)!/(2k)! x^-2k of term k, from that of term k-1. */   \
    Type Term = Factorial, Inverse = 1 / (X * X), Series = 0;                  \
    for (int K = 1; K <= RG_BERNOULLI_TERMS; ++K) {                            \
      Term *= Inverse * (Type)(2 * K + N - 1) * (Type)(2 * K + N - 2) /        \
              ((Type)(2 * K) * (Type)(2 * K - 1));                             \
      Series += Term * (Type)RgBernoulliOver[K - 1] /                          \
                (Type)RgBernoulliUnder[K - 1];                                 \
    }                                                                          \
    Sum += (Factorial + Factorial * N / (2 * X) + Series) *                    \
           pow##Suffix(X, -(Type)N);                                           \
    return N % 2 ? Sum : -Sum;                                                 \
  }

#define RG_DOUBLE(Number) Number
#define RG_LONG_DOUBLE(Number) Number##L
RG_DEFINE_POLYGAMMA(double, , 10, RG_DOUBLE)
RG_DEFINE_POLYGAMMA(long double, l, 18, RG_LONG_DOUBLE)

float rg_digammaf(float X) { return (float)rg_digamma(X); }
float rg_polygammaf(int N, float X) { return (float)rg_polygamma(N, X); }
