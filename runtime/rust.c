/*===- rust.c - Rust's allocator --------------------------------------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* What std::alloc::System does on Unix, in the allocator of C: memory may be made
|* in a derivative and freed outside of it, and the other way round. A program
|* with a #[global_allocator] of its own must not let memory cross.
\*===------------------------------------------------------------------------===*/

#include <stdlib.h>
#include <string.h>

#define RG_ROUTINE __attribute__((always_inline))
enum { MallocAligns = 16 };

static inline void *aligned(size_t Bytes, size_t Align) {
  return aligned_alloc(Align, (Bytes + Align - 1) / Align * Align);
}
RG_ROUTINE void *rg_rust_alloc(size_t Bytes, size_t Align) {
  return Align <= MallocAligns ? malloc(Bytes) : aligned(Bytes, Align);
}
RG_ROUTINE void *rg_rust_alloc_zeroed(size_t Bytes, size_t Align) {
  if (Align <= MallocAligns)
    return calloc(Bytes, 1);
  void *P = aligned(Bytes, Align);
  if (P)
    memset(P, 0, Bytes);
  return P;
}
RG_ROUTINE void rg_rust_dealloc(void *P, size_t Bytes, size_t Align) {
  (void)Bytes;
  (void)Align;
  free(P);
}
RG_ROUTINE void *rg_rust_realloc(void *P, size_t Old, size_t Align, size_t Bytes) {
  if (Align <= MallocAligns)
    return realloc(P, Bytes);
  void *New = aligned(Bytes, Align);
  if (New) {
    memcpy(New, P, Old < Bytes ? Old : Bytes);
    free(P);
  }
  return New;
}
