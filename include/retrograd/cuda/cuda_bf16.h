//===- cuda_bf16.h - numbers with the exponent of float -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// __nv_bfloat16 and __nv_bfloat162 over __bf16: arithmetic is rounded once, as
// on a device.
//
#ifndef RETROGRAD_CUDA_BF16_H
#define RETROGRAD_CUDA_BF16_H

#include "cuda_runtime.h"

#define RG_NARROW __bf16
#define RG_NUMBER __nv_bfloat16
#define RG_PAIR __nv_bfloat162
#define RG_NAMED(Before, After) Before##bfloat16##After
#define RG_NAMED2(Before, After) Before##bfloat162##After
#include "retrograd_half.inc"
#undef RG_NAMED2
#undef RG_NAMED
#undef RG_PAIR
#undef RG_NUMBER
#undef RG_NARROW

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
RG_HALF float2 __bfloat1622float2(__nv_bfloat162 _RgA) {
  return make_float2((float)_RgA.x, (float)_RgA.y);
}
RG_HALF __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 _RgA) {
  return __nv_bfloat162(_RgA, _RgA);
}

#endif
