//===- sm_70_rt.hpp - matching, and what clang's headers expect of this name
//-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef RETROGRAD_CUDA_SM_70_RT_HPP
#define RETROGRAD_CUDA_SM_70_RT_HPP

// The width of the value decides; floating-point values match by their bits.
template <class _RgT>
__device__ inline unsigned __match_any_sync(unsigned Mask, _RgT Value) {
  static_assert(sizeof(_RgT) == 4 || sizeof(_RgT) == 8,
                "values of 4 or 8 bytes can be matched");
  if constexpr (sizeof(_RgT) == 4) {
    unsigned Bits;
    __builtin_memcpy(&Bits, &Value, 4);
    return __match32_any_sync(Mask, Bits);
  } else {
    unsigned long long Bits;
    __builtin_memcpy(&Bits, &Value, 8);
    return __match64_any_sync(Mask, Bits);
  }
}
template <class _RgT>
__device__ inline unsigned __match_all_sync(unsigned Mask, _RgT Value,
                                            int *Agree) {
  static_assert(sizeof(_RgT) == 4 || sizeof(_RgT) == 8,
                "values of 4 or 8 bytes can be matched");
  if constexpr (sizeof(_RgT) == 4) {
    unsigned Bits;
    __builtin_memcpy(&Bits, &Value, 4);
    return __match32_all_sync(Mask, Bits, Agree);
  } else {
    unsigned long long Bits;
    __builtin_memcpy(&Bits, &Value, 8);
    return __match64_all_sync(Mask, Bits, Agree);
  }
}
__device__ inline void __nanosleep(unsigned) {}

#endif
