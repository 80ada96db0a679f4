/*===- warp.c - operations between the threads of a warp -------------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* A shuffle hands every lane l the value of a lane s(l). Its adjoint hands every
|* lane j the sum of the adjoints of all lanes l with s(l) = j:
|*
|*   y[l] = x[s(l)]        adj x[j] += sum over l with s(l) = j of adj y[l]
|*
|* s is whatever the machine does with the operands (segments, lanes that fall off
|* the end and read themselves), so it is found by doing the same shuffle with the
|* number of the lane. For up, down and xor only two lanes can have read lane j:
|* the one that the opposite shuffle leads to, and j itself. For idx all lanes of
|* the mask are asked in turn.
|*
|* Operands are those of PTX: mask of lanes, value, b (distance, xor mask or lane)
|* and c (segments in bits 8 to 12, last lane in bits 0 to 4).
\*===------------------------------------------------------------------------===*/
#if defined(__NVPTX__)
#include "device.h"

#define RG_SHUFFLES(MODE)                                                                    \
  static inline uint32_t rg_move_##MODE(uint32_t m, uint32_t v, uint32_t b, uint32_t c) {    \
    return (uint32_t)__nvvm_shfl_sync_##MODE##_i32(m, (int)v, (int)b, (int)c);               \
  }                                                                                          \
  static inline float rg_move_f32_##MODE(uint32_t m, float v, uint32_t b, uint32_t c) {      \
    return __nvvm_shfl_sync_##MODE##_f32(m, v, (int)b, (int)c);                              \
  }                                                                                          \
  static inline double rg_move_f64_##MODE(uint32_t m, double v, uint32_t b, uint32_t c) {    \
    union { double d; uint32_t w[2]; } u = {v};                                              \
    u.w[0] = rg_move_##MODE(m, u.w[0], b, c);                                                \
    u.w[1] = rg_move_##MODE(m, u.w[1], b, c);                                                \
    return u.d;                                                                              \
  }                                                                                          \
  RG_NOINLINE double rg_shfl_##MODE##_f64(uint32_t m, double v, uint32_t b, uint32_t c) {    \
    return rg_move_f64_##MODE(m, v, b, c);                                                   \
  }
RG_SHUFFLES(up)
RG_SHUFFLES(down)
RG_SHUFFLES(bfly)
RG_SHUFFLES(idx)

#define RG_ADJOINT(NAME, T, MODE, BACK, LAST)                                                \
  RG_INLINE T rg_shfl_##MODE##_adjoint_##NAME(uint32_t m, T y, uint32_t b, uint32_t c) {     \
    uint32_t me = RG_LANE(), back = (c & 0x1f00) | (LAST);                                   \
    uint32_t source = rg_move_##MODE(m, me, b, c);                                           \
    T theirs = rg_move_##NAME##_##BACK(m, y, b, back);                                       \
    uint32_t read = rg_move_##BACK(m, source, b, back);                                      \
    uint32_t who = rg_move_##BACK(m, me, b, back);                                           \
    T x = source == me ? y : -(T)0;                                                          \
    if (who != me && read == me && (m >> who & 1))                                           \
      x += theirs;                                                                           \
    return x;                                                                                \
  }
#define RG_ADJOINT_IDX(NAME, T)                                                              \
  RG_INLINE T rg_shfl_idx_adjoint_##NAME(uint32_t m, T y, uint32_t b, uint32_t c) {          \
    uint32_t me = RG_LANE();                                                                 \
    uint32_t source = rg_move_idx(m, me, b, c);                                              \
    T x = -(T)0;                                                                             \
    for (uint32_t l = 0; l < 32; ++l) {                                                      \
      if (!(m >> l & 1))                                                                     \
        continue;                                                                            \
      T theirs = rg_move_##NAME##_idx(m, y, l, 0x1f);                                        \
      if (rg_move_idx(m, source, l, 0x1f) == me)                                             \
        x += theirs;                                                                         \
    }                                                                                        \
    return x;                                                                                \
  }
#define RG_ADJOINTS(NAME, T)                                                                 \
  RG_ADJOINT(NAME, T, up, down, 0x1f)                                                        \
  RG_ADJOINT(NAME, T, down, up, 0)                                                           \
  RG_ADJOINT(NAME, T, bfly, bfly, 0x1f)                                                      \
  RG_ADJOINT_IDX(NAME, T)
RG_ADJOINTS(f32, float)
RG_ADJOINTS(f64, double)

/* CUDA's shuffles of double, which its headers split into two of int. */
#define RG_EXPAND(MODE, LAST)                                                                \
  RG_INLINE double rg_expand_shfl_##MODE##_f64(uint32_t m, double v, uint32_t b, uint32_t w) { \
    return rg_shfl_##MODE##_f64(m, v, b, (32 - w) << 8 | (LAST));                            \
  }
RG_EXPAND(up, 0)
RG_EXPAND(down, 0x1f)
RG_EXPAND(bfly, 0x1f)
RG_EXPAND(idx, 0x1f)
#endif
