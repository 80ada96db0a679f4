//===- cuda_fp16.h - half precision -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// __half and __half2 over _Float16: arithmetic in half precision, rounded once,
// as on a device. Functions have CUDA's names.
//
#ifndef RETROGRAD_CUDA_FP16_H
#define RETROGRAD_CUDA_FP16_H

#include "cuda_runtime.h"

#define RG_NARROW _Float16
#define RG_NUMBER __half
#define RG_PAIR __half2
#define RG_NAMED(Before, After) Before##half##After
#define RG_NAMED2(Before, After) Before##half2##After
#include "retrograd_half.inc"
#undef RG_NAMED2
#undef RG_NAMED
#undef RG_PAIR
#undef RG_NUMBER
#undef RG_NARROW

typedef __half half;
typedef __half2 half2;
RG_HALF float2 __half22float2(__half2 _RgA) {
  return make_float2((float)_RgA.x, (float)_RgA.y);
}
RG_HALF __half2 __half2half2(__half _RgA) { return __half2(_RgA, _RgA); }
RG_HALF __half2 make_half2(__half _RgA, __half _RgB) {
  return __half2(_RgA, _RgB);
}

#endif
