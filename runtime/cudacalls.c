/*===- cudacalls.c - what calls of CUDA's runtime stand for in derivatives --===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* Bodies that are differentiated, in terms of operations with records
|* (lib/Catalogue/Cuda.td), which hostdevice.c has. A file of its own, so that clang
|* does not inline those.
\*===------------------------------------------------------------------------===*/
#include <stddef.h>
#include <stdint.h>

void *rg_gpu_malloc(uint64_t bytes);
void rg_gpu_free(void *p);
void rg_gpu_freed(void *p);
void *rg_gpu_keep(void *p, uint64_t bytes);
void *rg_gpu_copy(void *to, const void *from, uint64_t bytes, int kind);
void *rg_gpu_fill(void *p, int value, uint64_t bytes);
void *rg_gpu_malloc_managed(uint64_t bytes, unsigned flags);
void *rg_gpu_malloc_host(uint64_t bytes);
void rg_gpu_free_host(void *p);
void *rg_gpu_copy_async(void *to, const void *from, uint64_t bytes, int kind, void *stream);
void *rg_gpu_fill_async(void *p, int value, uint64_t bytes, void *stream);
int rg_gpu_status(void);

int rg_expand_cudaMalloc(void **p, size_t bytes) {
  void *block = rg_gpu_malloc(bytes);
  *p = block;
  return rg_gpu_status();
}
int rg_expand_cudaFree(void *p) {
  rg_gpu_freed(p);
  rg_gpu_free(p);
  return rg_gpu_status();
}
int rg_expand_cudaMemcpy(void *to, const void *from, size_t bytes, int kind) {
  rg_gpu_keep(to, bytes);
  rg_gpu_copy(to, from, bytes, kind);
  return rg_gpu_status();
}
int rg_expand_cudaMemset(void *p, int value, size_t bytes) {
  rg_gpu_keep(p, bytes);
  rg_gpu_fill(p, value, bytes);
  return rg_gpu_status();
}
int rg_expand_cudaMallocAsync(void **p, size_t bytes, void *stream) {
  (void)stream;
  return rg_expand_cudaMalloc(p, bytes);
}
int rg_expand_cudaFreeAsync(void *p, void *stream) {
  (void)stream;
  return rg_expand_cudaFree(p);
}
int rg_expand_cudaMallocManaged(void **p, size_t bytes, unsigned flags) {
  void *block = rg_gpu_malloc_managed(bytes, flags);
  *p = block;
  return rg_gpu_status();
}
int rg_expand_cudaMallocHost(void **p, size_t bytes) {
  void *block = rg_gpu_malloc_host(bytes);
  *p = block;
  return rg_gpu_status();
}
int rg_expand_cudaFreeHost(void *p) {
  rg_gpu_free_host(p);
  return rg_gpu_status();
}
int rg_expand_cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, void *stream) {
  rg_gpu_keep(to, bytes);
  rg_gpu_copy_async(to, from, bytes, kind, stream);
  return rg_gpu_status();
}
int rg_expand_cudaMemsetAsync(void *p, int value, size_t bytes, void *stream) {
  rg_gpu_keep(p, bytes);
  rg_gpu_fill_async(p, value, bytes, stream);
  return rg_gpu_status();
}
