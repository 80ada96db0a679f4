/*===- expansions.c - library routines spelt in simpler ones --------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* A routine that has several results, or whose derivative is a program rather than
|* a formula, is replaced by a body in terms of the real functions that have
|* formulas; that body is then differentiated like the user's code. The catalogue's
|* Expansion records say which routine stands for which.
|*
|* The bodies also compute the primal values, so they must be as good as the
|* library's: the formulas for the complex elementary functions are Kahan's
|* ("Branch Cuts for Complex Elementary Functions, or Much Ado About Nothing's Sign
|* Bit", 1987), which do not cancel near branch points. What they leave out: errno,
|* floating-point exceptions, and some of the results that Annex G of C asks for at
|* infinities.
|*
|* No complex multiplication or division stands in this file: clang would call
|* __muldc3 and __divdc3 for it, and those are expanded here.
\*===------------------------------------------------------------------------===*/

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#define RE(Z) __real__(Z)
#define IM(Z) __imag__(Z)
#define MAKE(Re, Im) __builtin_complex(Re, Im)

#define RG_DEFINE_EXPANSIONS(Type, F, Complex, Mul, Div, HugeLimit, LogLimit)  \
                                                                               \
  /* Pairs of results. */                                                      \
                                                                               \
  void rg_expand_sincos##F(Type X, Type *Sin, Type *Cos) {                     \
    Type S = sin##F(X), C = cos##F(X);                                         \
    *Sin = S;                                                                  \
    *Cos = C;                                                                  \
  }                                                                            \
                                                                               \
  Type rg_expand_modf##F(Type X, Type *Whole) {                                \
    Type W = trunc##F(X);                                                      \
    *Whole = W;                                                                \
    return __builtin_isinf(X) ? 0 : X - W;                                     \
  }                                                                            \
                                                                               \
  Type rg_expand_frexp##F(Type X, int *Exponent) {                             \
    if (X == 0 || !__builtin_isfinite(X)) {                                    \
      *Exponent = 0;                                                           \
      return X;                                                                \
    }                                                                          \
    int E = ilogb##F(X) + 1;                                                   \
    *Exponent = E;                                                             \
    return scalbn##F(X, -E);                                                   \
  }                                                                            \
                                                                               \
  Type rg_expand_lgamma_r##F(Type X, int *Sign) {                              \
    /* Gamma is negative between -1 and 0, -3 and -2, ... */                   \
    *Sign = X < 0 && fmod##F(floor##F(X), 2) != 0 ? -1 : 1;                    \
    return lgamma##F(X);                                                       \
  }                                                                            \
                                                                               \
  Type rg_expand_remquo##F(Type X, Type Y, int *Quotient) {                    \
    Type Rest = remainder##F(X, Y);                                            \
    /* Only the low bits of the quotient are asked for: so x modulo 8 y, which \
       is exact, does, and its quotient is small. */                           \
    Type Low = rint##F((fmod##F(X, 8 * Y) - Rest) / Y);                        \
    int Q = fabs##F(Low) <= 16 ? (int)Low : 0;                                 \
    *Quotient = Q < 0 ? -(-Q & 7) : Q & 7;                                     \
    return Rest;                                                               \
  }                                                                            \
                                                                               \
  /* Arithmetic (Annex G of C: what came out NaN though an operand was         \
     infinite is an infinity). */                                              \
                                                                               \
  Type Complex rg_expand_##Mul(Type A, Type B, Type C, Type D) {               \
    Type Re = A * C - B * D, Im = A * D + B * C;                               \
    if (__builtin_isnan(Re) && __builtin_isnan(Im)) {                          \
      int Left = __builtin_isinf(A) || __builtin_isinf(B);                     \
      int Right = __builtin_isinf(C) || __builtin_isinf(D);                    \
      if (Left || Right) {                                                     \
        if (Left) {                                                            \
          A = copysign##F(__builtin_isinf(A) ? 1 : 0, A);                      \
          B = copysign##F(__builtin_isinf(B) ? 1 : 0, B);                      \
        }                                                                      \
        if (Right) {                                                           \
          C = copysign##F(__builtin_isinf(C) ? 1 : 0, C);                      \
          D = copysign##F(__builtin_isinf(D) ? 1 : 0, D);                      \
        }                                                                      \
        A = __builtin_isnan(A) ? 0 : A;                                        \
        B = __builtin_isnan(B) ? 0 : B;                                        \
        C = __builtin_isnan(C) ? 0 : C;                                        \
        D = __builtin_isnan(D) ? 0 : D;                                        \
        Re = (Type)INFINITY * (A * C - B * D);                                 \
        Im = (Type)INFINITY * (A * D + B * C);                                 \
      }                                                                        \
    }                                                                          \
    return MAKE(Re, Im);                                                       \
  }                                                                            \
                                                                               \
  /* Smith's division: by the quotient of the smaller part of the divisor      \
     through the larger, so that no square overflows. */                       \
  Type Complex rg_expand_##Div(Type A, Type B, Type C, Type D) {               \
    if (__builtin_isinf(C) || __builtin_isinf(D)) {                            \
      if (__builtin_isfinite(A) && __builtin_isfinite(B)) {                    \
        C = copysign##F(__builtin_isinf(C) ? 1 : 0, C);                        \
        D = copysign##F(__builtin_isinf(D) ? 1 : 0, D);                        \
        return MAKE(0 * (A * C + B * D), 0 * (B * C - A * D));                 \
      }                                                                        \
    }                                                                          \
    if (C == 0 && D == 0)                                                      \
      return MAKE(A / C, B / C);                                               \
    if (fabs##F(C) >= fabs##F(D)) {                                            \
      Type Ratio = D / C, Scale = C + D * Ratio;                               \
      return MAKE((A + B * Ratio) / Scale, (B - A * Ratio) / Scale);           \
    }                                                                          \
    Type Ratio = C / D, Scale = C * Ratio + D;                                 \
    return MAKE((A * Ratio + B) / Scale, (B * Ratio - A) / Scale);             \
  }                                                                            \
                                                                               \
  /* Parts. */                                                                 \
                                                                               \
  Type rg_expand_creal##F(Type Complex Z) { return RE(Z); }                    \
  Type rg_expand_cimag##F(Type Complex Z) { return IM(Z); }                    \
  Type rg_expand_cabs##F(Type Complex Z) { return hypot##F(RE(Z), IM(Z)); }    \
  Type rg_expand_carg##F(Type Complex Z) { return atan2##F(IM(Z), RE(Z)); }    \
  Type Complex rg_expand_conj##F(Type Complex Z) {                             \
    return MAKE(RE(Z), -IM(Z));                                                \
  }                                                                            \
  Type Complex rg_expand_cproj##F(Type Complex Z) {                            \
    if (__builtin_isinf(RE(Z)) || __builtin_isinf(IM(Z)))                      \
      return MAKE((Type)INFINITY, copysign##F(0, IM(Z)));                      \
    return Z;                                                                  \
  }                                                                            \
                                                                               \
  /* Roots, exponentials, logarithms. */                                       \
                                                                               \
  static inline Type Complex rgSqrt##F(Type X, Type Y) {                       \
    if (X == 0 && Y == 0)                                                      \
      return MAKE((Type)0, copysign##F(0, Y));                                 \
    if (__builtin_isinf(Y))                                                    \
      return MAKE((Type)INFINITY, Y);                                          \
    Type Back = 1;                                                             \
    if (fabs##F(X) > HugeLimit || fabs##F(Y) > HugeLimit) {                    \
      X *= (Type)0.0625;                                                       \
      Y *= (Type)0.0625;                                                       \
      Back = 4;                                                                \
    }                                                                          \
    /* The larger part by a sum of positive terms, the other by a quotient. */ \
    Type Large = sqrt##F((fabs##F(X) + hypot##F(X, Y)) / 2);                   \
    Type Small = Y / (2 * Large);                                              \
    if (X >= 0)                                                                \
      return MAKE(Back * Large, Back * Small);                                 \
    return MAKE(Back * fabs##F(Small),                                         \
                __builtin_signbit(Y) ? -(Back * Large) : Back * Large);        \
  }                                                                            \
  Type Complex rg_expand_csqrt##F(Type Complex Z) {                            \
    return rgSqrt##F(RE(Z), IM(Z));                                            \
  }                                                                            \
                                                                               \
  static inline Type Complex rgExp##F(Type X, Type Y) {                        \
    if (X > LogLimit) { /* cos y may bring e^x back into range */              \
      Type Half = exp##F(X / 2);                                               \
      return MAKE(Half * cos##F(Y) * Half,                                     \
                  Y == 0 && __builtin_isinf(Half) ? Y                          \
                                                  : Half * sin##F(Y) * Half);  \
    }                                                                          \
    Type Modulus = exp##F(X);                                                  \
    return MAKE(Modulus * cos##F(Y), Modulus * sin##F(Y));                     \
  }                                                                            \
  Type Complex rg_expand_cexp##F(Type Complex Z) {                             \
    return rgExp##F(RE(Z), IM(Z));                                             \
  }                                                                            \
                                                                               \
  /* log |z|: near |z| = 1 by what |z|^2 differs from 1. */                    \
  static inline Type rgLogAbs##F(Type X, Type Y) {                             \
    Type Modulus = hypot##F(X, Y);                                             \
    if (Modulus > (Type)0.5 && Modulus < 2) {                                  \
      Type AX = fabs##F(X), AY = fabs##F(Y);                                   \
      if (AX >= AY)                                                            \
        return log1p##F((AX - 1) * (AX + 1) + AY * AY) / 2;                    \
      return log1p##F((AY - 1) * (AY + 1) + AX * AX) / 2;                      \
    }                                                                          \
    return log##F(Modulus);                                                    \
  }                                                                            \
  Type Complex rg_expand_clog##F(Type Complex Z) {                             \
    return MAKE(rgLogAbs##F(RE(Z), IM(Z)), atan2##F(IM(Z), RE(Z)));            \
  }                                                                            \
  Type Complex rg_expand_clog10##F(Type Complex Z) {                           \
    const Type InvLn10 = (Type)0.434294481903251827651128918916605082294397L;  \
    return MAKE(rgLogAbs##F(RE(Z), IM(Z)) * InvLn10,                           \
                atan2##F(IM(Z), RE(Z)) * InvLn10);                             \
  }                                                                            \
                                                                               \
  Type Complex rg_expand_cpow##F(Type Complex Z, Type Complex W) {             \
    Type U = RE(W), V = IM(W);                                                 \
    if (U == 0 && V == 0)                                                      \
      return MAKE((Type)1, (Type)0);                                           \
    if (RE(Z) == 0 && IM(Z) == 0) {                                            \
      if (U > 0) /* z^1 is z; higher powers have derivative 0 too */           \
        return U == 1 && V == 0 ? Z : MAKE((Type)0, (Type)0);                  \
      return MAKE((Type)NAN, (Type)NAN);                                       \
    }                                                                          \
    Type Log = rgLogAbs##F(RE(Z), IM(Z)), Angle = atan2##F(IM(Z), RE(Z));      \
    Type Modulus = pow##F(hypot##F(RE(Z), IM(Z)), U) * exp##F(-V * Angle);     \
    Type Turn = U * Angle + V * Log;                                           \
    return MAKE(Modulus * cos##F(Turn), Modulus * sin##F(Turn));               \
  }                                                                            \
                                                                               \
  /* Hyperbolic and circular functions: f(iz) = i g(z) ties them. */           \
                                                                               \
  static inline Type Complex rgSinh##F(Type X, Type Y) {                       \
    return MAKE(sinh##F(X) * cos##F(Y), cosh##F(X) * sin##F(Y));               \
  }                                                                            \
  static inline Type Complex rgCosh##F(Type X, Type Y) {                       \
    return MAKE(cosh##F(X) * cos##F(Y), sinh##F(X) * sin##F(Y));               \
  }                                                                            \
  static inline Type Complex rgTanh##F(Type X, Type Y) {                       \
    if (fabs##F(X) > 22) {                                                     \
      Type Rest = exp##F(-fabs##F(X));                                         \
      return MAKE(copysign##F(1, X), 4 * sin##F(Y) * cos##F(Y) * Rest * Rest); \
    }                                                                          \
    Type T = tan##F(Y), Secant = 1 + T * T;                                    \
    Type S = sinh##F(X), C = cosh##F(X);                                       \
    Type Under = 1 + Secant * S * S;                                           \
    return MAKE(Secant * C * S / Under, T / Under);                            \
  }                                                                            \
  Type Complex rg_expand_csinh##F(Type Complex Z) {                            \
    return rgSinh##F(RE(Z), IM(Z));                                            \
  }                                                                            \
  Type Complex rg_expand_ccosh##F(Type Complex Z) {                            \
    return rgCosh##F(RE(Z), IM(Z));                                            \
  }                                                                            \
  Type Complex rg_expand_ctanh##F(Type Complex Z) {                            \
    return rgTanh##F(RE(Z), IM(Z));                                            \
  }                                                                            \
  Type Complex rg_expand_csin##F(Type Complex Z) {                             \
    Type Complex H = rgSinh##F(-IM(Z), RE(Z));                                 \
    return MAKE(IM(H), -RE(H));                                                \
  }                                                                            \
  Type Complex rg_expand_ccos##F(Type Complex Z) {                             \
    return rgCosh##F(-IM(Z), RE(Z));                                           \
  }                                                                            \
  Type Complex rg_expand_ctan##F(Type Complex Z) {                             \
    Type Complex H = rgTanh##F(-IM(Z), RE(Z));                                 \
    return MAKE(IM(H), -RE(H));                                                \
  }                                                                            \
                                                                               \
  /* Their inverses, by square roots of 1 - z and 1 + z. */                    \
                                                                               \
  static inline Type Complex rgAsin##F(Type X, Type Y) {                       \
    Type Complex Minus = rgSqrt##F(1 - X, -Y), Plus = rgSqrt##F(1 + X, Y);     \
    Type Re = RE(Minus) * RE(Plus) - IM(Minus) * IM(Plus);                     \
    Type Im = RE(Minus) * IM(Plus) - IM(Minus) * RE(Plus);                     \
    return MAKE(atan2##F(X, Re), asinh##F(Im));                                \
  }                                                                            \
  Type Complex rg_expand_casin##F(Type Complex Z) {                            \
    return rgAsin##F(RE(Z), IM(Z));                                            \
  }                                                                            \
  Type Complex rg_expand_casinh##F(Type Complex Z) {                           \
    Type Complex A = rgAsin##F(-IM(Z), RE(Z));                                 \
    return MAKE(IM(A), -RE(A));                                                \
  }                                                                            \
  Type Complex rg_expand_cacos##F(Type Complex Z) {                            \
    Type Complex Minus = rgSqrt##F(1 - RE(Z), -IM(Z));                         \
    Type Complex Plus = rgSqrt##F(1 + RE(Z), IM(Z));                           \
    Type Im = RE(Plus) * IM(Minus) - IM(Plus) * RE(Minus);                     \
    return MAKE(2 * atan2##F(RE(Minus), RE(Plus)), asinh##F(Im));              \
  }                                                                            \
  Type Complex rg_expand_cacosh##F(Type Complex Z) {                           \
    Type Complex Minus = rgSqrt##F(RE(Z) - 1, IM(Z));                          \
    Type Complex Plus = rgSqrt##F(RE(Z) + 1, IM(Z));                           \
    Type Re = RE(Minus) * RE(Plus) + IM(Minus) * IM(Plus);                     \
    return MAKE(asinh##F(Re), 2 * atan2##F(IM(Minus), RE(Plus)));              \
  }                                                                            \
  static inline Type Complex rgAtanh##F(Type X, Type Y) {                      \
    /* Odd; on the left the logarithm would cancel. */                         \
    Type Sign = X < 0 ? -1 : 1;                                                \
    X *= Sign;                                                                 \
    Y *= Sign;                                                                 \
    Type Off = 1 - X;                                                          \
    return MAKE(Sign * log1p##F(4 * X / (Off * Off + Y * Y)) / 4,              \
                Sign * atan2##F(2 * Y, Off * (1 + X) - Y * Y) / 2);            \
  }                                                                            \
  Type Complex rg_expand_catanh##F(Type Complex Z) {                           \
    return rgAtanh##F(RE(Z), IM(Z));                                           \
  }                                                                            \
  Type Complex rg_expand_catan##F(Type Complex Z) {                            \
    Type Complex A = rgAtanh##F(-IM(Z), RE(Z));                                \
    return MAKE(IM(A), -RE(A));                                                \
  }

RG_DEFINE_EXPANSIONS(double, , _Complex, muldc3, divdc3, DBL_MAX / 16, 700)
RG_DEFINE_EXPANSIONS(float, f, _Complex, mulsc3, divsc3, FLT_MAX / 16, 80)
RG_DEFINE_EXPANSIONS(long double, l, _Complex, mulxc3, divxc3, LDBL_MAX / 16,
                     11000)

/*===-- Memory -------------------------------------------------------------===*/

/* Memory is handed out through a pointer: a body says so, and the allocation in
 * it has a shadow like any other. */
int rg_expand_posix_memalign(void **Out, size_t Alignment, size_t Bytes) {
  void *P = aligned_alloc(Alignment, Bytes);
  if (!P)
    return ENOMEM;
  *Out = P;
  return 0;
}
