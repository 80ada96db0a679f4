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
|* If all lanes ask alike, for up, down and xor only two can have read lane j: the
|* one that the opposite shuffle leads to, and j itself. For idx all lanes of its
|* segment have read the lane they ask for. Else all are asked in turn. Lanes that the mask names and that do not exist (of the last warp
|* of a block) or have ended give nothing: what is read of them is not defined.
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
  RG_NOINLINE double rg_shfl_##MODE##_f64(uint32_t m, double v, uint32_t b, uint32_t c) {    \
    union { double d; uint32_t w[2]; } u = {v};                                              \
    u.w[0] = rg_move_##MODE(m, u.w[0], b, c);                                                \
    u.w[1] = rg_move_##MODE(m, u.w[1], b, c);                                                \
    return u.d;                                                                              \
  }                                                                                          \
  /* Numbers are moved by what has a rule: adjoints are differentiated, too. */              \
  static inline double rg_move_f64_##MODE(uint32_t m, double v, uint32_t b, uint32_t c) {    \
    return rg_shfl_##MODE##_f64(m, v, b, c);                                                 \
  }
RG_SHUFFLES(up)
RG_SHUFFLES(down)
RG_SHUFFLES(bfly)
RG_SHUFFLES(idx)

/* The lane that lane `me` reads, as PTX says it: within its segment, or itself. */
#define RG_SOURCE(MODE, LANE, THERE)                                                         \
  static inline uint32_t rg_source_##MODE(uint32_t me, uint32_t b, uint32_t c) {             \
    uint32_t segment = c >> 8 & 0x1f, first = me & segment;                                  \
    uint32_t last = first | (c & 0x1f & ~segment), lane = (LANE);                            \
    return (THERE) ? lane : me;                                                              \
  }
RG_SOURCE(up, me - (b & 0x1f), (int)lane >= (int)last)
RG_SOURCE(down, me + (b & 0x1f), lane <= last)
RG_SOURCE(bfly, me ^ (b & 0x1f), lane <= last)
RG_SOURCE(idx, first | (b & 0x1f & ~segment), lane <= last)

/* Every lane in turn: who reads me? */
#define RG_ADJOINT_OF_EACH(NAME, T)                                                          \
  static inline T rg_adjoint_of_each_##NAME(uint32_t m, uint32_t there, T y, uint32_t source) { \
    uint32_t me = RG_LANE();                                                                 \
    T x = -(T)0;                                                                             \
    _Pragma("clang loop unroll(disable)") /* rare, and large where a processor plays the lanes */ \
    for (uint32_t l = 0; l < 32; ++l) {                                                      \
      if (!(there >> l & 1))                                                                 \
        continue;                                                                            \
      T theirs = rg_move_##NAME##_idx(m, y, l, 0x1f);                                        \
      if (rg_move_idx(m, source, l, 0x1f) == me)                                             \
        x += theirs;                                                                         \
    }                                                                                        \
    return x;                                                                                \
  }
RG_ADJOINT_OF_EACH(f32, float)
RG_ADJOINT_OF_EACH(f64, double)

/* Do all lanes ask alike? */
static inline int rg_ask_alike(uint32_t m, uint32_t there, uint32_t b, uint32_t c) {
  uint32_t how = (b & 0x1f) | (c & 0x1f1f) << 5;
  return __nvvm_vote_all_sync(m, rg_move_idx(m, how, (uint32_t)__builtin_ctz(there), 0x1f) == how);
}

/* Of all lanes that ask alike, which emission knows where b and c are constants. */
#define RG_ADJOINT(NAME, T, MODE, BACK, LAST)                                                \
  static inline T rg_adjoint_##MODE##_##NAME(uint32_t m, uint32_t there, T y, uint32_t b,    \
                                             uint32_t c) {                                   \
    uint32_t me = RG_LANE(), back = (c & 0x1f00) | (LAST);                                   \
    uint32_t who = rg_source_##BACK(me, b, back);                                            \
    T theirs = rg_move_##NAME##_##BACK(m, y, b, back);                                       \
    T x = rg_source_##MODE(me, b, c) == me ? y : -(T)0;                                      \
    if (who != me && (there >> who & 1) && rg_source_##MODE(who, b, c) == me)                \
      x += theirs;                                                                           \
    return x;                                                                                \
  }
/* All lanes of a segment read the same one: it gets their sum, in a tree. */
#define RG_ADJOINT_IDX(NAME, T)                                                              \
  static inline T rg_adjoint_idx_##NAME(uint32_t m, uint32_t there, T y, uint32_t b,         \
                                        uint32_t c) {                                        \
    uint32_t me = RG_LANE(), source = rg_source_idx(me, b, c);                               \
    if (there != ~0u || (c & 0x1f) != 0x1f)                                                  \
      return rg_adjoint_of_each_##NAME(m, there, y, source);                                 \
    _Pragma("unroll") for (uint32_t d = 1; d < 32; d <<= 1) {                                \
      T theirs = rg_move_##NAME##_bfly(m, y, d, 0x1f);                                       \
      if (!(c >> 8 & d))                                                                     \
        y += theirs;                                                                         \
    }                                                                                        \
    return source == me ? y : -(T)0;                                                         \
  }
#define RG_ADJOINT_ASKED(NAME, T, MODE)                                                      \
  RG_INLINE T rg_shfl_##MODE##_adjoint_alike_##NAME(uint32_t m, T y, uint32_t b, uint32_t c) { \
    return rg_adjoint_##MODE##_##NAME(m, __nvvm_vote_ballot_sync(m, 1), y, b, c);            \
  }                                                                                          \
  RG_INLINE T rg_shfl_##MODE##_adjoint_##NAME(uint32_t m, T y, uint32_t b, uint32_t c) {     \
    uint32_t there = __nvvm_vote_ballot_sync(m, 1);                                          \
    if (!rg_ask_alike(m, there, b, c))                                                       \
      return rg_adjoint_of_each_##NAME(m, there, y, rg_source_##MODE(RG_LANE(), b, c));      \
    return rg_adjoint_##MODE##_##NAME(m, there, y, b, c);                                    \
  }
#define RG_ADJOINTS(NAME, T)                                                                 \
  RG_ADJOINT(NAME, T, up, down, 0x1f)                                                        \
  RG_ADJOINT(NAME, T, down, up, 0)                                                           \
  RG_ADJOINT(NAME, T, bfly, bfly, 0x1f)                                                      \
  RG_ADJOINT_IDX(NAME, T)                                                                    \
  RG_ADJOINT_ASKED(NAME, T, up)                                                              \
  RG_ADJOINT_ASKED(NAME, T, down)                                                            \
  RG_ADJOINT_ASKED(NAME, T, bfly)                                                            \
  RG_ADJOINT_ASKED(NAME, T, idx)
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
