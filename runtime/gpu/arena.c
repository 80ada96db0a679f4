/*===- arena.c - the tape of one thread of a kernel ------------------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* What a loop of constant length keeps lies in registers or local memory and
|* never comes here. The rest is a stack of bytes per thread:
|*
|* - in rg_device_arena, memory that the host made before the launch
|*   (<retrograd/retrograd_device.h>): every thread has its part of it;
|* - where there is none, or no more of it, in chunks from the device's heap,
|*   doubling from 1 KiB. That is slow, and the heap is small (cudaLimitMallocHeapSize,
|*   8 MiB unless set): when it has no more either, the kernel says how much this
|*   thread had and asked for, and stops with an error. Nothing is lost silently.
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
  uint64_t taken; /* bytes handed out, for the message */
} rg_arena;

/* Set by the host; see <retrograd/retrograd_device.h>. */
struct rg_device_arena_state {
  char *memory;
  uint64_t bytes_per_thread; /* a multiple of 16 */
  uint64_t threads;
};
__attribute__((address_space(1), weak, used)) struct rg_device_arena_state rg_device_arena;

RG_INLINE rg_arena *rg_tape_begin(void *state) {
  rg_arena *a = (rg_arena *)state;
  a->cur = a->end = a->chunk = NULL;
  a->chunk_bytes = 0;
  a->deferred = NULL;
  a->taken = 0;
  return a;
}

RG_NOINLINE void rg_arena_out_of_memory(uint64_t taken, uint64_t asked) {
#if defined(__NVPTX__)
  struct { uint64_t taken, asked, block; uint32_t thread; } args = {taken, asked, RG_BLOCK(x), rg_thread()};
  vprintf("retrograd: no memory for the tape: this thread holds %llu bytes and asks for %llu more "
          "(block %llu, thread %u). Call rg::device_tape(bytes per thread, threads) of "
          "<retrograd/retrograd_device.h> before the launch, or raise "
          "cudaLimitMallocHeapSize\n", &args);
#else
  (void)taken, (void)asked;
#endif
  __builtin_trap();
}

RG_NOINLINE void *rg_tape_alloc_slow(rg_arena *a, uint64_t bytes) {
  uint64_t need = (bytes + 15) & ~15ul;
  if (!a->cur && !a->chunk && rg_device_arena.bytes_per_thread) {
    uint64_t block = RG_BLOCK(x) + (uint64_t)RG_BLOCKS(x) * (RG_BLOCK(y) + (uint64_t)RG_BLOCKS(y) * RG_BLOCK(z));
    uint64_t me = block * rg_threads() + rg_thread();
    if (me < rg_device_arena.threads) {
      a->cur = rg_device_arena.memory + me * rg_device_arena.bytes_per_thread;
      a->end = a->cur + rg_device_arena.bytes_per_thread;
      if (need <= (uint64_t)(a->end - a->cur)) {
        void *p = a->cur;
        a->cur += need;
        return p;
      }
    }
  }
  uint64_t size = a->chunk_bytes ? 2 * a->chunk_bytes : 1024;
  if (size > (1ul << 20))
    size = 1ul << 20;
  if (size < need + 16)
    size = need + 16;
  char *c = malloc(size);
  if (!c)
    rg_arena_out_of_memory(a->taken, bytes);
  *(char **)c = a->chunk;
  a->chunk = c;
  a->chunk_bytes = size;
  a->cur = c + 16 + need;
  a->end = c + size;
  return c + 16;
}

__attribute__((malloc, assume_aligned(16))) void *
rg_tape_alloc(rg_arena *a, uint64_t bytes) {
  char *p = a->cur;
  a->taken += bytes;
  if (__builtin_expect(bytes > (uint64_t)(a->end - p), 0) || !p)
    return rg_tape_alloc_slow(a, bytes);
  a->cur = p + ((bytes + 15) & ~15ul);
  if (a->cur > a->end)
    a->cur = a->end;
  return p;
}

__attribute__((malloc, assume_aligned(16))) void *
rg_tape_zalloc(rg_arena *a, uint64_t bytes) {
  return __builtin_memset(rg_tape_alloc(a, bytes), 0, bytes);
}

RG_INLINE void rg_tape_end(rg_arena *a) {
  while (a->deferred) {
    rg_deferred *d = a->deferred;
    a->deferred = d->earlier;
    d->dealloc(d->p);
  }
  while (a->chunk) {
    char *c = a->chunk;
    a->chunk = *(char **)c;
    free(c);
  }
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
