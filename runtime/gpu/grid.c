/*===- grid.c - barriers of the grid ---------------------------------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* What grid_group::sync() of CUDA's headers does, in the form that derivatives
|* know: one thread of each block, between two barriers of its block. A
|* cooperative launch has a word of its own for that, whose address the driver
|* leaves in two registers. Blocks that use this form and blocks that use the
|* headers' may meet: in both, the first bit of the word flips when all have come.
\*===------------------------------------------------------------------------===*/
#if defined(__NVPTX__)
#include "device.h"

__attribute__((noinline, weak)) void rg_grid_barrier(void) {
  enum { Device = __MEMORY_SCOPE_DEVICE };
  const uint32_t Round = 0x80000000u;
  uint32_t High, Low;
  __asm__("mov.u32 %0, %%envreg1;" : "=r"(High));
  __asm__("mov.u32 %0, %%envreg2;" : "=r"(Low));
  if (!(High | Low))
    __builtin_trap(); /* no cooperative launch */
  uint32_t *Word = (uint32_t *)((uint64_t)High << 32 | Low) + 1;
  uint32_t Blocks = RG_BLOCKS(x) * RG_BLOCKS(y) * RG_BLOCKS(z);
  /* The shares of all blocks are half of the word's range. */
  uint32_t Share = RG_BLOCK(x) | RG_BLOCK(y) | RG_BLOCK(z) ? 1 : Round - (Blocks - 1);
  uint32_t Before = __scoped_atomic_fetch_add(Word, Share, __ATOMIC_RELEASE, Device);
  while (!((__scoped_atomic_load_n(Word, __ATOMIC_ACQUIRE, Device) ^ Before) & Round))
    ;
}
void rg_expand_grid_sync(void *Group) {
  (void)Group;
  RG_BARRIER();
  if (rg_thread() == 0)
    rg_grid_barrier();
  RG_BARRIER();
}
#endif
