/*===- arena.c - the tape of one thread of a kernel ------------------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* What loops keep is a stack of bytes per thread:
|*
|* - in the frame of the derivative, as many bytes as the option -rg-gpu-stack says:
|*   local memory, which the hardware interleaves by threads and the driver sizes by
|*   those that can run at once;
|* - where the kernel itself has the derivative's code, on its stack, as far as the
|*   launch has made that longer than what its frames take (struct rg_stack): local
|*   memory, too, whose size the launch finds out (../launch.c);
|* - in rg_device_arena, memory that the program made before the launch
|*   (<retrograd/retrograd_device.h>): every thread has its part of it;
|* - in rg_tape_pool, memory that the launch made (../launch.c): as many slots as
|*   warps can run at once. A warp takes one when its first thread needs more, and
|*   gives it back when its last one ends its tape;
|* - where there is none of these, or no more of it, in chunks from the device's
|*   heap, doubling from 1 KiB. That is slow, and the heap is small
|*   (cudaLimitMallocHeapSize, 8 MiB unless set): when it has no more either, the
|*   kernel says how much this thread had and asked for, and stops with an error.
|*   Nothing is lost silently.
|*
|* The state of the stack is in the frame of the derivative that begins the tape.
\*===------------------------------------------------------------------------===*/
#include "device.h"

typedef struct rg_deferred {
  struct rg_deferred *earlier;
  void *p;
  void (*dealloc)(void *);
} rg_deferred;

typedef struct rg_arena {
  char *cur, *end;
  char *chunk;          /* from the heap; its first word is the one before */
  uint64_t chunk_bytes; /* of the latest chunk */
  rg_deferred *deferred;
  uint64_t taken;    /* bytes handed out, for the message */
  uint8_t reserved;  /* the program's memory has been asked for */
  uint8_t pooled;    /* the launch's memory has been asked for */
  uint8_t stacked;   /* the kernel's stack has been asked for */
  uint32_t slot;     /* of the pool, and one: 0 is none */
  struct rg_stack *stack; /* this tape's until it ends */
} rg_arena;
_Static_assert(sizeof(rg_arena) <= 64, "Emit/PrimalStorage.cpp makes room for it");

/* What the launch gave a kernel's thread of its stack: in the kernel's frame. One tape has it at a
   time. As LaunchTapePass makes it (lib/Polish/LaunchMemory.cpp). */
struct rg_stack {
  char *memory;
  uint64_t bytes; /* a multiple of 16 */
  uint32_t taken;
};

/* Set by the host; see <retrograd/retrograd_device.h>. */
struct rg_device_arena_state {
  char *memory;
  uint64_t bytes_per_thread; /* a multiple of 16 */
  uint64_t threads;
};
__attribute__((address_space(1), weak, used)) struct rg_device_arena_state rg_device_arena;

/* The launch's memory, as ../launch.c writes it. A slot has lane_bytes for each of 32 lanes. */
struct rg_pool {
  char *memory;
  uint32_t *slots; /* of each: the lanes that have their part, and the warp they came from */
  uint64_t lane_bytes; /* a multiple of 16 */
  uint32_t count;
  uint64_t *wanted; /* of the host's: what a thread would have needed; [1] of its stack */
};
struct rg_pool *__attribute__((address_space(1))) rg_tape_pool __attribute__((weak, used));

/* A lane's part of a slot belongs to whoever sets the lane's bit. That lanes of one warp come to
   one slot is for their memory's sake alone: which warp has written its name there may be out of
   date. */
static _Bool take_part(struct rg_pool *pool, uint32_t n, uint32_t bit, uint32_t warp) {
  uint32_t *lanes = &pool->slots[2 * n];
  if (__scoped_atomic_fetch_or(lanes, bit, __ATOMIC_ACQUIRE, __MEMORY_SCOPE_DEVICE) & bit)
    return 0;
  lanes[1] = warp;
  return 1;
}

/* The number of a slot whose part for this lane is this thread's from here on, and one; or 0. */
static uint32_t take_slot(struct rg_pool *pool, uint64_t block) {
  uint32_t thread = rg_thread(), bit = 1u << (thread & 31);
  uint64_t mix = (block * 32 + (thread >> 5) + 1) * 0x9e3779b97f4a7c15ull;
  uint32_t warp = (uint32_t)(mix >> 32), n = warp % pool->count;
  for (uint32_t any = 0; any < 2; ++any)
    for (uint32_t i = 0; i < pool->count; ++i) {
      const volatile uint32_t *slot = &pool->slots[2 * n];
      uint32_t lanes = slot[0];
      if (!(lanes & bit) && (any || !lanes || slot[1] == warp) && take_part(pool, n, bit, warp))
        return n + 1;
      n = n + 1 == pool->count ? 0 : n + 1;
    }
  return 0;
}

/* What this thread wrote there is in its place before another one writes. */
RG_NOINLINE void rg_arena_leave_slot(uint32_t slot) {
  uint32_t *lanes = &rg_tape_pool->slots[2 * (slot - 1)];
  __scoped_atomic_fetch_and(lanes, ~(1u << (rg_thread() & 31)), __ATOMIC_RELEASE, __MEMORY_SCOPE_DEVICE);
}

RG_INLINE rg_arena *rg_tape_begin(void *state, void *local, uint64_t bytes) {
  rg_arena *a = (rg_arena *)state;
  a->cur = (char *)local;
  a->end = a->cur + bytes;
  a->chunk = NULL;
  a->reserved = 0;
  a->pooled = 0;
  a->slot = 0;
  a->stacked = 0;
  a->stack = NULL;
  a->chunk_bytes = 0;
  a->deferred = NULL;
  a->taken = 0;
  return a;
}

RG_NOINLINE void rg_arena_out_of_memory(uint64_t taken, uint64_t asked, uint64_t stack) {
#if defined(__NVPTX__)
  struct rg_pool *pool = rg_tape_pool;
  struct {
    uint64_t taken, asked, block;
    uint32_t thread;
    uint64_t stack, pool, reserved;
  } args = {taken, asked, RG_BLOCK(x), rg_thread(), stack, pool && pool->count ? pool->lane_bytes : 0,
            rg_device_arena.bytes_per_thread};
  vprintf("retrograd: no memory for the tape: this thread holds %llu bytes and asks for %llu more "
          "(block %llu, thread %u); beside its local memory a thread has %llu bytes of the stack, %llu of the launch's pool "
          "and %llu that the program has reserved, and the device's heap has no more. Call rg::device_tape(bytes per "
          "thread, threads) of <retrograd/retrograd_device.h> before the launch, raise cudaLimitMallocHeapSize, "
          "launch fewer threads at a time, or keep less: -mllvm -rg-print-plan says what is kept, docs/GPU.md which "
          "steps keep less\n", &args);
#else
  (void)taken, (void)asked, (void)stack;
#endif
  __builtin_trap();
}

/* Goes on in a part of memory of so many bytes, if need fits in. */
static void *enter(rg_arena *a, char *part, uint64_t bytes, uint64_t need) {
  if (need > bytes)
    return NULL;
  a->cur = part + need;
  a->end = part + bytes;
  return part;
}

RG_NOINLINE void *rg_tape_alloc_slow(rg_arena *a, uint64_t bytes, struct rg_stack *stack) {
  uint64_t need = (bytes + 15) & ~15ul;
  struct rg_pool *pool = rg_tape_pool;
  if (stack) {
    if (!a->stacked) {
      a->stacked = 1;
      if (!a->stack && !stack->taken) {
        a->stack = stack;
        stack->taken = 1;
      }
      void *p = a->stack ? enter(a, stack->memory, stack->bytes, need) : NULL;
      if (p)
        return p;
    }
    /* The next launch makes it longer. */
    if (pool && *(volatile uint64_t *)&pool->wanted[1] < a->taken)
      *(volatile uint64_t *)&pool->wanted[1] = a->taken;
  }
  uint64_t block = RG_BLOCK(x) + (uint64_t)RG_BLOCKS(x) * (RG_BLOCK(y) + (uint64_t)RG_BLOCKS(y) * RG_BLOCK(z));
  if (!a->reserved && rg_device_arena.bytes_per_thread) {
    a->reserved = 1;
    uint64_t me = block * rg_threads() + rg_thread();
    void *p = NULL;
    if (me < rg_device_arena.threads)
      p = enter(a, rg_device_arena.memory + me * rg_device_arena.bytes_per_thread, rg_device_arena.bytes_per_thread, need);
    if (p)
      return p;
  }
  if (pool && pool->count) {
    if (!a->pooled) {
      a->pooled = 1;
      if (!a->slot)
        a->slot = take_slot(pool, block);
      void *p = NULL;
      if (a->slot) {
        uint64_t lane = (uint64_t)(a->slot - 1) * 32 + (rg_thread() & 31);
        p = enter(a, pool->memory + lane * pool->lane_bytes, pool->lane_bytes, need);
      }
      if (p)
        return p;
    }
    /* The next launch makes more of it. */
    if (*(volatile uint64_t *)pool->wanted < a->taken)
      *(volatile uint64_t *)pool->wanted = a->taken;
  }
  uint64_t size = a->chunk_bytes ? 2 * a->chunk_bytes : 1024;
  if (size > (1ul << 20))
    size = 1ul << 20;
  if (size < need + 16)
    size = need + 16;
  char *c = malloc(size);
  if (!c)
    rg_arena_out_of_memory(a->taken - bytes, bytes, a->stack ? a->stack->bytes : 0);
  *(char **)c = a->chunk;
  a->chunk = c;
  a->chunk_bytes = size;
  a->cur = c + 16 + need;
  a->end = c + size;
  return c + 16;
}

/* Of a kernel that has none; LaunchTapePass puts another one in its place. Nobody writes it, which
   the compiler must not know. */
struct rg_stack *__attribute__((address_space(1))) rg_no_stack __attribute__((weak, used));

__attribute__((malloc, assume_aligned(16))) void *
rg_tape_alloc(rg_arena *a, uint64_t bytes) {
  char *p = a->cur;
  a->taken += bytes;
  /* Both ends are multiples of 16, so what fits as it is also fits rounded up. */
  if (__builtin_expect(bytes > (uint64_t)(a->end - p), 0))
    return rg_tape_alloc_slow(a, bytes, rg_no_stack);
  a->cur = p + ((bytes + 15) & ~15ul);
  return p;
}

__attribute__((malloc, assume_aligned(16))) void *
rg_tape_zalloc(rg_arena *a, uint64_t bytes) {
  return __builtin_memset(rg_tape_alloc(a, bytes), 0, bytes);
}

/* Runs what was deferred since, and frees the chunks since. */
RG_INLINE void release(rg_arena *a, rg_deferred *deferred, char *chunk) {
  while (a->deferred != deferred) {
    rg_deferred *d = a->deferred;
    a->deferred = d->earlier;
    d->dealloc(d->p);
  }
  while (a->chunk != chunk) {
    char *c = a->chunk;
    a->chunk = *(char **)c;
    free(c);
  }
}

RG_INLINE void rg_tape_end(rg_arena *a) {
  release(a, NULL, NULL);
  if (a->slot)
    rg_arena_leave_slot(a->slot);
  if (a->stack)
    a->stack->taken = 0;
}

/* An iteration whose tape is its own: rg_tape_rewind brings the arena back to what it was at
   rg_tape_mark, which leaves it at state. */
RG_INLINE void rg_tape_mark(rg_arena *a, void *state) {
  *(rg_arena *)state = *a;
}

RG_INLINE void rg_tape_rewind(rg_arena *a, const void *state) {
  const rg_arena *mark = (const rg_arena *)state;
  release(a, mark->deferred, mark->chunk);
  uint32_t slot = a->slot; /* its own until the tape ends */
  struct rg_stack *stack = a->stack;
  *a = *mark;
  a->slot = slot;
  a->stack = stack;
}

RG_NOINLINE void rg_tape_defer_free(rg_arena *a, void *p, void (*dealloc)(void *)) {
  if (!p)
    return;
  rg_deferred *d = (rg_deferred *)rg_tape_alloc(a, sizeof *d);
  d->earlier = a->deferred;
  d->p = p;
  d->dealloc = dealloc;
  a->deferred = d;
}

void rg_defer_free_both(rg_arena *a, void *p, void *sh, void (*dealloc)(void *)) {
  rg_tape_defer_free(a, p, dealloc);
  if (sh != p)
    rg_tape_defer_free(a, sh, dealloc);
}

void rg_defer_free_shadow(rg_arena *a, void *p, void *sh, void (*dealloc)(void *)) {
  if (sh != p)
    rg_tape_defer_free(a, sh, dealloc);
}

/*===- Split mode: a tape between two kernels -----------------------------===*/

/* The arena of one tape: on the device's heap, since it has to outlive the kernel. */
RG_NOINLINE __attribute__((malloc, returns_nonnull)) rg_arena *rg_split_begin(void) {
  enum { RG_SPLIT_CHUNK = 256 };
  uint64_t head = (sizeof(rg_arena) + 15) & ~15ul;
  rg_arena *a = (rg_arena *)malloc(head + RG_SPLIT_CHUNK);
  if (!a)
    rg_arena_out_of_memory(0, head + RG_SPLIT_CHUNK, 0);
  a->cur = (char *)a + head;
  a->end = a->cur + RG_SPLIT_CHUNK;
  a->chunk = NULL;
  a->chunk_bytes = 0;
  a->deferred = NULL;
  a->taken = 0;
  a->reserved = a->pooled = 1; /* these are the running kernel's */
  a->slot = 0;
  a->stacked = 1;
  a->stack = NULL;
  return a;
}

RG_NOINLINE void rg_split_end(rg_arena *a) {
  rg_tape_end(a);
  free(a);
}

void rg_tape_free(void *tape) {
  if (tape)
    rg_split_end(*(rg_arena **)tape);
}

RG_NOINLINE void rg_split_wrong_tape(const char *function) {
#if defined(__NVPTX__)
  struct { const char *function; } args = {function};
  vprintf("retrograd: the reverse sweep of '%s' was given a tape that it cannot read: made by "
          "another function, with other activities, or in another translation unit\n", &args);
#else
  (void)function;
#endif
  __builtin_trap();
}

RG_NOINLINE void rg_split_wrong_shadow(const char *function) {
#if defined(__NVPTX__)
  struct { const char *function; } args = {function};
  vprintf("retrograd: the reverse sweep of '%s' must be given the shadows that "
          "__enzyme_augmentfwd was given\n", &args);
#else
  (void)function;
#endif
  __builtin_trap();
}

void rg_split_put(void *memory, uint64_t bytes, void *tape) {
  if (bytes < sizeof tape)
    __builtin_trap();
  __builtin_memcpy(memory, &tape, sizeof tape);
}
