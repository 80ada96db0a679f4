/*===- memory.c - shadows of bulk memory operations ------------------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* The reverse of a copy adds the destination's adjoints to the source's and
|* clears them. Which bytes are floats comes from the compiler: `run` bytes at
|* `offset`, repeated every `period` bytes (0: not repeated) within `bytes`.
|*
|* A shadow that equals its primal is no shadow: nothing active is there. The
|* primal is passed as null where that is known not to happen.
\*===------------------------------------------------------------------------===*/
#include "bytes.h"
#include "retrograd_runtime.h"
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

void rg_adjoint_zero(char *dsh, char *d, uint64_t bytes, uint64_t offset,
                     uint64_t period, uint64_t run);

/* What of `run` bytes at `offset` lies within `bytes`: of a reallocated block
 * only as much as both blocks hold. */
static inline uint64_t rg_within(uint64_t bytes, uint64_t offset, uint64_t run) {
  if (offset >= bytes)
    return 0;
  return run < bytes - offset ? run : bytes - offset;
}

/* All runs of a copy, in an order in which an element is taken before it receives. */
#define RG_ADJOINT_RUNS(NAME)                                                        \
  void NAME(char *dsh, char *d, char *ssh, char *s, uint64_t bytes, uint64_t offset, \
            uint64_t period, uint64_t run) {                                         \
    if (dsh == d)                                                                    \
      return;                                                                        \
    if (ssh == s) {                                                                  \
      rg_adjoint_zero(dsh, d, bytes, offset, period, run);                           \
      return;                                                                        \
    }                                                                                \
    if (!period) {                                                                   \
      NAME##_run(dsh + offset, ssh + offset, rg_within(bytes, offset, run));         \
      return;                                                                        \
    }                                                                                \
    uint64_t times = bytes > offset ? (bytes - offset + period - 1) / period : 0;    \
    for (uint64_t i = 0; i < times; ++i) {                                           \
      uint64_t at = offset + (dsh > ssh ? i : times - 1 - i) * period;               \
      NAME##_run(dsh + at, ssh + at, run < bytes - at ? run : bytes - at);           \
    }                                                                                \
  }

/* Adds d to s and clears d. Of an element's sizeof(T) bytes STORED hold the number
 * (10 of the 16 of x86's long double), and the last one may come without its
 * padding. The ranges may overlap as those of memmove: the
 * order is chosen so that an element is taken before it receives. */
#define RG_ADJOINT_MOVE(NAME, T, STORED)                                             \
  static inline void NAME##_run(char *d, char *s, uint64_t bytes) {                  \
    T *dt = (T *)d, *st = (T *)s;                                                    \
    uint64_t n = (bytes + sizeof(T) - STORED) / sizeof(T);                           \
    if (d + bytes <= s || s + bytes <= d) {                                          \
      T *restrict dr = dt, *restrict sr = st;                                        \
      for (uint64_t i = 0; i < n; ++i) {                                             \
        sr[i] += dr[i];                                                              \
        dr[i] = 0;                                                                   \
      }                                                                              \
    } else if (d > s) {                                                              \
      for (uint64_t i = 0; i < n; ++i) {                                             \
        T x = dt[i];                                                                 \
        dt[i] = 0;                                                                   \
        st[i] += x;                                                                  \
      }                                                                              \
    } else {                                                                         \
      for (uint64_t i = n; i-- > 0;) {                                               \
        T x = dt[i];                                                                 \
        dt[i] = 0;                                                                   \
        st[i] += x;                                                                  \
      }                                                                              \
    }                                                                                \
  }                                                                                  \
  RG_ADJOINT_RUNS(NAME)

void rg_adjoint_zero(char *dsh, char *d, uint64_t bytes, uint64_t offset,
                     uint64_t period, uint64_t run) {
  if (dsh == d)
    return;
  if (!period) {
    memset(dsh + offset, 0, rg_within(bytes, offset, run));
    return;
  }
  for (uint64_t at = offset; at < bytes; at += period)
    memset(dsh + at, 0, run < bytes - at ? run : bytes - at);
}

RG_ADJOINT_MOVE(rg_adjoint_move_f16, _Float16, 2)
RG_ADJOINT_MOVE(rg_adjoint_move_bf16, __bf16, 2)
RG_ADJOINT_MOVE(rg_adjoint_move_f32, float, 4)
RG_ADJOINT_MOVE(rg_adjoint_move_f64, double, 8)
/* What the machine's long double is. Where it is the number of 16 bytes, that has no other
 * name, and there is none of 10. */
#if __LDBL_MANT_DIG__ == 113
RG_ADJOINT_MOVE(rg_adjoint_move_f128, long double, 16)
#else
RG_ADJOINT_MOVE(rg_adjoint_move_f80, long double, 10)
RG_ADJOINT_MOVE(rg_adjoint_move_f128, __float128, 16)
#endif

typedef uint32_t __attribute__((may_alias)) rg_bits32;
typedef uint64_t __attribute__((may_alias)) rg_bits64;

/* *at += x, where other threads may do the same. Zeros are added, too: where this is
 * differentiated again they may have tangents. But what is there may be no number, and then
 * a zero leaves it alone, bit by bit. */
#define RG_ADD_SHARED(NAME, T, I)                                                    \
  static inline void NAME(char *at, T x) {                                           \
    T sum;                                                                           \
    I seen = __atomic_load_n((I *)at, __ATOMIC_RELAXED), next;                       \
    do {                                                                             \
      memcpy(&sum, &seen, sizeof sum);                                               \
      sum += x;                                                                      \
      memcpy(&next, &sum, sizeof sum);                                               \
      if (x == 0 && next != seen)                                                    \
        return;                                                                      \
    } while (!__atomic_compare_exchange_n((I *)at, &seen, next, 1, __ATOMIC_RELAXED, \
                                          __ATOMIC_RELAXED));                        \
  }
RG_ADD_SHARED(rg_add_shared_f32, float, rg_bits32)
RG_ADD_SHARED(rg_add_shared_f64, double, rg_bits64)

/* The same where other threads may add to s at the time. */
#define RG_ADJOINT_SHARE(NAME, T, ADD)                                               \
  static inline void NAME##_run(char *d, char *s, uint64_t bytes) {                  \
    T *dt = (T *)d, *st = (T *)s;                                                    \
    int down = d < s;                                                                \
    uint64_t n = bytes / sizeof(T);                                                  \
    for (uint64_t i = 0; i < n; ++i) {                                               \
      uint64_t at = down ? n - 1 - i : i;                                            \
      T x = dt[at];                                                                  \
      dt[at] = 0;                                                                    \
      ADD((char *)(st + at), x);                                                     \
    }                                                                                \
  }                                                                                  \
  RG_ADJOINT_RUNS(NAME)

RG_ADJOINT_SHARE(rg_adjoint_share_f32, float, rg_add_shared_f32)
RG_ADJOINT_SHARE(rg_adjoint_share_f64, double, rg_add_shared_f64)

/* Pointers among copied bytes: their shadows are copied in the primal sweep. */
void rg_shadow_move_pointers(char *dsh, char *d, char *ssh, uint64_t bytes,
                             uint64_t offset, uint64_t period, uint64_t run) {
  if (dsh == d)
    return;
  if (!period) {
    memmove(dsh + offset, ssh + offset, rg_within(bytes, offset, run));
    return;
  }
  uint64_t times = bytes > offset ? (bytes - offset + period - 1) / period : 0;
  for (uint64_t i = 0; i < times; ++i) {
    uint64_t at = offset + (dsh > ssh ? times - 1 - i : i) * period;
    memmove(dsh + at, ssh + at, run < bytes - at ? run : bytes - at);
  }
}

/* Words that hold a double or a pointer by turns (unions, the small buffers of
 * std::function and std::any). In a primal sweep the shadow of a double is zero, or
 * an adjoint that the user gave; that of a pointer is an address. So the shadow
 * itself tells one from the other: as doubles, addresses would be numbers below
 * 1e-309, which no adjoint of consequence is. */
static inline int rg_is_address(uint64_t word) {
  return word >= 4096 && word < (uint64_t)1 << 48;
}

/* The n-th of some words in the order of memmove from source to destination, or,
 * back, in that which takes a word before it receives. */
static inline uint64_t rg_nth_word(const char *to, const char *from, uint64_t n,
                                   uint64_t words) {
  return 8 * (to > from ? words - 1 - n : n);
}

/* Copies the shadows of pointers; where the source holds none, an old one of the
 * destination goes, lest the reverse sweep take it for one. */
void rg_shadow_move_shared(char *dsh, char *d, char *ssh, uint64_t bytes, uint64_t offset,
                           uint64_t period, uint64_t run) {
  (void)period;
  if (dsh == d)
    return;
  uint64_t words = rg_within(bytes, offset, run) / 8;
  for (uint64_t n = 0; n < words; ++n) {
    uint64_t at = offset + rg_nth_word(dsh, ssh, n, words), word = rg_word(ssh + at);
    if (rg_is_address(word))
      memcpy(dsh + at, &word, 8);
    else if (rg_is_address(rg_word(dsh + at)))
      memset(dsh + at, 0, 8);
  }
}

void rg_shadow_move_inactive_shared(char *dsh, char *d, char *ssh, char *s, uint64_t bytes,
                                    uint64_t offset, uint64_t period, uint64_t run) {
  if (ssh == s)
    rg_shadow_move_shared(dsh, d, ssh, bytes, offset, period, run);
}

void rg_adjoint_zero_shared(char *dsh, char *d, uint64_t bytes, uint64_t offset,
                            uint64_t period, uint64_t run) {
  (void)period;
  if (dsh == d)
    return;
  for (uint64_t at = offset; at + 8 <= offset + rg_within(bytes, offset, run); at += 8)
    if (!rg_is_address(rg_word(dsh + at)))
      memset(dsh + at, 0, 8);
}

/* As rg_adjoint_move_f64, and rg_adjoint_share_f64. */
#define RG_ADJOINT_MOVE_SHARED(NAME, ADD)                                            \
  void NAME(char *dsh, char *d, char *ssh, char *s, uint64_t bytes, uint64_t offset, \
            uint64_t period, uint64_t run) {                                         \
    if (ssh == s) {                                                                  \
      rg_adjoint_zero_shared(dsh, d, bytes, offset, period, run);                    \
      return;                                                                        \
    }                                                                                \
    if (dsh == d)                                                                    \
      return;                                                                        \
    uint64_t words = rg_within(bytes, offset, run) / 8;                              \
    for (uint64_t n = 0; n < words; ++n) {                                           \
      uint64_t at = offset + rg_nth_word(ssh, dsh, n, words);                        \
      uint64_t word = rg_word(dsh + at);                                             \
      if (rg_is_address(word))                                                       \
        continue;                                                                    \
      double adjoint;                                                                \
      memcpy(&adjoint, &word, 8);                                                    \
      memset(dsh + at, 0, 8);                                                        \
      ADD(ssh + at, adjoint);                                                        \
    }                                                                                \
  }

/* Words of four bytes that hold a float or an integer by turns: the shadow of an
 * integer is zero, and what it would be added to stays as it is, bit by bit. */
#define RG_ADJOINT_MOVE_WORDS(NAME, ADD)                                             \
  void NAME(char *dsh, char *d, char *ssh, char *s, uint64_t bytes, uint64_t offset, \
            uint64_t period, uint64_t run) {                                         \
    if (ssh == s) {                                                                  \
      rg_adjoint_zero(dsh, d, bytes, offset, period, run);                           \
      return;                                                                        \
    }                                                                                \
    if (dsh == d)                                                                    \
      return;                                                                        \
    uint64_t words = rg_within(bytes, offset, run) / 4;                              \
    for (uint64_t n = 0; n < words; ++n) {                                           \
      uint64_t at = offset + 4 * (ssh > dsh ? words - 1 - n : n);                    \
      float adjoint;                                                                 \
      memcpy(&adjoint, dsh + at, 4);                                                 \
      memset(dsh + at, 0, 4);                                                        \
      ADD(ssh + at, adjoint);                                                        \
    }                                                                                \
  }

/* As rg_add_shared_f64, by one thread. */
#define RG_ADD(NAME, T, I)                                                           \
  static inline void NAME(char *at, T x) {                                           \
    T sum;                                                                           \
    I was, next;                                                                     \
    memcpy(&was, at, sizeof was);                                                    \
    memcpy(&sum, at, sizeof sum);                                                    \
    sum += x;                                                                        \
    memcpy(&next, &sum, sizeof sum);                                                 \
    if (x != 0 || next == was)                                                       \
      memcpy(at, &sum, sizeof sum);                                                  \
  }
RG_ADD(rg_add_f64, double, rg_bits64)
RG_ADD(rg_add_f32, float, rg_bits32)
RG_ADJOINT_MOVE_SHARED(rg_adjoint_move_shared, rg_add_f64)
RG_ADJOINT_MOVE_SHARED(rg_adjoint_share_shared, rg_add_shared_f64)
RG_ADJOINT_MOVE_WORDS(rg_adjoint_move_words, rg_add_f32)
RG_ADJOINT_MOVE_WORDS(rg_adjoint_share_words, rg_add_shared_f32)

/* A memmove with several kinds of bytes takes as many calls, and where its ends
 * overlap each of them would destroy what the next one reads. So these calls
 * read from what rg_apart returns: `from`, or a copy of it. */
static inline int rg_overlap(char *a, char *b, uint64_t bytes) {
  return a < b + bytes && b < a + bytes;
}

/* The shadow `from`, in memory that does not overlap with the shadow `to`. A
 * destination without a shadow (to == own) is not written. */
void *rg_apart(char *from, char *to, char *own, uint64_t bytes) {
  if (to == own || !rg_overlap(from, to, bytes))
    return from;
  char *copy = malloc(bytes);
  if (!copy)
    abort();
  return memcpy(copy, from, bytes);
}

/* The adjoints that a copy apart has taken leave their place. */
void rg_apart_zero(char *copy, char *from, uint64_t bytes, uint64_t offset,
                   uint64_t period, uint64_t run) {
  if (copy != from)
    rg_adjoint_zero(from, 0, bytes, offset, period, run);
}

void rg_apart_end(char *copy, char *from) {
  if (copy != from)
    free(copy);
}

/* Forward mode: pointers of an inactive source are their own shadows; those of
 * an active one came with its tangents. */
void rg_shadow_move_inactive(char *dsh, char *d, char *ssh, char *s, uint64_t bytes,
                             uint64_t offset, uint64_t period, uint64_t run) {
  if (ssh == s)
    rg_shadow_move_pointers(dsh, d, ssh, bytes, offset, period, run);
}

/* Bytes that a block of memory and its reallocation to `bytes` have in common. */
__attribute__((always_inline)) uint64_t rg_common_size(void *old, uint64_t bytes) {
  uint64_t have = old ? rg_block_bytes(old) : 0;
  return have < bytes ? have : bytes;
}

/* The shadow of a rg_tape_realloc in a primal sweep: zero adjoints, pointers
 * copied. `primal` and `old` are the primal's new and old block. */
void *rg_shadow_realloc(rg_arena *a, void *sh, void *old, void *primal, uint64_t bytes) {
  (void)primal;
  void *p = calloc(1, bytes ? bytes : 1);
  if (p && sh)
    memcpy(p, sh, rg_common_size(sh, rg_common_size(old, bytes)));
  if (sh != old)
    rg_tape_defer_free(a, sh, free);
  return p;
}

/* free of a block with a shadow in a primal sweep. */
void rg_defer_free_both(rg_arena *a, void *p, void *sh, void (*dealloc)(void *)) {
  rg_tape_defer_free(a, p, dealloc);
  if (sh != p)
    rg_tape_defer_free(a, sh, dealloc);
}

/* Of a further shadow, beside the one that went with the primal. */
void rg_defer_free_shadow(rg_arena *a, void *p, void *sh, void (*dealloc)(void *)) {
  if (sh != p)
    rg_tape_defer_free(a, sh, dealloc);
}

/* rg_tape_defer_free of the shadow alone: an inner derivative's own call frees
 * the primal. */
void rg_defer_shadow(rg_arena *a, void *p, void *sh, void (*dealloc)(void *)) {
  if (sh != p)
    rg_tape_defer_free(a, sh, dealloc);
}

/* free of the shadow alone, in forward mode. */
void rg_free_shadow(void *p, void *sh, void (*dealloc)(void *)) {
  if (sh != p)
    dealloc(sh);
}

/* Forward mode: the bytes of a copy, moved between the shadows. An inactive
 * source leaves zero tangents. */
void rg_tangent_move(char *dsh, char *d, char *ssh, char *s, uint64_t bytes) {
  if (dsh == d)
    return;
  if (ssh == s)
    memset(dsh, 0, bytes);
  else
    memmove(dsh, ssh, bytes);
}

/* Forward mode: the shadow of realloc(old, bytes), before that is called. */
void *rg_tangent_realloc(void *sh, void *old, uint64_t bytes) {
  if (sh == old)
    return calloc(1, bytes ? bytes : 1);
  uint64_t have = malloc_usable_size(sh);
  char *p = realloc(sh, bytes);
  if (p && bytes > have)
    memset(p + have, 0, bytes - have);
  return p;
}
