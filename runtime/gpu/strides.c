/*===- strides.c - how often a loop with a stride runs ---------------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* How often the backedge of
|*
|*   if (index < end)
|*     do ...; while ((index += step) < end);
|*
|* is taken. An index that passes the end of its type begins at the other one: then,
|* and there alone, the iterations are counted (lib/Primal/Device/CountStrides.cpp).
\*===------------------------------------------------------------------------===*/
#include "device.h"

#define RG_STRIDES(NAME, T, UNSIGNED, LARGEST)                                           \
  RG_INLINE UNSIGNED rg_strides_##NAME(UNSIGNED index, UNSIGNED step, UNSIGNED end) {    \
    UNSIGNED next = index + step, times = 0;                                             \
    if ((T)index >= (T)end || (T)next >= (T)end)                                         \
      return 0;                                                                          \
    if (step - 1 <= (UNSIGNED)(LARGEST) - end)                                           \
      return (end - next - 1) / step + 1;                                                \
    _Pragma("clang loop unroll(disable)") do {                                           \
      next += step;                                                                      \
      ++times;                                                                           \
    } while ((T)next < (T)end);                                                          \
    return times;                                                                        \
  }
RG_STRIDES(s32, int, uint32_t, 0x7fffffff)
RG_STRIDES(u32, uint32_t, uint32_t, 0xffffffffu)
RG_STRIDES(s64, long, uint64_t, 0x7fffffffffffffffl)
RG_STRIDES(u64, uint64_t, uint64_t, 0xfffffffffffffffful)
