//===- cuComplex.h - complex numbers -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef RETROGRAD_CUDA_CUCOMPLEX_H
#define RETROGRAD_CUDA_CUCOMPLEX_H

#include "vector_types.h"
#include <math.h>

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

// S is the suffix of the single-precision functions. Quotients and absolute
// values are of numbers scaled by the larger part, so that squares do not
// overflow.
#define RG_COMPLEX(T, R, S)                                                    \
  static __inline__ __host__ __device__ T make_##T(R X, R Y) {                 \
    T Z;                                                                       \
    Z.x = X;                                                                   \
    Z.y = Y;                                                                   \
    return Z;                                                                  \
  }                                                                            \
  static __inline__ __host__ __device__ R cuCreal##S(T Z) { return Z.x; }      \
  static __inline__ __host__ __device__ R cuCimag##S(T Z) { return Z.y; }      \
  static __inline__ __host__ __device__ T cuConj##S(T Z) {                     \
    return make_##T(Z.x, -Z.y);                                                \
  }                                                                            \
  static __inline__ __host__ __device__ T cuCadd##S(T A, T B) {                \
    return make_##T(A.x + B.x, A.y + B.y);                                     \
  }                                                                            \
  static __inline__ __host__ __device__ T cuCsub##S(T A, T B) {                \
    return make_##T(A.x - B.x, A.y - B.y);                                     \
  }                                                                            \
  static __inline__ __host__ __device__ T cuCmul##S(T A, T B) {                \
    return make_##T(A.x * B.x - A.y * B.y, A.x * B.y + A.y * B.x);             \
  }                                                                            \
  static __inline__ __host__ __device__ T cuCdiv##S(T A, T B) {                \
    R Scale = 1 / (fabs##S(B.x) + fabs##S(B.y));                               \
    R AX = A.x * Scale, AY = A.y * Scale, BX = B.x * Scale, BY = B.y * Scale,  \
      Square = 1 / (BX * BX + BY * BY);                                        \
    return make_##T((AX * BX + AY * BY) * Square,                              \
                    (AY * BX - AX * BY) * Square);                             \
  }                                                                            \
  static __inline__ __host__ __device__ R cuCabs##S(T Z) {                     \
    return hypot##S(Z.x, Z.y);                                                 \
  }                                                                            \
  static __inline__ __host__ __device__ T cuCfma##S(T A, T B, T C) {           \
    return cuCadd##S(cuCmul##S(A, B), C);                                      \
  }
RG_COMPLEX(cuFloatComplex, float, f)
RG_COMPLEX(cuDoubleComplex, double, )
#undef RG_COMPLEX

static __inline__ __host__ __device__ cuComplex make_cuComplex(float X,
                                                               float Y) {
  return make_cuFloatComplex(X, Y);
}
static __inline__ __host__ __device__ cuDoubleComplex
cuComplexFloatToDouble(cuFloatComplex Z) {
  return make_cuDoubleComplex(Z.x, Z.y);
}
static __inline__ __host__ __device__ cuFloatComplex
cuComplexDoubleToFloat(cuDoubleComplex Z) {
  return make_cuFloatComplex((float)Z.x, (float)Z.y);
}

#endif
