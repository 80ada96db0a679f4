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
#define RG_COMPLEX(_RgT, _RgR, _RgS)                                           \
  static __inline__ __host__ __device__ _RgT make_##_RgT(_RgR _RgX,            \
                                                         _RgR _RgY) {          \
    _RgT _RgZ;                                                                 \
    _RgZ.x = _RgX;                                                             \
    _RgZ.y = _RgY;                                                             \
    return _RgZ;                                                               \
  }                                                                            \
  static __inline__ __host__ __device__ _RgR cuCreal##_RgS(_RgT _RgZ) {        \
    return _RgZ.x;                                                             \
  }                                                                            \
  static __inline__ __host__ __device__ _RgR cuCimag##_RgS(_RgT _RgZ) {        \
    return _RgZ.y;                                                             \
  }                                                                            \
  static __inline__ __host__ __device__ _RgT cuConj##_RgS(_RgT _RgZ) {         \
    return make_##_RgT(_RgZ.x, -_RgZ.y);                                       \
  }                                                                            \
  static __inline__ __host__ __device__ _RgT cuCadd##_RgS(_RgT _RgA,           \
                                                          _RgT _RgB) {         \
    return make_##_RgT(_RgA.x + _RgB.x, _RgA.y + _RgB.y);                      \
  }                                                                            \
  static __inline__ __host__ __device__ _RgT cuCsub##_RgS(_RgT _RgA,           \
                                                          _RgT _RgB) {         \
    return make_##_RgT(_RgA.x - _RgB.x, _RgA.y - _RgB.y);                      \
  }                                                                            \
  static __inline__ __host__ __device__ _RgT cuCmul##_RgS(_RgT _RgA,           \
                                                          _RgT _RgB) {         \
    return make_##_RgT(_RgA.x * _RgB.x - _RgA.y * _RgB.y,                      \
                       _RgA.x * _RgB.y + _RgA.y * _RgB.x);                     \
  }                                                                            \
  static __inline__ __host__ __device__ _RgT cuCdiv##_RgS(_RgT _RgA,           \
                                                          _RgT _RgB) {         \
    _RgR Scale = 1 / (fabs##_RgS(_RgB.x) + fabs##_RgS(_RgB.y));                \
    _RgR AX = _RgA.x * Scale, AY = _RgA.y * Scale, BX = _RgB.x * Scale,        \
         BY = _RgB.y * Scale, Square = 1 / (BX * BX + BY * BY);                \
    return make_##_RgT((AX * BX + AY * BY) * Square,                           \
                       (AY * BX - AX * BY) * Square);                          \
  }                                                                            \
  static __inline__ __host__ __device__ _RgR cuCabs##_RgS(_RgT _RgZ) {         \
    return hypot##_RgS(_RgZ.x, _RgZ.y);                                        \
  }                                                                            \
  static __inline__ __host__ __device__ _RgT cuCfma##_RgS(                     \
      _RgT _RgA, _RgT _RgB, _RgT _RgC) {                                       \
    return cuCadd##_RgS(cuCmul##_RgS(_RgA, _RgB), _RgC);                       \
  }
RG_COMPLEX(cuFloatComplex, float, f)
RG_COMPLEX(cuDoubleComplex, double, )
#undef RG_COMPLEX

static __inline__ __host__ __device__ cuComplex make_cuComplex(float _RgX,
                                                               float _RgY) {
  return make_cuFloatComplex(_RgX, _RgY);
}
static __inline__ __host__ __device__ cuDoubleComplex
cuComplexFloatToDouble(cuFloatComplex _RgZ) {
  return make_cuDoubleComplex(_RgZ.x, _RgZ.y);
}
static __inline__ __host__ __device__ cuFloatComplex
cuComplexDoubleToFloat(cuDoubleComplex _RgZ) {
  return make_cuFloatComplex((float)_RgZ.x, (float)_RgZ.y);
}

#endif
