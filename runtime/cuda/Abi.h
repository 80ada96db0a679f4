/*===- cuda/Abi.h - between lowered kernels and the runtime ---------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|* lib/Offload writes these records and calls these functions.
\*===------------------------------------------------------------------------===*/
#ifndef RETROGRAD_RUNTIME_CUDA_ABI_H
#define RETROGRAD_RUNTIME_CUDA_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A launch. The first six words are read by kernels. */
struct RgLaunch {
  uint32_t Grid[3];
  uint32_t Block[3];
};

/* Runs blocks [First, Last), numbered x fastest. Scratch has ScratchPerThread
   bytes for each thread of a block, their number rounded up to a multiple of
   64; Dynamic is the block's dynamic shared memory. Both are aligned to 64
   bytes and hold nothing. */
typedef void RgBlocks(void **Arguments, const struct RgLaunch *Launch,
                      int64_t First, int64_t Last, char *Scratch,
                      char *Dynamic);

struct RgKernel {
  const void *Host; /* what the host launches */
  const char *Name;
  RgBlocks *Blocks;
  uint64_t StaticShared; /* bytes of shared memory that the kernel declares */
  uint64_t ScratchPerThread;
  uint64_t MaxThreads;   /* of a block: __launch_bounds__ */
  uint64_t DynamicParts; /* dynamic shared memory is given so many times:
                            shadows lie behind it */
  uint64_t MovedBytes;   /* and so much more behind that, for what would be
                            too much static shared memory */
  uint64_t Window;       /* bytes of shared variables in front of the dynamic
                            shared memory that kernels are given */
  uint64_t Parameters;
  const uint32_t *Sizes; /* of the parameters, in bytes */
};

/* Called by a constructor of every object file that has kernels. */
void rg_cuda_register(const struct RgKernel *Kernels, int64_t Number);

/* The thread that this thread of the machine runs just now. */
struct RgThread {
  uint32_t Tid[3], Ctaid[3], Nctaid[3], Ntid[3];
  void *Dynamic;
};

#ifdef __cplusplus
}
#endif

#endif
