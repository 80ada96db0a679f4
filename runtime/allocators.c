/*===- allocators.c - memory of OpenMP's allocators ------------------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* A block of an allocator of OpenMP, and its shadow, are made by the allocator and
|* given back to it: the block itself knows which one it is.
\*===------------------------------------------------------------------------===*/

#include <stddef.h>
#include <stdint.h>

extern void omp_free(void *, uintptr_t);

/* omp_free and __kmpc_free, of what is known when a free is delayed. */
void rg_omp_free(void *block) {
  if (block)
    omp_free(block, 0);
}
