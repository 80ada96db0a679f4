/*===- retrograd_device.h - the tape of GPU kernels -----------------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* For CUDA programs whose derivatives keep more on the tape than the local
|* memory of a thread holds (docs/GPU.md). Include it in the file that has the
|* derivative calls, and before the launch:
|*
|*   // Bytes per thread, and threads:
|*   rg::device_tape(64 * 1024, blocks * threads);
|*   gradient<<<blocks, threads>>>(...);
|*   rg::device_tape_free();
|*
|* A thread that needs more goes to the device's heap, and if that has no more
|* either the kernel prints how much the thread holds and asks for, and stops
|* with an error.
\*===------------------------------------------------------------------------===*/
#ifndef RETROGRAD_RETROGRAD_DEVICE_H
#define RETROGRAD_RETROGRAD_DEVICE_H

#include <cuda_runtime.h>

extern "C" {
struct rg_device_arena_state {
  char *memory;
  unsigned long bytes_per_thread;
  unsigned long threads;
};
/** Read by derivatives; set it by device_tape. */
__device__ __attribute__((used)) struct rg_device_arena_state rg_device_arena;
}

namespace rg {
/** Reserves `bytes` (rounded up to 16) of tape for each of `threads` threads of
 * the launches to come, in place of what was reserved before. Not while a
 * kernel runs. */
inline cudaError_t device_tape(size_t bytes, size_t threads) {
  rg_device_arena_state State;
  if (cudaError_t _RgE =
          cudaMemcpyFromSymbol(&State, rg_device_arena, sizeof State))
    return _RgE;
  if (State.memory)
    cudaFree(State.memory);
  State = rg_device_arena_state{nullptr, (bytes + 15) / 16 * 16, threads};
  if (bytes && threads)
    if (cudaError_t _RgE = cudaMalloc((void **)&State.memory,
                                      State.bytes_per_thread * threads)) {
      State = rg_device_arena_state{nullptr, 0, 0};
      cudaMemcpyToSymbol(rg_device_arena, &State, sizeof State);
      return _RgE;
    }
  if (!State.memory)
    State.bytes_per_thread = 0;
  return cudaMemcpyToSymbol(rg_device_arena, &State, sizeof State);
}
inline cudaError_t device_tape_free() { return device_tape(0, 0); }
} // namespace rg

#endif
