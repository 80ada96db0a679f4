/*===- expansions.c - device functions spelt in simpler ones ---------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* Those of runtime/expansions.c that device libraries have, with the same names and
|* meaning, and the device libraries' own. Their bodies are differentiated.
\*===------------------------------------------------------------------------===*/
#include <math.h>

#define RG_DEFINE(Type, F)                                                     \
  void rg_expand_sincos##F(Type X, Type *Sin, Type *Cos) {                     \
    Type S = sin##F(X), C = cos##F(X);                                         \
    *Sin = S;                                                                  \
    *Cos = C;                                                                  \
  }                                                                            \
  void rg_expand_sincospi##F(Type X, Type *Sin, Type *Cos) {                   \
    Type S = sinpi##F(X), C = cospi##F(X);                                     \
    *Sin = S;                                                                  \
    *Cos = C;                                                                  \
  }                                                                            \
  Type rg_expand_modf##F(Type X, Type *Whole) {                                \
    Type W = trunc##F(X);                                                      \
    *Whole = W;                                                                \
    return __builtin_isinf(X) ? 0 : X - W;                                     \
  }                                                                            \
  Type rg_expand_frexp##F(Type X, int *Exponent) {                             \
    if (X == 0 || __builtin_isnan(X) || __builtin_isinf(X)) {                  \
      *Exponent = 0;                                                           \
      return X;                                                                \
    }                                                                          \
    int E = ilogb##F(X) + 1;                                                   \
    *Exponent = E;                                                             \
    return scalbn##F(X, -E);                                                   \
  }                                                                            \
  Type rg_expand_norm4d##F(Type X, Type Y, Type Z, Type W) {                   \
    return hypot##F(hypot##F(X, Y), hypot##F(Z, W));                           \
  }                                                                            \
  Type rg_expand_rnorm4d##F(Type X, Type Y, Type Z, Type W) {                  \
    return 1 / hypot##F(hypot##F(X, Y), hypot##F(Z, W));                       \
  }                                                                            \
  Type rg_expand_norm3d##F(Type X, Type Y, Type Z) {                           \
    Type M = __builtin_fmax##F(fabs##F(X), __builtin_fmax##F(fabs##F(Y), fabs##F(Z))); \
    if (M == 0 || __builtin_isinf(M))                                          \
      return M;                                                                \
    X /= M;                                                                    \
    Y /= M;                                                                    \
    Z /= M;                                                                    \
    return M * sqrt##F(X * X + Y * Y + Z * Z);                                 \
  }

float rg_expand_narrow(double X) { return (float)X; }

RG_DEFINE(double, )
RG_DEFINE(float, f)
