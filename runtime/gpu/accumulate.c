/*===- accumulate.c - adjoints that many threads add to --------------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* Threads that read one place of memory add to one adjoint. Relaxed atomics will
|* do: whoever takes the sum is separated from those who add by the barrier that
|* mirrors the one between its store and their loads. Memory of the thread itself
|* has no atomics on these machines and needs none.
\*===------------------------------------------------------------------------===*/
#include "device.h"

#define RG_ATOMIC_ADD(P, X) \
  (void)__scoped_atomic_fetch_add(P, X, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE)

#define RG_ACCUMULATE(NAME, T)                                                 \
  RG_INLINE void rg_accumulate_##NAME(T *p, T x) {                             \
    if (RG_IS_PRIVATE(p))                                                      \
      *p += x;                                                                 \
    else                                                                       \
      RG_ATOMIC_ADD(p, x);                                                     \
  }

/* What a thread has added up by the end of its reverse sweep, if it has anything. */
#define RG_ACCUMULATE_IF(NAME, T)                                              \
  RG_INLINE void rg_accumulate_if_##NAME(T *p, T x, _Bool any) {               \
    if (any)                                                                   \
      rg_accumulate_##NAME(p, x);                                              \
  }

RG_ACCUMULATE(f16, _Float16)
RG_ACCUMULATE(bf16, __bf16)
RG_ACCUMULATE(f32, float)
RG_ACCUMULATE(f64, double)
RG_ACCUMULATE_IF(f32, float)
RG_ACCUMULATE_IF(f64, double)

/* What is there, which becomes zero: the adjoint of a store. By an exchange, since several
 * threads may have stored one number to one place: one of them takes the adjoint, the others
 * find zero (docs/GPU.md, "One value by many threads"). In global memory it is also the fastest
 * way: a load and a store to one line, close together, keep Hopper's load unit waiting for the
 * load to end, four times as long as the exchange takes (bench/gpu/README.md). */
#define RG_TAKE(BITS, T)                                                                 \
  RG_INLINE T rg_take_b##BITS(T *p) {                                                    \
    if (!RG_IS_PRIVATE(p))                                                               \
      return __scoped_atomic_exchange_n(p, 0, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);  \
    T x = *p;                                                                            \
    *p = 0;                                                                              \
    return x;                                                                            \
  }
RG_TAKE(16, uint16_t)
RG_TAKE(32, uint32_t)
RG_TAKE(64, uint64_t)

/* The same if it is this thread's to take (docs/Atomics.md): of several with the same number, the
 * first one gets all. */
#define RG_TAKE_IF(BITS, T)                                                              \
  RG_INLINE T rg_take_if_b##BITS(T *p, _Bool mine) {                                     \
    if (!mine)                                                                           \
      return 0;                                                                          \
    if (!RG_IS_PRIVATE(p))                                                               \
      return __scoped_atomic_exchange_n(p, 0, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);  \
    T x = *p;                                                                            \
    *p = 0;                                                                              \
    return x;                                                                            \
  }
RG_TAKE_IF(32, uint32_t)
RG_TAKE_IF(64, uint64_t)

static void rg_cannot_exchange(const char *function, const char *why) {
#if defined(__NVPTX__)
  struct { const char *function, *why; } args = {function, why};
  vprintf("retrograd: the atomic exchanges, minima or maxima of '%s' cannot be reversed in this "
          "launch: %s\n", &args);
#else
  (void)function, (void)why;
#endif
  __builtin_trap();
}

/* Of a derivative that leaves the adjoints which it starts from as they are. */
static RG_NOINLINE void rg_cannot_leave_seeds(const char *function) {
#if defined(__NVPTX__)
  struct { const char *function; } args = {function};
  vprintf("retrograd: the adjoints that the derivative of '%s' starts from cannot stay as they are (enzyme_seed) in "
          "this launch: threads may write one place twice. Launch it so that each has its own (one block or thread "
          "along axes that the kernel does not ask for; blocks of whole warps where it asks for lanes), or pass them "
          "by enzyme_dup\n", &args);
#else
  (void)function;
#endif
  __builtin_trap();
}

RG_INLINE void rg_seeds_apart(_Bool apart, const char *function) {
  if (!apart)
    rg_cannot_leave_seeds(function);
}

RG_NOINLINE void rg_atomics_apart(_Bool apart, const char *function) {
  if (!apart)
    rg_cannot_exchange(function, "threads may meet at one place; launch it so that each has its own");
}

RG_NOINLINE void rg_atomics_in_block(_Bool unused, const char *function) {
  (void)unused;
  if (RG_BLOCKS(x) * RG_BLOCKS(y) * RG_BLOCKS(z) != 1)
    rg_cannot_exchange(function, "it has several blocks, which do not wait for each other; launch one, "
                                 "or work in shared memory first");
}

/* A thread comes to the fence of its block, and nobody else of `others` threads along axes that it did not ask for. */
RG_NOINLINE void rg_one_at_fence(uint32_t others, const char *function) {
  if (others == 1)
    return;
#if defined(__NVPTX__)
  struct { const char *function; } args = {function};
  vprintf("retrograd: the fence of '%s' cannot be reversed in this launch: several threads of a block come to it; ask "
          "for threadIdx.y and z, too, or launch blocks of one row\n", &args);
#else
  (void)function;
#endif
  __builtin_trap();
}

/* Tangents of an exchange, a minimum or a maximum: number and tangent change together, under a
 * lock of the place. Kinds as in Emit/ForwardEmitter.cpp. */
#if defined(__NVPTX__) || defined(__AMDGCN__)
static __attribute__((address_space(1))) uint32_t rg_locks[512];
#endif

/* As rg_take_b*, where nobody knows that the place is aligned as an exchange wants it. A number is
 * taken as a whole or not at all: half of its bits would be another number. */
#define RG_TAKE_APART(BITS, T)                                                           \
  RG_NOINLINE T rg_take_apart_b##BITS(char *p) {                                         \
    if (!((uint64_t)p & (sizeof(T) - 1)))                                                \
      return rg_take_b##BITS((T *)p);                                                    \
    uint64_t at = (uint64_t)p >> 2;                                                      \
    __attribute__((address_space(1))) uint32_t *lock = &rg_locks[(at ^ at >> 9) & 511];  \
    T x = 0;                                                                             \
    _Bool done = 0;                                                                      \
    do {                                                                                 \
      if (!__scoped_atomic_exchange_n(lock, 1u, __ATOMIC_ACQUIRE, __MEMORY_SCOPE_DEVICE)) { \
        for (uint64_t i = 0; i < sizeof(T); ++i) {                                       \
          x |= (T)(uint8_t)((volatile char *)p)[i] << 8 * i;                             \
          ((volatile char *)p)[i] = 0;                                                   \
        }                                                                                \
        __scoped_atomic_store_n(lock, 0u, __ATOMIC_RELEASE, __MEMORY_SCOPE_DEVICE);      \
        done = 1;                                                                        \
      }                                                                                  \
    } while (!done);                                                                     \
    return x;                                                                            \
  }
RG_TAKE_APART(16, uint16_t)
RG_TAKE_APART(32, uint32_t)
RG_TAKE_APART(64, uint64_t)

static inline _Bool rg_replaces_b32(uint32_t kind, uint32_t old, uint32_t x) {
  union { uint32_t w; float x; } a = {old}, b = {x};
  switch (kind) {
  case 0: return 1;
  case 1: return (int)x > (int)old;
  case 2: return (int)x < (int)old;
  case 3: return x > old;
  case 4: return x < old;
  case 5: return b.x > a.x || a.x != a.x;
  default: return b.x < a.x || a.x != a.x;
  }
}
static inline _Bool rg_replaces_b64(uint32_t kind, uint64_t old, uint64_t x) {
  union { uint64_t w; double x; } a = {old}, b = {x};
  switch (kind) {
  case 0: return 1;
  case 1: return (long)x > (long)old;
  case 2: return (long)x < (long)old;
  case 3: return x > old;
  case 4: return x < old;
  case 5: return b.x > a.x || a.x != a.x;
  default: return b.x < a.x || a.x != a.x;
  }
}

#define RG_KEEP_BOTH(BITS, T)                                                            \
  RG_NOINLINE T rg_keep_both_b##BITS(T *p, T x, T *sh, T dx, uint32_t kind) {            \
    uint64_t at = (uint64_t)p >> 2;                                                      \
    __attribute__((address_space(1))) uint32_t *lock = &rg_locks[(at ^ at >> 9) & 511];  \
    T old = 0;                                                                           \
    _Bool done = 0;                                                                      \
    do {                                                                                 \
      if (!__scoped_atomic_exchange_n(lock, 1u, __ATOMIC_ACQUIRE, __MEMORY_SCOPE_DEVICE)) { \
        old = __scoped_atomic_load_n(p, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);         \
        if (rg_replaces_b##BITS(kind, old, x)) {                                         \
          __scoped_atomic_store_n(p, x, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);        \
          if (sh != p)                                                                   \
            __scoped_atomic_store_n(sh, dx, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);    \
        }                                                                                \
        __scoped_atomic_store_n(lock, 0u, __ATOMIC_RELEASE, __MEMORY_SCOPE_DEVICE);      \
        done = 1;                                                                        \
      }                                                                                  \
    } while (!done);                                                                     \
    return old;                                                                          \
  }
RG_KEEP_BOTH(32, uint32_t)
RG_KEEP_BOTH(64, uint64_t)

/* An addition where the threads of a warp probably add to one place: if all of them do,
 * or all that differ in one bit of their number, they add up first. Where a branch has left some
 * of them, those that are here add up if they have one place: pairs of neighbours, then pairs of
 * those that were left, and so on. */
#if defined(__NVPTX__)
static inline double rg_across_f64(double x, uint32_t d) {
  union { double x; uint32_t w[2]; } u = {x};
  u.w[0] = (uint32_t)__nvvm_shfl_sync_bfly_i32(~0u, (int)u.w[0], (int)d, 0x1f);
  u.w[1] = (uint32_t)__nvvm_shfl_sync_bfly_i32(~0u, (int)u.w[1], (int)d, 0x1f);
  return u.x;
}
static inline float rg_across_f32(float x, uint32_t d) {
  return __nvvm_shfl_sync_bfly_f32(~0u, x, (int)d, 0x1f);
}
static inline double rg_of_lane_f64(double x, uint32_t mask, uint32_t lane) {
  union { double x; uint32_t w[2]; } u = {x};
  u.w[0] = (uint32_t)__nvvm_shfl_sync_idx_i32(mask, (int)u.w[0], (int)lane, 0x1f);
  u.w[1] = (uint32_t)__nvvm_shfl_sync_idx_i32(mask, (int)u.w[1], (int)lane, 0x1f);
  return u.x;
}
static inline float rg_of_lane_f32(float x, uint32_t mask, uint32_t lane) {
  return __nvvm_shfl_sync_idx_f32(mask, x, (int)lane, 0x1f);
}
/* All lanes of a whole warp have one address. */
static inline _Bool rg_one_place(uint32_t low, uint32_t high) {
  uint32_t l = (uint32_t)__nvvm_shfl_sync_idx_i32(~0u, (int)low, 0, 0x1f);
  uint32_t h = (uint32_t)__nvvm_shfl_sync_idx_i32(~0u, (int)high, 0, 0x1f);
  return __nvvm_vote_all_sync(~0u, l == low && h == high);
}
#define RG_MERGE(NAME, T)                                                                \
  RG_NOINLINE void rg_merge_##NAME(T *p, T x) {                                          \
    if (RG_IS_PRIVATE(p)) {                                                              \
      *p += x;                                                                           \
      return;                                                                            \
    }                                                                                    \
    uint32_t merged = 0, here = __nvvm_activemask();                                     \
    uint64_t at = (uint64_t)p;                                                           \
    uint32_t low = (uint32_t)at, high = (uint32_t)(at >> 32);                            \
    if (here == ~0u && rg_one_place(low, high)) {                                        \
      for (uint32_t d = 16; d; d >>= 1)                                                  \
        x += rg_across_##NAME(x, d);                                                     \
      merged = 31;                                                                       \
    } else if (here == ~0u) {                                                            \
      for (uint32_t d = 16; d; d >>= 1) {                                                \
        uint32_t l = (uint32_t)__nvvm_shfl_sync_bfly_i32(~0u, (int)low, (int)d, 0x1f);   \
        uint32_t h = (uint32_t)__nvvm_shfl_sync_bfly_i32(~0u, (int)high, (int)d, 0x1f);  \
        if (!__nvvm_vote_all_sync(~0u, l == low && h == high))                           \
          continue;                                                                      \
        x += rg_across_##NAME(x, d);                                                     \
        merged |= d;                                                                     \
      }                                                                                  \
    } else {                                                                             \
      uint32_t me = (uint32_t)RG_LANE(), first = (uint32_t)__builtin_ctz(here);          \
      uint32_t l = (uint32_t)__nvvm_shfl_sync_idx_i32(here, (int)low, (int)first, 0x1f); \
      uint32_t h = (uint32_t)__nvvm_shfl_sync_idx_i32(here, (int)high, (int)first, 0x1f); \
      if (__nvvm_vote_all_sync(here, l == low && h == high)) {                           \
        uint32_t above = here & ~((2u << me) - 1);                                       \
        uint32_t rank = (uint32_t)__builtin_popcount(here & ((1u << me) - 1));           \
        while (__nvvm_vote_any_sync(here, above != 0)) {                                 \
          uint32_t next = above ? (uint32_t)__builtin_ctz(above) : me;                   \
          T other = rg_of_lane_##NAME(x, here, next);                                    \
          if (above)                                                                     \
            x += other;                                                                  \
          above &= (uint32_t)__nvvm_vote_ballot_sync(here, !(rank & 1));                 \
          rank >>= 1;                                                                    \
        }                                                                                \
        if (me != first)                                                                 \
          return;                                                                        \
      }                                                                                  \
    }                                                                                    \
    if (!(RG_LANE() & merged))                                                           \
      RG_ATOMIC_ADD(p, x);                                                               \
  }
#else
#define RG_MERGE(NAME, T)                                                                \
  RG_INLINE void rg_merge_##NAME(T *p, T x) { rg_accumulate_##NAME(p, x); }
#endif
RG_MERGE(f32, float)
RG_MERGE(f64, double)

/* What threads have added up by the end of their reverse sweeps (lib/Emit/SumsAtEnd.cpp): n sums x
 * at places p, of which bit k of has says whether this thread has the kth at all; the last operand
 * says that all threads of the block are here (lib/Polish/BlockSums.h). Lanes whose places are one
 * add up first; then, in a whole block, the warps do, by way of shared memory. Memory takes one
 * addition to a place at a time, and additions of one instruction to neighbours at once: so each
 * lane adds one of the sums. */
#define RG_SHARED __attribute__((address_space(3)))
#if defined(__NVPTX__)
#define RG_SUMS(NAME, T)                                                                 \
  /* Of the lanes in here: the first one has the sum of all. */                          \
  static inline T rg_lanes_##NAME(T x, uint32_t here, uint32_t me) {                     \
    if (here == ~0u) {                                                                   \
      for (uint32_t d = 16; d; d >>= 1)                                                  \
        x += rg_across_##NAME(x, d);                                                     \
      return x;                                                                          \
    }                                                                                    \
    uint32_t above = here & ~((2u << me) - 1);                                           \
    uint32_t rank = (uint32_t)__builtin_popcount(here & ((1u << me) - 1));               \
    while (__nvvm_vote_any_sync(here, above != 0)) {                                     \
      T other = rg_of_lane_##NAME(x, here, above ? (uint32_t)__builtin_ctz(above) : me); \
      if (above)                                                                         \
        x += other;                                                                      \
      above &= (uint32_t)__nvvm_vote_ballot_sync(here, !(rank & 1));                     \
      rank >>= 1;                                                                        \
    }                                                                                    \
    return x;                                                                            \
  }                                                                                      \
  /* Where the lanes have one place: it, and in one lane the sum. Others are added here. */ \
  static inline T *rg_one_place_##NAME(T *p, T *x, _Bool any, uint32_t here, uint32_t me) { \
    uint32_t who = (uint32_t)__nvvm_vote_ballot_sync(here, any);                         \
    if (!who)                                                                            \
      return NULL;                                                                       \
    uint32_t first = (uint32_t)__builtin_ctz(who);                                       \
    uint32_t low = (uint32_t)(uint64_t)p, high = (uint32_t)((uint64_t)p >> 32);          \
    low = (uint32_t)__nvvm_shfl_sync_idx_i32(here, (int)low, (int)first, 0x1f);          \
    high = (uint32_t)__nvvm_shfl_sync_idx_i32(here, (int)high, (int)first, 0x1f);        \
    T *one = (T *)((uint64_t)high << 32 | low);                                          \
    if (!__nvvm_vote_all_sync(here, !any || p == one) || RG_IS_PRIVATE(one)) {           \
      if (any)                                                                           \
        rg_accumulate_##NAME(p, *x);                                                     \
      return NULL;                                                                       \
    }                                                                                    \
    T sum = rg_lanes_##NAME(any ? *x : 0, here, me);                                     \
    *x = rg_of_lane_##NAME(sum, here, (uint32_t)__builtin_ctz(here));                    \
    return one;                                                                          \
  }                                                                                      \
  RG_NOINLINE void rg_sums_##NAME(T **p, T *x, uint32_t has, uint32_t n, uint32_t block) { \
    uint32_t me = (uint32_t)RG_LANE(), here = __nvvm_activemask();                       \
    if (!block) {                                                                        \
      T *mine = NULL;                                                                    \
      T sum = 0;                                                                         \
      uint32_t rank = (uint32_t)__builtin_popcount(here & ((1u << me) - 1));             \
      uint32_t lanes = (uint32_t)__builtin_popcount(here);                               \
      for (uint32_t k = 0; k < n; ++k) {                                                 \
        T value = x[k];                                                                  \
        T *one = rg_one_place_##NAME(p[k], &value, has >> k & 1, here, me);              \
        if (one && k % lanes == rank) {                                                  \
          if (mine)                                                                      \
            RG_ATOMIC_ADD(mine, sum);                                                    \
          mine = one;                                                                    \
          sum = value;                                                                   \
        }                                                                                \
      }                                                                                  \
      if (mine)                                                                          \
        RG_ATOMIC_ADD(mine, sum);                                                        \
      return;                                                                            \
    }                                                                                    \
    enum { Together = 16 };                                                              \
    static RG_SHARED __attribute__((loader_uninitialized)) uint64_t place[Together];     \
    static RG_SHARED __attribute__((loader_uninitialized)) T part[32][Together];         \
    uint32_t thread = rg_thread(), threads = rg_threads(), warp = thread / 32;           \
    uint32_t left = threads - warp * 32;                                                 \
    here = left < 32 ? (1u << left) - 1 : ~0u;                                           \
    for (uint32_t from = 0; from < n; from += Together) {                                \
      RG_BARRIER();                                                                      \
      if (thread < Together)                                                             \
        place[thread] = 0;                                                               \
      for (uint32_t i = thread; i < 32 * Together; i += threads)                         \
        part[i / Together][i % Together] = 0;                                            \
      RG_BARRIER();                                                                      \
      for (uint32_t k = 0; k < Together && from + k < n; ++k) {                          \
        T value = x[from + k];                                                           \
        T *one = rg_one_place_##NAME(p[from + k], &value, has >> (from + k) & 1, here, me); \
        if (me)                                                                          \
          continue;                                                                      \
        uint64_t old = 0;                                                                \
        if (one && !__scoped_atomic_compare_exchange_n(                                  \
                       (uint64_t *)&place[k], &old, (uint64_t)one, 0, __ATOMIC_RELAXED,  \
                       __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP) &&                       \
            old != (uint64_t)one)                                                        \
          RG_ATOMIC_ADD(one, value);                                                     \
        else if (one)                                                                    \
          part[warp][k] = value;                                                         \
      }                                                                                  \
      RG_BARRIER();                                                                      \
      if (thread < Together && from + thread < n && place[thread]) {                     \
        T sum = 0;                                                                       \
        for (uint32_t w = 0; w * 32 < threads; ++w)                                      \
          sum += part[w][thread];                                                        \
        RG_ATOMIC_ADD((T *)place[thread], sum);                                          \
      }                                                                                  \
    }                                                                                    \
  }
#else
#define RG_SUMS(NAME, T)                                                                 \
  RG_NOINLINE void rg_sums_##NAME(T **p, T *x, uint32_t has, uint32_t n, uint32_t block) { \
    (void)block;                                                                         \
    for (uint32_t k = 0; k < n; ++k)                                                     \
      if (has >> k & 1)                                                                  \
        rg_accumulate_##NAME(p[k], x[k]);                                                \
  }
#endif
RG_SUMS(f32, float)
RG_SUMS(f64, double)

/* Adjoints of a parameter that all warps of a block add to: the first of them have a copy in the
 * block's memory (lib/Emit/SumsAtEnd.cpp), if the whole block begins and ends the sweep together
 * (lib/Polish/BlockSums.h). */
enum { rg_copied = 1024 };
#define RG_BLOCK_COPY(NAME, T)                                                           \
  RG_NOINLINE void rg_block_begin_##NAME(RG_SHARED T *copy, uint32_t whole) {            \
    if (!whole)                                                                          \
      return;                                                                            \
    for (uint32_t i = rg_thread(); i < rg_copied; i += rg_threads())                     \
      copy[i] = 0;                                                                       \
    RG_BARRIER();                                                                        \
  }                                                                                      \
  RG_NOINLINE void rg_block_add_##NAME(RG_SHARED T *copy, T *base, T *p, T x, uint32_t whole) { \
    uint64_t at = ((uint64_t)p - (uint64_t)base) / sizeof(T);                            \
    if (whole && at < rg_copied)                                                         \
      RG_ATOMIC_ADD((T *)(copy + at), x);                                                \
    else                                                                                 \
      rg_accumulate_##NAME(p, x);                                                        \
  }                                                                                      \
  RG_NOINLINE void rg_block_end_##NAME(RG_SHARED T *copy, T *base, uint32_t whole) {     \
    if (!whole)                                                                          \
      return;                                                                            \
    RG_BARRIER();                                                                        \
    for (uint32_t i = rg_thread(); i < rg_copied; i += rg_threads())                     \
      if (copy[i] != 0)                                                                  \
        RG_ATOMIC_ADD(base + i, copy[i]);                                                \
  }
RG_BLOCK_COPY(f32, float)
RG_BLOCK_COPY(f64, double)

/* As rg_take_b*, where the threads of a warp probably stored one number to one place: exchanges of
 * one place wait for each other. Of the lanes that are here, those with the first one's address
 * leave it to that one. */
#if defined(__NVPTX__)
#define RG_TAKE_ONE(BITS, T)                                                             \
  RG_NOINLINE T rg_take_by_one_b##BITS(T *p) {                                           \
    uint32_t active = __nvvm_activemask(), first = (uint32_t)__builtin_ctz(active);      \
    uint32_t low = (uint32_t)(uint64_t)p, high = (uint32_t)((uint64_t)p >> 32);          \
    uint32_t l = (uint32_t)__nvvm_shfl_sync_idx_i32(active, (int)low, (int)first, 0x1f); \
    uint32_t h = (uint32_t)__nvvm_shfl_sync_idx_i32(active, (int)high, (int)first, 0x1f); \
    if ((uint32_t)RG_LANE() != first && l == low && h == high)                           \
      return 0;                                                                          \
    return rg_take_b##BITS(p);                                                           \
  }                                                                                      \
  /* Inlined, so that a thread's own array costs a load and a store, which fold. */      \
  RG_INLINE T rg_take_one_b##BITS(T *p) {                                                \
    if (RG_IS_PRIVATE(p)) {                                                              \
      T x = *p;                                                                          \
      *p = 0;                                                                            \
      return x;                                                                          \
    }                                                                                    \
    return rg_take_by_one_b##BITS(p);                                                    \
  }
#else
#define RG_TAKE_ONE(BITS, T)                                                             \
  RG_INLINE T rg_take_one_b##BITS(T *p) { return rg_take_b##BITS(p); }
#endif
RG_TAKE_ONE(32, uint32_t)
RG_TAKE_ONE(64, uint64_t)

/* Lanes that reverse a loop in step (lib/Emit/LoopsInStep.h): who they are, those that are here now,
 * unless somebody's number of iterations takes more than 32 bits; the largest of their last iterations;
 * and that they are together at the beginning of each. */
#if defined(__NVPTX__)
static inline uint32_t rg_greater(uint32_t x, uint32_t y) { return x > y ? x : y; }
RG_NOINLINE uint32_t rg_step_lanes(uint64_t last) {
  uint32_t here = __nvvm_activemask();
  return __nvvm_vote_all_sync(here, !(last >> 32)) ? here : 1u << RG_LANE();
}
RG_NOINLINE uint64_t rg_last_of_lanes(uint64_t last, uint32_t here) {
  uint32_t me = RG_LANE(), x = (uint32_t)last;
  if (here == 1u << me)
    return last;
  if (here == ~0u) {
    for (uint32_t d = 16; d; d >>= 1)
      x = rg_greater(x, (uint32_t)__nvvm_shfl_sync_bfly_i32(~0u, (int)x, (int)d, 0x1f));
    return x;
  }
  uint32_t above = here & ~((2u << me) - 1), rank = (uint32_t)__builtin_popcount(here & ((1u << me) - 1));
  while (__nvvm_vote_any_sync(here, above != 0)) {
    uint32_t next = above ? (uint32_t)__builtin_ctz(above) : me;
    x = rg_greater(x, (uint32_t)__nvvm_shfl_sync_idx_i32(here, (int)x, (int)next, 0x1f));
    above &= (uint32_t)__nvvm_vote_ballot_sync(here, !(rank & 1));
    rank >>= 1;
  }
  return (uint32_t)__nvvm_shfl_sync_idx_i32(here, (int)x, __builtin_ctz(here), 0x1f);
}
RG_INLINE void rg_step(uint32_t here) { __nvvm_bar_warp_sync(here); }
/* Some lane of those that are here. */
RG_INLINE _Bool rg_some_lane(_Bool x) { return __nvvm_vote_any_sync(__nvvm_activemask(), x); }
#else
RG_INLINE uint32_t rg_step_lanes(uint64_t last) { return (uint32_t)last; }
RG_INLINE uint64_t rg_last_of_lanes(uint64_t last, uint32_t here) { return (void)here, last; }
RG_INLINE void rg_step(uint32_t here) { (void)here; }
RG_INLINE _Bool rg_some_lane(_Bool x) { return x; }
#endif

/* Shared memory has no additions of floats: an atomic one is a loop that goes round once
 * for each lane with the same address. So lanes with one address add up first, in a tree.
 * Who they are is found once for all additions of a block of code whose addresses differ
 * by constants: they tell lanes apart alike. rg_peers(part of the address that varies):
 *
 *   x  the lanes that are here; all of them come to each of the additions
 *   y  5 bits for each k < 5: the (1 << k)th lane of my kind above me
 *   z  bit k: there is such a lane. Bit 8: none below me. Bit 16 + k: there is one for
 *      some lane. Bit 30: all lanes of the warp are here. Bit 31: and the block has no
 *      other warp, so that plain additions will do
 *   w  bit 5: the warp is whole, and lanes are peers if their numbers differ in these bits
 *      alone: 0 to 4
 *
 * Shuffles of all lanes are several times cheaper than of a mask that only the run knows.
 */
typedef uint32_t rg_u4 __attribute__((ext_vector_type(4)));
#if defined(__NVPTX__)
RG_NOINLINE rg_u4 rg_peers(uint32_t key) {
  uint32_t active = __nvvm_activemask(), me = RG_LANE(), first = (uint32_t)__builtin_ctz(active);
  uint32_t threads = rg_threads(), before = rg_thread() & ~31u;
  uint32_t lanes_here = threads - before < 32 ? threads - before : 32;
  uint32_t lanes = 0, bits = 0;
  if ((uint32_t)__builtin_popcount(active) == lanes_here)
    bits = threads <= 32 ? 3u << 30 : 1u << 30;
  /* Most of the time all have one place. */
  uint32_t theirs = (uint32_t)__nvvm_shfl_sync_idx_i32(active, (int)key, (int)first, 0x1f);
  if (__nvvm_vote_all_sync(active, key == theirs)) {
    uint32_t above = active & ~((2u << me) - 1), rank = (uint32_t)__builtin_popcount(active & ((1u << me) - 1));
    uint32_t lane = above ? (uint32_t)__builtin_ctz(above) : me, count = (uint32_t)__builtin_popcount(active);
    bits |= rank ? 0 : 1u << 8;
    for (uint32_t k = 0; k < 5; ++k) {
      uint32_t there = rank + (1u << k) < count;
      lanes |= lane << 5 * k;
      bits |= there << k | (uint32_t)(count > 1u << k) << (16 + k);
      if (active == ~0u)
        lane = (me + (2u << k)) & 31;
      else
        lane = (uint32_t)__nvvm_shfl_sync_idx_i32(active, (int)lane, (int)lane, 0x1f);
    }
    rg_u4 one = {active, lanes, bits, active == ~0u ? 63 : 0};
    return one;
  }
  /* Or lanes side by side have places side by side. */
  uint32_t apart = key - theirs, step = me - first;
  if (__nvvm_vote_all_sync(active, apart == 4 * step) || __nvvm_vote_all_sync(active, apart == 8 * step)) {
    rg_u4 alone = {active, 0, bits | 1u << 8, active == ~0u ? 1u << 5 : 0};
    return alone;
  }
  uint32_t peers = __nvvm_match_any_sync_i32(active, key);
  uint32_t rest = peers & ~((2u << me) - 1);
  bits |= (peers & ((1u << me) - 1)) ? 0 : 1u << 8;
  for (uint32_t k = 0; k < 5; ++k) {
    if (rest) {
      lanes |= (uint32_t)__builtin_ctz(rest) << 5 * k;
      bits |= 1u << k;
    }
    if (__nvvm_vote_any_sync(active, rest != 0))
      bits |= 1u << (16 + k);
    for (uint32_t i = 0; i < 1u << k; ++i)
      rest &= rest - 1;
  }
  uint32_t regular = 0;
  if (active == ~0u) {
    for (uint32_t k = 0; k < 5; ++k)
      if (__nvvm_vote_all_sync(~0u, peers >> (me ^ 1u << k) & 1))
        regular |= 1u << k;
    int all = 1 << __builtin_popcount(regular);
    regular = __nvvm_vote_all_sync(~0u, __builtin_popcount(peers) == all) ? regular | 1u << 5 : 0;
  }
  rg_u4 s = {active, lanes, bits, regular};
  return s;
}
static inline float rg_from_f32(uint32_t m, float x, uint32_t lane) {
  return __nvvm_shfl_sync_idx_f32(m, x, (int)lane, 0x1f);
}
static inline double rg_from_f64(uint32_t m, double x, uint32_t lane) {
  union { double x; uint32_t w[2]; } u = {x};
  u.w[0] = (uint32_t)__nvvm_shfl_sync_idx_i32(m, (int)u.w[0], (int)lane, 0x1f);
  u.w[1] = (uint32_t)__nvvm_shfl_sync_idx_i32(m, (int)u.w[1], (int)lane, 0x1f);
  return u.x;
}
#define RG_STEP(NAME, MASK, K)                                                           \
  {                                                                                      \
    __typeof__(x) y = rg_from_##NAME(MASK, x, s.y >> 5 * (K));                           \
    x = s.z >> (K) & 1 ? x + y : x;                                                      \
  }
#define RG_TREE(NAME, MASK)                                                              \
  if (s.z >> 16 & 1) {                                                                   \
    RG_STEP(NAME, MASK, 0)                                                               \
    RG_STEP(NAME, MASK, 1)                                                               \
    RG_STEP(NAME, MASK, 2)                                                               \
    if (s.z >> 19 & 1) {                                                                 \
      RG_STEP(NAME, MASK, 3)                                                             \
      RG_STEP(NAME, MASK, 4)                                                             \
    }                                                                                    \
  }
/* The place is base + offset, an offset that the compiler knows: so hundreds of them take
 * one register. Called rather than inlined where there are that many, since the code would
 * outgrow the cache. */
#define RG_MERGE_SHARED(NAME, T)                                                         \
  RG_INLINE void rg_merge_here_##NAME(RG_SHARED char *base, uint32_t offset, T x,        \
                                      rg_u4 s) {                                         \
    RG_SHARED T *p = (RG_SHARED T *)(base + offset);                                     \
    if (s.z >> 30 & 1) {                                                                 \
      RG_TREE(NAME, ~0u)                                                                 \
    } else {                                                                             \
      RG_TREE(NAME, s.x)                                                                 \
    }                                                                                    \
    if (s.z >> 31) {                                                                     \
      __nvvm_bar_warp_sync(~0u);                                                         \
      if (s.z >> 8 & 1)                                                                  \
        *p += x;                                                                         \
      __nvvm_bar_warp_sync(~0u);                                                         \
    } else if (s.z >> 8 & 1) {                                                           \
      RG_ATOMIC_ADD((T *)p, x);                                                          \
    }                                                                                    \
  }                                                                                      \
  RG_NOINLINE void rg_merge_shared_##NAME(RG_SHARED char *base, uint32_t offset, T x,    \
                                          rg_u4 s) {                                     \
    rg_merge_here_##NAME(base, offset, x, s);                                            \
  }
RG_MERGE_SHARED(f32, float)
RG_MERGE_SHARED(f64, double)

/* Additions of one lane to several places, which nobody here adds to at the same time: an atomic
 * addition is a loop, and these begin together. */
#define RG_ADD_EACH(NAME, T, BITS, N)                                                    \
  static inline void rg_add_each_##NAME##x##N(RG_SHARED char *base, const uint32_t *offset, \
                                              const T *v) {                              \
    union { uint##BITS##_t bits; T x; } old[N], sum;                                     \
    uint32_t late = 0;                                                                   \
    _Pragma("unroll") for (uint32_t i = 0; i < N; ++i)                                   \
      old[i].bits = __scoped_atomic_load_n((RG_SHARED uint##BITS##_t *)(base + offset[i]), \
                                           __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP);     \
    _Pragma("unroll") for (uint32_t i = 0; i < N; ++i) {                                 \
      sum.x = old[i].x + v[i];                                                           \
      if (!__scoped_atomic_compare_exchange_n((RG_SHARED uint##BITS##_t *)(base + offset[i]), \
                                              &old[i].bits, sum.bits, 0, __ATOMIC_RELAXED, \
                                              __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP))  \
        late |= 1u << i;                                                                 \
    }                                                                                    \
    if (late)                                                                            \
      _Pragma("unroll") for (uint32_t i = 0; i < N; ++i)                                 \
        if (late >> i & 1)                                                               \
          RG_ATOMIC_ADD((T *)(RG_SHARED T *)(base + offset[i]), v[i]);                   \
  }
RG_ADD_EACH(f32, float, 32, 8)
RG_ADD_EACH(f32, float, 32, 4)
RG_ADD_EACH(f32, float, 32, 2)
RG_ADD_EACH(f64, double, 64, 8)
RG_ADD_EACH(f64, double, 64, 4)
RG_ADD_EACH(f64, double, 64, 2)

/* N sums over lanes whose numbers differ in one bit, d: a lane hands the half of its numbers that
 * its neighbour keeps, and keeps the other half, with their places. Over k bits 2^k sums take
 * little more than one shuffle each, not k, and end up in 2^k lanes, which add them at once. */
#define RG_HALVE(NAME, T, N, D)                                                          \
  {                                                                                      \
    uint32_t d = (D);                                                                    \
    _Bool upper = (me & d) != 0;                                                         \
    _Pragma("unroll") for (uint32_t i = 0; i < (N) / 2; ++i) {                           \
      T given = upper ? x[i] : x[i + (N) / 2], kept = upper ? x[i + (N) / 2] : x[i];     \
      x[i] = kept + rg_across_##NAME(given, d);                                          \
      at[i] = upper ? at[i + (N) / 2] : at[i];                                           \
    }                                                                                    \
  }
#define RG_LOWEST(BITS) ((BITS) & (0u - (BITS)))

/* The same of 8 or 4 numbers over the bits of rest, all lanes being here; then Add(n) adds the first
 * n of x at the places at. Where bits are left when one number is, one lane of them adds. */
#define RG_EXCHANGE8(NAME, T, ADD)                                                       \
  if (!rest) {                                                                           \
    ADD(8)                                                                               \
  } else {                                                                               \
    RG_HALVE(NAME, T, 8, RG_LOWEST(rest))                                                \
    rest &= rest - 1;                                                                    \
    RG_EXCHANGE4(NAME, T, ADD)                                                           \
  }
#define RG_EXCHANGE4(NAME, T, ADD)                                                       \
  if (!rest) {                                                                           \
    ADD(4)                                                                               \
  } else {                                                                               \
    RG_HALVE(NAME, T, 4, RG_LOWEST(rest))                                                \
    rest &= rest - 1;                                                                    \
    if (!rest) {                                                                         \
      ADD(2)                                                                             \
    } else {                                                                             \
      RG_HALVE(NAME, T, 2, RG_LOWEST(rest))                                              \
      rest &= rest - 1;                                                                  \
      for (uint32_t bits = rest; bits; bits &= bits - 1)                                 \
        x[0] += rg_across_##NAME(x[0], RG_LOWEST(bits));                                 \
      ADD(1)                                                                             \
    }                                                                                    \
  }

/* Several additions with the same peers (lib/Emit/GroupAdditions.h), to different places. A lane's
 * place may be another lane's by another offset: in a block of one warp they go one by one, unless
 * all lanes have the same places. */
#define RG_MERGE_TOGETHER(NAME, T, N)                                                    \
  typedef T rg_##NAME##x##N __attribute__((ext_vector_type(N)));                         \
  typedef uint32_t rg_##NAME##_offsets##N __attribute__((ext_vector_type(N)));           \
  static inline void rg_exchange_shared_##NAME##x##N(RG_SHARED char *base,               \
                                                     rg_##NAME##_offsets##N offset,      \
                                                     rg_##NAME##x##N v, rg_u4 s) {       \
    uint32_t me = (uint32_t)RG_LANE(), rest = s.w & 31, at[N];                           \
    T x[N];                                                                              \
    _Pragma("unroll") for (uint32_t i = 0; i < N; ++i) {                                 \
      x[i] = v[i];                                                                       \
      at[i] = offset[i];                                                                 \
    }                                                                                    \
    RG_EXCHANGE##N(NAME, T, RG_ADD_SHARED_##NAME)                                        \
  }                                                                                      \
  RG_NOINLINE void rg_merge_##NAME##x##N(RG_SHARED char *base,                             \
                                         rg_##NAME##_offsets##N offset, rg_##NAME##x##N v, \
                                       rg_u4 s) {                                        \
    if (s.w) {                                                                           \
      rg_exchange_shared_##NAME##x##N(base, offset, v, s);                               \
      return;                                                                            \
    }                                                                                    \
    if (s.z >> 30 & 1) {                                                                 \
      RG_TREES(NAME, T, N, ~0u)                                                          \
    } else {                                                                             \
      RG_TREES(NAME, T, N, s.x)                                                          \
    }                                                                                    \
    uint32_t first = s.z >> 8 & 1;                                                       \
    if (s.z >> 31) {                                                                     \
      _Pragma("unroll") for (uint32_t i = 0; i < N; ++i) {                               \
        __nvvm_bar_warp_sync(~0u);                                                       \
        if (first)                                                                       \
          *(RG_SHARED T *)(base + offset[i]) += v[i];                                    \
      }                                                                                  \
      __nvvm_bar_warp_sync(~0u);                                                         \
    } else if (first) {                                                                  \
      _Pragma("unroll") for (uint32_t i = 0; i < N; ++i)                                 \
        RG_ATOMIC_ADD((T *)(RG_SHARED T *)(base + offset[i]), v[i]);                     \
    }                                                                                    \
  }
#define RG_ADD_SHARED(NAME, T, N) RG_ADD_SHARED_##N(NAME, T)
#define RG_ADD_SHARED_8(NAME, T) rg_add_each_##NAME##x8(base, at, x);
#define RG_ADD_SHARED_4(NAME, T) rg_add_each_##NAME##x4(base, at, x);
#define RG_ADD_SHARED_2(NAME, T) rg_add_each_##NAME##x2(base, at, x);
#define RG_ADD_SHARED_1(NAME, T)                                                         \
  {                                                                                      \
    RG_SHARED T *place = (RG_SHARED T *)(base + at[0]);                                  \
    if (s.z >> 31 && s.w == 63) {                                                        \
      __nvvm_bar_warp_sync(~0u);                                                         \
      if (!(me & rest))                                                                  \
        *place += x[0];                                                                  \
      __nvvm_bar_warp_sync(~0u);                                                         \
    } else if (!(me & rest)) {                                                           \
      RG_ATOMIC_ADD((T *)place, x[0]);                                                   \
    }                                                                                    \
  }
#define RG_ADD_SHARED_f32(N) RG_ADD_SHARED(f32, float, N)
#define RG_ADD_SHARED_f64(N) RG_ADD_SHARED(f64, double, N)
#define RG_STEPS(NAME, T, N, MASK, FROM, TO)                                             \
  _Pragma("unroll") for (uint32_t i = 0; i < N; ++i) {                                   \
    T x = v[i];                                                                          \
    _Pragma("unroll") for (uint32_t k = FROM; k < TO; ++k) RG_STEP(NAME, MASK, k)        \
    v[i] = x;                                                                            \
  }
#define RG_TREES(NAME, T, N, MASK)                                                       \
  if (s.z >> 16 & 1) {                                                                   \
    RG_STEPS(NAME, T, N, MASK, 0, 3)                                                     \
    if (s.z >> 19 & 1) {                                                                 \
      RG_STEPS(NAME, T, N, MASK, 3, 5)                                                   \
    }                                                                                    \
  }
RG_MERGE_TOGETHER(f32, float, 4)
RG_MERGE_TOGETHER(f32, float, 8)
RG_MERGE_TOGETHER(f64, double, 4)
RG_MERGE_TOGETHER(f64, double, 8)

/* 32 of them, at four runs of eight neighbours each. Where all lanes have the same places, lane k
 * ends with the kth sum. */
#define RG_MERGE32(NAME, T)                                                              \
  typedef T rg_##NAME##x32 __attribute__((ext_vector_type(32)));                         \
  RG_INLINE void rg_merge_##NAME##x32(RG_SHARED char *base, rg_##NAME##_offsets4 run,    \
                                      rg_##NAME##x32 v, rg_u4 s) {                       \
    uint32_t me = (uint32_t)RG_LANE();                                                   \
    if (s.w != 63) {                                                                     \
      _Pragma("unroll") for (uint32_t k = 0; k < 4; ++k) {                               \
        rg_##NAME##x8 part;                                                              \
        rg_##NAME##_offsets8 offset;                                                     \
        _Pragma("unroll") for (uint32_t i = 0; i < 8; ++i) {                             \
          part[i] = v[8 * k + i];                                                        \
          offset[i] = run[k] + i * (uint32_t)sizeof(T);                                  \
        }                                                                                \
        rg_merge_##NAME##x8(base, offset, part, s);                                      \
      }                                                                                  \
      return;                                                                            \
    }                                                                                    \
    T x[32];                                                                             \
    _Pragma("unroll") for (uint32_t i = 0; i < 32; ++i) x[i] = v[i];                     \
    RG_HALF_OF(NAME, T, 32) RG_HALF_OF(NAME, T, 16) RG_HALF_OF(NAME, T, 8)               \
    RG_HALF_OF(NAME, T, 4) RG_HALF_OF(NAME, T, 2)                                        \
    uint32_t low = me & 8 ? run[1] : run[0], high = me & 8 ? run[3] : run[2];            \
    RG_SHARED T *place = (RG_SHARED T *)(base + (me & 16 ? high : low)) + (me & 7);      \
    if (s.z >> 31) {                                                                     \
      __nvvm_bar_warp_sync(~0u);                                                         \
      *place += x[0];                                                                    \
      __nvvm_bar_warp_sync(~0u);                                                         \
    } else {                                                                             \
      RG_ATOMIC_ADD((T *)place, x[0]);                                                   \
    }                                                                                    \
  }
#define RG_HALF_OF(NAME, T, N)                                                           \
  {                                                                                      \
    _Bool upper = (me & (N) / 2) != 0;                                                   \
    _Pragma("unroll") for (uint32_t i = 0; i < (N) / 2; ++i) {                           \
      T given = upper ? x[i] : x[i + (N) / 2], kept = upper ? x[i + (N) / 2] : x[i];     \
      x[i] = kept + rg_across_##NAME(given, (N) / 2);                                    \
    }                                                                                    \
  }
RG_MERGE32(f32, float)
RG_MERGE32(f64, double)

/* As rg_sums_*, of N sums in registers. Where the whole block comes and each place is the same for all
 * of its threads (block is 2 or, if nobody comes here again, 3: lib/Polish/BlockSums.h), and so no
 * thread's own memory, lanes exchange halves of their sums, warps hand them to the block, and a thread
 * adds up one sum of all warps. */
static RG_SHARED __attribute__((loader_uninitialized)) uint32_t rg_wanted[32];
static RG_SHARED __attribute__((loader_uninitialized)) double rg_parts[32 * 16];
#define RG_LATE(NAME, T, N)                                                              \
  typedef T rg_late_##NAME##x##N __attribute__((ext_vector_type(N)));                    \
  typedef uint64_t rg_late_places_##NAME##x##N __attribute__((ext_vector_type(N)));      \
  RG_NOINLINE void rg_sums_##NAME##x##N(rg_late_places_##NAME##x##N place,               \
                                        rg_late_##NAME##x##N v, uint32_t has,            \
                                        uint32_t n, uint32_t block) {                    \
    uint32_t me = (uint32_t)RG_LANE();                                                   \
    if (block < 2) {                                                                     \
      T *p[N], x[N];                                                                     \
      _Pragma("unroll") for (uint32_t k = 0; k < N; ++k) {                               \
        p[k] = (T *)place[k];                                                            \
        x[k] = v[k];                                                                     \
      }                                                                                  \
      rg_sums_##NAME(p, x, has, n, block != 0);                                          \
      return;                                                                            \
    }                                                                                    \
    RG_SHARED T(*part)[N] = (RG_SHARED T(*)[N])rg_parts;                                 \
    uint32_t thread = rg_thread(), threads = rg_threads(), warp = thread / 32;           \
    uint32_t left = threads - warp * 32, here = left < 32 ? (1u << left) - 1 : ~0u;      \
    uint32_t any = has;                                                                  \
    T x[N];                                                                              \
    _Pragma("unroll") for (uint32_t k = 0; k < N; ++k) x[k] = has >> k & 1 ? v[k] : 0;   \
    if (here == ~0u) {                                                                   \
      for (uint32_t d = 16; d; d >>= 1)                                                  \
        any |= (uint32_t)__nvvm_shfl_sync_bfly_i32(~0u, (int)any, (int)d, 0x1f);         \
      RG_HALVES_##N(NAME, T)                                                             \
      _Pragma("unroll") for (uint32_t d = N; d < 32; d <<= 1)                            \
        x[0] += rg_across_##NAME(x[0], d);                                               \
      if (me < N)                                                                        \
        part[warp][me] = x[0];                                                           \
    } else {                                                                             \
      any = 0;                                                                           \
      _Pragma("unroll") for (uint32_t k = 0; k < N; ++k) {                               \
        any |= __nvvm_vote_any_sync(here, has >> k & 1) ? 1u << k : 0;                   \
        T sum = rg_lanes_##NAME(x[k], here, me);                                         \
        if (!me)                                                                         \
          part[warp][k] = sum;                                                           \
      }                                                                                  \
    }                                                                                    \
    if (!me)                                                                             \
      rg_wanted[warp] = any;                                                               \
    RG_BARRIER();                                                                        \
    for (uint32_t k = thread; k < N; k += threads) {                                     \
      T sum = 0;                                                                         \
      uint32_t all = 0;                                                                  \
      for (uint32_t w = 0; w * 32 < threads; ++w) {                                      \
        all |= rg_wanted[w];                                                             \
        sum += part[w][k];                                                               \
      }                                                                                  \
      uint64_t at = 0;                                                                   \
      _Pragma("unroll") for (uint32_t i = 0; i < N; ++i) at = i == k ? place[i] : at;    \
      if (all >> k & 1)                                                                  \
        RG_ATOMIC_ADD((T *)at, sum);                                                     \
    }                                                                                    \
    if (block == 2)                                                                      \
      RG_BARRIER(); /* who comes here again writes what is read here */                  \
  }
#define RG_HALVES_4(NAME, T) RG_HALF_OF(NAME, T, 4) RG_HALF_OF(NAME, T, 2)
#define RG_HALVES_8(NAME, T) RG_HALF_OF(NAME, T, 8) RG_HALVES_4(NAME, T)
#define RG_HALVES_16(NAME, T) RG_HALF_OF(NAME, T, 16) RG_HALVES_8(NAME, T)
RG_LATE(f32, float, 4)
RG_LATE(f32, float, 8)
RG_LATE(f32, float, 16)
RG_LATE(f64, double, 4)
RG_LATE(f64, double, 8)
RG_LATE(f64, double, 16)

/* The same in memory of any kind, for places that are a constant apart: where the whole warp has the
 * same place, or lanes whose numbers differ in some bits have. */
#define RG_MERGE_PLACES(NAME, T, N)                                                      \
  RG_NOINLINE void rg_merge_places_##NAME##x##N(char *base, rg_##NAME##_offsets##N offset, \
                                                rg_##NAME##x##N v) {                     \
    uint32_t rest = 0, me = (uint32_t)RG_LANE();                                         \
    if (__nvvm_activemask() == ~0u && !RG_IS_PRIVATE(base)) {                            \
      uint32_t low = (uint32_t)(uint64_t)base, high = (uint32_t)((uint64_t)base >> 32);  \
      if (rg_one_place(low, high))                                                       \
        rest = 31;                                                                       \
      else                                                                               \
        for (uint32_t d = 1; d < 32; d <<= 1) {                                          \
          uint32_t l = (uint32_t)__nvvm_shfl_sync_bfly_i32(~0u, (int)low, (int)d, 0x1f); \
          uint32_t h = (uint32_t)__nvvm_shfl_sync_bfly_i32(~0u, (int)high, (int)d, 0x1f); \
          if (__nvvm_vote_all_sync(~0u, l == low && h == high))                          \
            rest |= d;                                                                   \
        }                                                                                \
    }                                                                                    \
    if (!rest) {                                                                         \
      _Pragma("unroll") for (uint32_t i = 0; i < N; ++i)                                 \
        rg_merge_##NAME((T *)(base + (int)offset[i]), v[i]);                             \
      return;                                                                            \
    }                                                                                    \
    uint32_t at[N];                                                                      \
    T x[N];                                                                              \
    _Pragma("unroll") for (uint32_t i = 0; i < N; ++i) {                                 \
      x[i] = v[i];                                                                       \
      at[i] = offset[i];                                                                 \
    }                                                                                    \
    RG_EXCHANGE##N(NAME, T, RG_ADD_PLACES_##NAME)                                        \
  }
#define RG_ADD_PLACES(T, N)                                                              \
  if ((N) > 1 || !(me & rest))                                                           \
    _Pragma("unroll") for (uint32_t i = 0; i < (N); ++i)                                 \
      RG_ATOMIC_ADD((T *)(base + (int)at[i]), x[i]);
#define RG_ADD_PLACES_f32(N) RG_ADD_PLACES(float, N)
#define RG_ADD_PLACES_f64(N) RG_ADD_PLACES(double, N)
RG_MERGE_PLACES(f32, float, 4)
RG_MERGE_PLACES(f32, float, 8)
RG_MERGE_PLACES(f64, double, 4)
RG_MERGE_PLACES(f64, double, 8)

/* The same and rg_merge_*, in line: where a whole warp has one place, as it probably has, there is
 * nothing to find out but that. Others call. */
#define RG_IN_ONE_PLACE(P)                                                               \
  (!RG_IS_PRIVATE(P) && __nvvm_activemask() == ~0u &&                                    \
   rg_one_place((uint32_t)(uint64_t)(P), (uint32_t)((uint64_t)(P) >> 32)))
#define RG_MERGE_WHOLE(NAME, T)                                                          \
  RG_INLINE void rg_merge_whole_##NAME(T *p, T x) {                                      \
    if (!RG_IN_ONE_PLACE(p)) {                                                           \
      rg_merge_##NAME(p, x);                                                             \
      return;                                                                            \
    }                                                                                    \
    _Pragma("unroll") for (uint32_t d = 16; d; d >>= 1) x += rg_across_##NAME(x, d);     \
    if (!RG_LANE())                                                                      \
      RG_ATOMIC_ADD(p, x);                                                               \
  }
#define RG_MERGE_WHOLE_PLACES(NAME, T, N)                                                \
  RG_INLINE void rg_merge_whole_##NAME##x##N(char *base, rg_##NAME##_offsets##N offset,  \
                                             rg_##NAME##x##N v) {                        \
    if (!RG_IN_ONE_PLACE(base)) {                                                        \
      rg_merge_places_##NAME##x##N(base, offset, v);                                     \
      return;                                                                            \
    }                                                                                    \
    uint32_t me = (uint32_t)RG_LANE(), at[N];                                            \
    T x[N];                                                                              \
    _Pragma("unroll") for (uint32_t i = 0; i < N; ++i) {                                 \
      x[i] = v[i];                                                                       \
      at[i] = offset[i];                                                                 \
    }                                                                                    \
    RG_WHOLE_HALVES##N(NAME, T)                                                          \
    _Pragma("unroll") for (uint32_t d = 16 / N; d; d >>= 1)                              \
      x[0] += rg_across_##NAME(x[0], d);                                                 \
    if (!(me & (32 / N - 1)))                                                            \
      RG_ATOMIC_ADD((T *)(base + (int)at[0]), x[0]);                                     \
  }
#define RG_WHOLE_HALVES8(NAME, T)                                                        \
  RG_HALVE(NAME, T, 8, 16) RG_HALVE(NAME, T, 4, 8) RG_HALVE(NAME, T, 2, 4)
#define RG_WHOLE_HALVES4(NAME, T) RG_HALVE(NAME, T, 4, 16) RG_HALVE(NAME, T, 2, 8)
RG_MERGE_WHOLE(f32, float)
RG_MERGE_WHOLE(f64, double)
RG_MERGE_WHOLE_PLACES(f32, float, 4)
RG_MERGE_WHOLE_PLACES(f32, float, 8)
RG_MERGE_WHOLE_PLACES(f64, double, 4)
RG_MERGE_WHOLE_PLACES(f64, double, 8)

/* 32 additions of a whole warp to 32 places that its lanes have in common, of products c[i] * s, where
 * c is the same in all iterations of a loop (lib/Emit/GroupAdditions.h). Over the lanes these are the
 * product of a matrix that stays, one column of it in each lane, with a vector, one number of it in each
 * lane. So the matrix is turned once, in front of the loop: lane i has row i, in registers. Then lanes
 * see each other's s, through a row of shared memory that all read alike, and lane i has the ith sum by
 * 32 multiplications; otherwise it takes 32 for the products, and 31 exchanges with two selections and an
 * addition each. */
#define RG_TURN(D)                                                                       \
  {                                                                                      \
    _Bool upper = (me & (D)) != 0;                                                       \
    _Pragma("unroll") for (uint32_t k = 0; k < 16; ++k) {                                \
      uint32_t i = (k & ~((D) - 1u)) * 2 + (k & ((D) - 1u)), j = i + (D);                \
      float low = x[i], high = x[j];                                                     \
      float got = rg_across_f32(upper ? low : high, (D));                                \
      x[i] = upper ? got : low;                                                          \
      x[j] = upper ? high : got;                                                         \
    }                                                                                    \
  }
RG_INLINE uint32_t rg_whole_warp(void) { return __nvvm_activemask() == ~0u; }
RG_INLINE rg_f32x32 rg_turned_f32x32(rg_f32x32 c, uint32_t whole) {
  if (!whole)
    return c;
  uint32_t me = (uint32_t)RG_LANE();
  float x[32];
  _Pragma("unroll") for (uint32_t i = 0; i < 32; ++i) x[i] = c[i];
  RG_TURN(16) RG_TURN(8) RG_TURN(4) RG_TURN(2) RG_TURN(1)
  rg_f32x32 turned;
  _Pragma("unroll") for (uint32_t i = 0; i < 32; ++i) turned[i] = x[i];
  return turned;
}
typedef float rg_f4 __attribute__((ext_vector_type(4)));
static RG_SHARED __attribute__((loader_uninitialized)) rg_f4 rg_factors[32][8];
/* Two at once wait once for each other's numbers, and for memory. */
static RG_SHARED __attribute__((loader_uninitialized)) rg_f4 rg_more_factors[32][8];
static inline void rg_hand_out(RG_SHARED rg_f4 *row, float s) { ((RG_SHARED float *)row)[RG_LANE()] = s; }
static inline float rg_row_product(RG_SHARED rg_f4 *row, rg_f32x32 turned) {
  float sum[4] = {0, 0, 0, 0};
  _Pragma("unroll") for (uint32_t k = 0; k < 8; ++k) {
    rg_f4 of = row[k];
    _Pragma("unroll") for (uint32_t i = 0; i < 4; ++i)
      sum[i] = k ? of[i] * turned[4 * k + i] + sum[i] : of[i] * turned[i];
  }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}
#define RG_PLACE_OF_RUNS(BASE, RUN)                                                      \
  ((BASE) + (int)(me & 16 ? (me & 8 ? RUN[3] : RUN[2]) : (me & 8 ? RUN[1] : RUN[0])) +   \
   (me & 7) * sizeof(float))
#define RG_EIGHTS(CALL)                                                                  \
  _Pragma("unroll") for (uint32_t k = 0; k < 4; ++k) {                                   \
    rg_f32x8 part;                                                                       \
    rg_f32_offsets8 offset;                                                              \
    _Pragma("unroll") for (uint32_t i = 0; i < 8; ++i) {                                 \
      part[i] = v[8 * k + i];                                                            \
      offset[i] = run[k] + i * (uint32_t)sizeof(float);                                  \
    }                                                                                    \
    CALL;                                                                                \
  }
RG_INLINE void rg_product_shared_f32x32(RG_SHARED char *base, rg_f32_offsets4 run, rg_f32x32 v, rg_f32x32 turned,
                                        float s, uint32_t whole, uint32_t key) {
  uint32_t me = (uint32_t)RG_LANE();
  if (__nvvm_activemask() != ~0u ||
      !__nvvm_vote_all_sync(~0u, whole && key == (uint32_t)__nvvm_shfl_sync_idx_i32(~0u, (int)key, 0, 0x1f))) {
    rg_u4 peers = rg_peers(key);
    RG_EIGHTS(rg_merge_f32x8(base, offset, part, peers))
    return;
  }
  RG_SHARED rg_f4 *row = rg_factors[rg_thread() / 32];
  __nvvm_bar_warp_sync(~0u);
  rg_hand_out(row, s);
  __nvvm_bar_warp_sync(~0u);
  float x = rg_row_product(row, turned);
  RG_SHARED float *place = (RG_SHARED float *)RG_PLACE_OF_RUNS(base, run);
  if (rg_threads() <= 32) {
    *place += x;
    __nvvm_bar_warp_sync(~0u);
  } else {
    RG_ATOMIC_ADD((float *)place, x);
  }
}
RG_INLINE void rg_product_places_f32x32(char *base, rg_f32_offsets4 run, rg_f32x32 v, rg_f32x32 turned, float s,
                                        uint32_t whole) {
  uint32_t me = (uint32_t)RG_LANE();
  if (!RG_IN_ONE_PLACE(base) || !__nvvm_vote_all_sync(~0u, whole != 0)) {
    RG_EIGHTS(rg_merge_places_f32x8(base, offset, part))
    return;
  }
  RG_SHARED rg_f4 *row = rg_factors[rg_thread() / 32];
  __nvvm_bar_warp_sync(~0u);
  rg_hand_out(row, s);
  __nvvm_bar_warp_sync(~0u);
  float x = rg_row_product(row, turned);
  RG_ATOMIC_ADD((float *)RG_PLACE_OF_RUNS(base, run), x);
}
RG_INLINE void rg_products_shared_f32x32(RG_SHARED char *base, rg_f32_offsets4 run, rg_f32x32 v, rg_f32x32 turned,
                                         float s, uint32_t whole, uint32_t key, RG_SHARED char *base2,
                                         rg_f32_offsets4 run2, rg_f32x32 v2, rg_f32x32 turned2, float t,
                                         uint32_t whole2) {
  uint32_t me = (uint32_t)RG_LANE();
  if (__nvvm_activemask() != ~0u ||
      !__nvvm_vote_all_sync(~0u, whole && whole2 &&
                                     key == (uint32_t)__nvvm_shfl_sync_idx_i32(~0u, (int)key, 0, 0x1f))) {
    rg_u4 peers = rg_peers(key);
    RG_EIGHTS(rg_merge_f32x8(base, offset, part, peers))
    v = v2, run = run2;
    RG_EIGHTS(rg_merge_f32x8(base2, offset, part, peers))
    return;
  }
  RG_SHARED rg_f4 *row = rg_factors[rg_thread() / 32], *more = rg_more_factors[rg_thread() / 32];
  __nvvm_bar_warp_sync(~0u);
  rg_hand_out(row, s);
  rg_hand_out(more, t);
  __nvvm_bar_warp_sync(~0u);
  float x = rg_row_product(row, turned), y = rg_row_product(more, turned2);
  RG_SHARED float *p = (RG_SHARED float *)RG_PLACE_OF_RUNS(base, run);
  RG_SHARED float *q = (RG_SHARED float *)RG_PLACE_OF_RUNS(base2, run2);
  if (rg_threads() <= 32) {
    *p += x;
    *q += y;
    __nvvm_bar_warp_sync(~0u);
  } else {
    uint32_t offset[2] = {0, (uint32_t)((RG_SHARED char *)q - (RG_SHARED char *)p)};
    float both[2] = {x, y};
    rg_add_each_f32x2((RG_SHARED char *)p, offset, both);
  }
}
#endif

/* Additions at the end of an iteration that lanes reverse in step (lib/Emit/StepSums.cpp), to places
 * which are the same for all of these lanes: those that wait have zeros. Who they are is found in
 * front of the loop:
 *
 *   x  the lanes
 *   y  5 bits for each k < 5: of the lane whose rank among them differs from mine in bit k
 *   z  bits 0 to 4: my rank. Bits 8 to 10: how many of these k there are: ranks that are too large
 *      for that hand their numbers to the lane so many below. Bit 16: I am one of these. Bit 17:
 *      such a lane hands me its numbers
 *   w  that lane
 */
#if defined(__NVPTX__)
static inline uint32_t rg_lane_of_rank(uint32_t lanes, uint32_t rank) {
  while (rank--)
    lanes &= lanes - 1;
  return (uint32_t)__builtin_ctz(lanes);
}
RG_NOINLINE rg_u4 rg_step_ranks(uint32_t lanes) {
  uint32_t me = (uint32_t)RG_LANE(), count = (uint32_t)__builtin_popcount(lanes);
  uint32_t rank = (uint32_t)__builtin_popcount(lanes & ((1u << me) - 1));
  uint32_t bits = 31 - (uint32_t)__builtin_clz(count), even = 1u << bits;
  rg_u4 s = {lanes, 0, rank | bits << 8, me};
  if (lanes == ~0u)
    return s; /* exchanges ask for no more */
  for (uint32_t k = 0; k < bits; ++k)
    s.y |= (rank < even ? rg_lane_of_rank(lanes, rank ^ 1u << k) : me) << 5 * k;
  if (rank >= even) {
    s.z |= 1u << 16;
  } else if (rank + even < count) {
    s.z |= 1u << 17;
    s.w = rg_lane_of_rank(lanes, rank + even);
  }
  return s;
}

/* Lanes whose numbers, or ranks, differ in bit D exchange halves of the From numbers that each has, as
 * in RG_HALVE; of an odd one both have the sum, and the lower one its place. */
#define RG_STEP_HALVE(T, FROM, TO, UPPER, ACROSS)                                        \
  {                                                                                      \
    _Bool upper = (UPPER) != 0;                                                          \
    _Pragma("unroll") for (uint32_t i = 0; i < (TO); ++i) {                              \
      if (i + (TO) < (FROM)) {                                                           \
        T given = upper ? x[i] : x[i + (TO)], kept = upper ? x[i + (TO)] : x[i];         \
        x[i] = kept + ACROSS(given);                                                     \
        at[i] = upper ? at[i + (TO)] : at[i];                                            \
      } else {                                                                           \
        x[i] += ACROSS(x[i]);                                                            \
        at[i] = upper ? ~0u : at[i];                                                     \
      }                                                                                  \
    }                                                                                    \
  }
#define RG_STEP_SUM(NAME, T, BITS, N)                                                    \
  typedef T rg_step_##NAME##x##N __attribute__((ext_vector_type(N)));                    \
  typedef uint32_t rg_step_##NAME##_offsets##N __attribute__((ext_vector_type(N)));      \
  enum {                                                                                 \
    rg_step_##NAME##x##N##_1 = (N + 1) / 2,                                              \
    rg_step_##NAME##x##N##_2 = (rg_step_##NAME##x##N##_1 + 1) / 2,                       \
    rg_step_##NAME##x##N##_3 = (rg_step_##NAME##x##N##_2 + 1) / 2,                       \
    rg_step_##NAME##x##N##_4 = (rg_step_##NAME##x##N##_3 + 1) / 2                        \
  };                                                                                     \
  RG_NOINLINE void rg_step_some_##NAME##x##N(RG_SHARED char *base,                       \
                                             rg_step_##NAME##_offsets##N offset,         \
                                             rg_step_##NAME##x##N v, rg_u4 s) {          \
    uint32_t bits = s.z >> 8 & 7, left = N, at[N];                                       \
    T x[N];                                                                              \
    _Pragma("unroll") for (uint32_t i = 0; i < N; ++i) {                                 \
      T other = rg_of_lane_##NAME(v[i], s.x, s.w);                                       \
      x[i] = s.z >> 17 & 1 ? v[i] + other : v[i];                                        \
      at[i] = s.z >> 16 & 1 ? ~0u : offset[i];                                           \
    }                                                                                    \
    RG_STEP_OF_RANKS(NAME, T, N, rg_step_##NAME##x##N##_1, 0)                            \
    RG_STEP_OF_RANKS(NAME, T, rg_step_##NAME##x##N##_1, rg_step_##NAME##x##N##_2, 1)     \
    RG_STEP_OF_RANKS(NAME, T, rg_step_##NAME##x##N##_2, rg_step_##NAME##x##N##_3, 2)     \
    RG_STEP_OF_RANKS(NAME, T, rg_step_##NAME##x##N##_3, rg_step_##NAME##x##N##_4, 3)     \
    _Pragma("unroll") for (uint32_t i = 0; i < N; ++i)                                   \
      if (i < left && at[i] != ~0u)                                                      \
        RG_ATOMIC_ADD((T *)(RG_SHARED T *)(base + at[i]), x[i]);                         \
  }                                                                                      \
  RG_INLINE void rg_step_sum_##NAME##x##N(RG_SHARED char *base,                          \
                                          rg_step_##NAME##_offsets##N offset,            \
                                          rg_step_##NAME##x##N v, rg_u4 s) {             \
    uint##BITS##_t any = 0;                                                              \
    T x[N];                                                                              \
    uint32_t me = (uint32_t)RG_LANE(), at[N];                                            \
    _Pragma("unroll") for (uint32_t i = 0; i < N; ++i) {                                 \
      union { T x; uint##BITS##_t bits; } u = {v[i]};                                    \
      any |= u.bits << 1; /* but the sign */                                             \
      x[i] = v[i];                                                                       \
      at[i] = offset[i];                                                                 \
    }                                                                                    \
    if (s.x != ~0u) {                                                                    \
      if (__nvvm_vote_any_sync(s.x, any != 0))                                           \
        rg_step_some_##NAME##x##N(base, offset, v, s);                                   \
      return;                                                                            \
    }                                                                                    \
    if (!__nvvm_vote_any_sync(~0u, any != 0))                                            \
      return;                                                                            \
    RG_STEP_OF_LANES(NAME, T, N, rg_step_##NAME##x##N##_1, 1)                            \
    RG_STEP_OF_LANES(NAME, T, rg_step_##NAME##x##N##_1, rg_step_##NAME##x##N##_2, 2)     \
    RG_STEP_OF_LANES(NAME, T, rg_step_##NAME##x##N##_2, rg_step_##NAME##x##N##_3, 4)     \
    RG_STEP_OF_LANES(NAME, T, rg_step_##NAME##x##N##_3, rg_step_##NAME##x##N##_4, 8)     \
    RG_STEP_OF_LANES(NAME, T, rg_step_##NAME##x##N##_4, 1, 16)                           \
    if (at[0] != ~0u)                                                                    \
      RG_ATOMIC_ADD((T *)(RG_SHARED T *)(base + at[0]), x[0]);                           \
  }
#define RG_STEP_OF_LANES(NAME, T, FROM, TO, D)                                           \
  RG_STEP_HALVE(T, FROM, TO, me & (D), RG_STEP_LANE_##NAME##_##D)
#define RG_STEP_LANE_f32_1(X) rg_across_f32(X, 1)
#define RG_STEP_LANE_f32_2(X) rg_across_f32(X, 2)
#define RG_STEP_LANE_f32_4(X) rg_across_f32(X, 4)
#define RG_STEP_LANE_f32_8(X) rg_across_f32(X, 8)
#define RG_STEP_LANE_f32_16(X) rg_across_f32(X, 16)
#define RG_STEP_LANE_f64_1(X) rg_across_f64(X, 1)
#define RG_STEP_LANE_f64_2(X) rg_across_f64(X, 2)
#define RG_STEP_LANE_f64_4(X) rg_across_f64(X, 4)
#define RG_STEP_LANE_f64_8(X) rg_across_f64(X, 8)
#define RG_STEP_LANE_f64_16(X) rg_across_f64(X, 16)
#define RG_STEP_OF_RANKS(NAME, T, FROM, TO, K)                                           \
  if (bits > (K)) {                                                                      \
    RG_STEP_HALVE(T, FROM, TO, s.z >> (K) & 1, RG_STEP_RANK_##NAME##_##K)                \
    left = (TO);                                                                         \
  }
#define RG_STEP_RANK_f32_0(X) rg_of_lane_f32(X, s.x, s.y & 31)
#define RG_STEP_RANK_f32_1(X) rg_of_lane_f32(X, s.x, s.y >> 5 & 31)
#define RG_STEP_RANK_f32_2(X) rg_of_lane_f32(X, s.x, s.y >> 10 & 31)
#define RG_STEP_RANK_f32_3(X) rg_of_lane_f32(X, s.x, s.y >> 15 & 31)
#define RG_STEP_RANK_f64_0(X) rg_of_lane_f64(X, s.x, s.y & 31)
#define RG_STEP_RANK_f64_1(X) rg_of_lane_f64(X, s.x, s.y >> 5 & 31)
#define RG_STEP_RANK_f64_2(X) rg_of_lane_f64(X, s.x, s.y >> 10 & 31)
#define RG_STEP_RANK_f64_3(X) rg_of_lane_f64(X, s.x, s.y >> 15 & 31)
RG_STEP_SUM(f32, float, 32, 2)
RG_STEP_SUM(f32, float, 32, 4)
RG_STEP_SUM(f32, float, 32, 6)
RG_STEP_SUM(f32, float, 32, 8)
RG_STEP_SUM(f32, float, 32, 10)
RG_STEP_SUM(f32, float, 32, 12)
RG_STEP_SUM(f32, float, 32, 16)
RG_STEP_SUM(f64, double, 64, 2)
RG_STEP_SUM(f64, double, 64, 4)
RG_STEP_SUM(f64, double, 64, 6)
RG_STEP_SUM(f64, double, 64, 8)
RG_STEP_SUM(f64, double, 64, 10)
RG_STEP_SUM(f64, double, 64, 12)
RG_STEP_SUM(f64, double, 64, 16)
#endif

/* Numbers x[0], x[1], ... for places side by side, of lanes that probably stand side by side, too:
 * the second place of a lane is the first of the next one. Each lane hands what is for its last
 * place to the next lane, then what it has for the one before, and so on, and adds for its first
 * place alone; a lane that has no such next one adds the rest as well. Most often the lanes of a
 * warp are one row; lanes that a branch has left add each for itself. */
#if defined(__NVPTX__)
static inline float rg_from_below_f32(float x) {
  return __nvvm_shfl_sync_up_f32(~0u, x, 1, 0);
}
static inline double rg_from_below_f64(double x) {
  union { double x; uint32_t w[2]; } u = {x};
  u.w[0] = (uint32_t)__nvvm_shfl_sync_up_i32(~0u, (int)u.w[0], 1, 0);
  u.w[1] = (uint32_t)__nvvm_shfl_sync_up_i32(~0u, (int)u.w[1], 1, 0);
  return u.x;
}
#define RG_BESIDE(NAME, T, N)                                                            \
  static inline void rg_hand_on_##NAME##x##N(T *p, T *x, _Bool gives, _Bool gets) {      \
    _Pragma("unroll") for (uint32_t i = N - 1; i; --i) {                                 \
      T below = rg_from_below_##NAME(x[i]);                                              \
      if (!gives)                                                                        \
        RG_ATOMIC_ADD(p + i, x[i]);                                                      \
      x[i - 1] += gets ? below : 0;                                                      \
    }                                                                                    \
    RG_ATOMIC_ADD(p, x[0]);                                                              \
  }                                                                                      \
  static inline void rg_add_beside_##NAME##x##N(T *p, T *x) {                            \
    uint32_t me = (uint32_t)RG_LANE();                                                   \
    if (__nvvm_activemask() != ~0u) {                                                    \
      _Pragma("unroll") for (uint32_t i = 0; i < N; ++i)                                 \
        RG_ATOMIC_ADD(p + i, x[i]);                                                      \
      return;                                                                            \
    }                                                                                    \
    uint32_t low = (uint32_t)(uint64_t)p, high = (uint32_t)((uint64_t)p >> 32);          \
    uint32_t l = (uint32_t)__nvvm_shfl_sync_idx_i32(~0u, (int)low, 0, 0x1f);             \
    uint32_t h = (uint32_t)__nvvm_shfl_sync_idx_i32(~0u, (int)high, 0, 0x1f);            \
    uint64_t first = (uint64_t)h << 32 | l;                                              \
    if (__nvvm_vote_all_sync(~0u, (uint64_t)p == first + me * sizeof(T))) {              \
      rg_hand_on_##NAME##x##N(p, x, me != 31, me != 0);                                  \
      return;                                                                            \
    }                                                                                    \
    l = (uint32_t)__nvvm_shfl_sync_down_i32(~0u, (int)low, 1, 0x1f);                     \
    h = (uint32_t)__nvvm_shfl_sync_down_i32(~0u, (int)high, 1, 0x1f);                    \
    _Bool gives = me != 31 && ((uint64_t)h << 32 | l) == (uint64_t)(p + 1);              \
    uint32_t givers = (uint32_t)__nvvm_vote_ballot_sync(~0u, gives);                     \
    rg_hand_on_##NAME##x##N(p, x, gives, me != 0 && givers >> (me - 1) & 1);             \
  }
#else
#define RG_BESIDE(NAME, T, N)                                                            \
  static inline void rg_add_beside_##NAME##x##N(T *p, T *x) {                            \
    for (uint32_t i = 0; i < N; ++i)                                                     \
      RG_ATOMIC_ADD(p + i, x[i]);                                                        \
  }
#endif
#define RG_BESIDE_OF(NAME, T, N, PARAMETERS, ...)                                        \
  RG_BESIDE(NAME, T, N)                                                                  \
  RG_INLINE void rg_beside_##NAME##x##N PARAMETERS {                                     \
    T x[N] = {__VA_ARGS__};                                                              \
    if (!RG_IS_PRIVATE(p)) {                                                             \
      rg_add_beside_##NAME##x##N(p, x);                                                  \
      return;                                                                            \
    }                                                                                    \
    _Pragma("unroll") for (uint32_t i = 0; i < N; ++i)                                   \
      p[i] += x[i];                                                                      \
  }
#define RG_BESIDE_ALL(NAME, T)                                                           \
  RG_BESIDE_OF(NAME, T, 2, (T * p, T a, T b), a, b)                                      \
  RG_BESIDE_OF(NAME, T, 3, (T * p, T a, T b, T c), a, b, c)                              \
  RG_BESIDE_OF(NAME, T, 4, (T * p, T a, T b, T c, T d), a, b, c, d)
RG_BESIDE_ALL(f32, float)
RG_BESIDE_ALL(f64, double)

/* How many there are of an index of a thread: in its block along x, y, z (0 to 2), of
 * its block (3 to 5), in the whole grid (6 to 8). */
RG_INLINE uint64_t rg_extent(uint32_t index) {
  switch (index) {
  case 0: return RG_THREADS(x);
  case 1: return RG_THREADS(y);
  case 2: return RG_THREADS(z);
  case 3: return RG_BLOCKS(x);
  case 4: return RG_BLOCKS(y);
  case 5: return RG_BLOCKS(z);
  case 6: return (uint64_t)RG_THREADS(x) * RG_BLOCKS(x);
  case 7: return (uint64_t)RG_THREADS(y) * RG_BLOCKS(y);
  default: return (uint64_t)RG_THREADS(z) * RG_BLOCKS(z);
  }
}

/* Zeroes a shadow in memory that the block shares, all threads together. Nobody
 * touches it before everybody is done. */
RG_INLINE void rg_shared_zero(char *p, uint64_t bytes) {
  uint32_t step = rg_threads();
  uint64_t i = (uint64_t)rg_thread() * 4, whole = bytes & ~3ul;
  for (; i < whole; i += (uint64_t)step * 4)
    *(uint32_t *)(p + i) = 0;
  for (uint64_t k = whole + rg_thread(); k < bytes; k += step)
    p[k] = 0;
}

/* A kernel whose derivatives keep shadows in dynamic shared memory begins: seen is what the host
   has left, all the size of that memory. */
RG_INLINE void rg_check_dynamic_parts(uint32_t seen, uint32_t all) {
#if defined(__NVPTX__)
  if (seen || !all)
    return;
  if (rg_thread() == 0)
    vprintf("retrograd: the launch of a kernel with a derivative did not provide the dynamic shared memory of its "
            "shadows: launch it by <<<>>> or cudaLaunchKernel in a file compiled with Retrograd, and with -fgpu-rdc "
            "have kernel and derivative in one file [RG2201]\n",
            NULL);
  RG_BARRIER();
  __builtin_trap();
#else
  (void)seen, (void)all;
#endif
}

RG_INLINE void rg_block_barrier(void) { RG_BARRIER(); }

/*===----------------------------------------------------------------------===*\
|* Bulk memory: as runtime/memory.c, where the head says what the operands are.
\*===----------------------------------------------------------------------===*/

static inline uint64_t rg_within(uint64_t bytes, uint64_t offset, uint64_t run) {
  if (offset >= bytes)
    return 0;
  return run < bytes - offset ? run : bytes - offset;
}

void rg_adjoint_zero(char *dsh, char *d, uint64_t bytes, uint64_t offset,
                     uint64_t period, uint64_t run) {
  if (dsh == d)
    return;
  if (!period) {
    __builtin_memset(dsh + offset, 0, rg_within(bytes, offset, run));
    return;
  }
  for (uint64_t at = offset; at < bytes; at += period)
    __builtin_memset(dsh + at, 0, run < bytes - at ? run : bytes - at);
}

#define RG_ADJOINT_MOVE(NAME, T, BITS)                                                   \
  static inline void rg_adjoint_run_##NAME(char *d, char *s, uint64_t bytes) {           \
    T *dt = (T *)d, *st = (T *)s;                                                        \
    uint64_t n = bytes / sizeof(T);                                                      \
    int up = d > s || d + bytes <= s;                                                    \
    for (uint64_t k = 0; k < n; ++k) {                                                   \
      uint64_t i = up ? k : n - 1 - k;                                                   \
      union { uint##BITS##_t bits; T x; } u = {rg_take_b##BITS((uint##BITS##_t *)(dt + i))}; \
      rg_accumulate_##NAME(st + i, u.x);                                                 \
    }                                                                                    \
  }                                                                                      \
  void rg_adjoint_move_##NAME(char *dsh, char *d, char *ssh, char *s, uint64_t bytes,    \
                              uint64_t offset, uint64_t period, uint64_t run) {          \
    if (dsh == d)                                                                        \
      return;                                                                            \
    if (ssh == s) {                                                                      \
      rg_adjoint_zero(dsh, d, bytes, offset, period, run);                               \
      return;                                                                            \
    }                                                                                    \
    if (!period) {                                                                       \
      rg_adjoint_run_##NAME(dsh + offset, ssh + offset, rg_within(bytes, offset, run));  \
      return;                                                                            \
    }                                                                                    \
    uint64_t times = bytes > offset ? (bytes - offset + period - 1) / period : 0;        \
    for (uint64_t i = 0; i < times; ++i) {                                               \
      uint64_t at = offset + (dsh > ssh ? i : times - 1 - i) * period;                   \
      rg_adjoint_run_##NAME(dsh + at, ssh + at, run < bytes - at ? run : bytes - at);    \
    }                                                                                    \
  }

RG_ADJOINT_MOVE(f16, _Float16, 16)
RG_ADJOINT_MOVE(bf16, __bf16, 16)
RG_ADJOINT_MOVE(f32, float, 32)
RG_ADJOINT_MOVE(f64, double, 64)

void rg_shadow_move_pointers(char *dsh, char *d, char *ssh, uint64_t bytes,
                             uint64_t offset, uint64_t period, uint64_t run) {
  if (dsh == d)
    return;
  if (!period) {
    __builtin_memmove(dsh + offset, ssh + offset, rg_within(bytes, offset, run));
    return;
  }
  uint64_t times = bytes > offset ? (bytes - offset + period - 1) / period : 0;
  for (uint64_t i = 0; i < times; ++i) {
    uint64_t at = offset + (dsh > ssh ? times - 1 - i : i) * period;
    __builtin_memmove(dsh + at, ssh + at, run < bytes - at ? run : bytes - at);
  }
}

void *rg_apart(char *from, char *to, char *own, uint64_t bytes) {
  if (to == own || from >= to + bytes || to >= from + bytes)
    return from;
  char *copy = malloc(bytes);
  if (!copy)
    __builtin_trap();
  return __builtin_memcpy(copy, from, bytes);
}

void rg_apart_zero(char *copy, char *from, uint64_t bytes, uint64_t offset,
                   uint64_t period, uint64_t run) {
  if (copy != from)
    rg_adjoint_zero(from, 0, bytes, offset, period, run);
}

void rg_apart_end(char *copy, char *from) {
  if (copy != from)
    free(copy);
}

void rg_shadow_move_inactive(char *dsh, char *d, char *ssh, char *s, uint64_t bytes,
                             uint64_t offset, uint64_t period, uint64_t run) {
  if (ssh == s)
    rg_shadow_move_pointers(dsh, d, ssh, bytes, offset, period, run);
}

void rg_tangent_move(char *dsh, char *d, char *ssh, char *s, uint64_t bytes) {
  if (dsh == d)
    return;
  if (ssh == s)
    __builtin_memset(dsh, 0, bytes);
  else
    __builtin_memmove(dsh, ssh, bytes);
}

void rg_free_shadow(void *p, void *sh, void (*dealloc)(void *)) {
  if (sh != p)
    dealloc(sh);
}
