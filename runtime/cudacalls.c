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
void *rg_gpu_keep_in(void *p, uint64_t bytes, void *stream);
void *rg_gpu_copy(void *to, const void *from, uint64_t bytes, int kind);
void *rg_gpu_fill(void *p, int value, uint64_t bytes);
void *rg_gpu_malloc_managed(uint64_t bytes, unsigned flags);
void *rg_gpu_malloc_host(uint64_t bytes, unsigned flags);
void rg_gpu_free_host(void *p);
void *rg_gpu_copy_async(void *to, const void *from, uint64_t bytes, int kind, void *stream);
void *rg_gpu_fill_async(void *p, int value, uint64_t bytes, void *stream);
void *rg_gpu_keep_variable(void *at, uint64_t bytes, uint64_t offset);
void *rg_gpu_copy_to_variable(void *at, const void *from, uint64_t bytes, uint64_t offset, int kind, void *stream);
void *rg_gpu_copy_from_variable(void *to, const void *at, uint64_t bytes, uint64_t offset, int kind, void *stream);
void rg_gpu_no_arrays(const void *from, const void *to);
void rg_gpu_wait_for(void *stream);
int rg_gpu_register(void *p, uint64_t bytes, unsigned flags);
int rg_gpu_unregister(void *p);
int64_t rg_gpu_variable_distance(const void *symbol);
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
  rg_gpu_keep_in(to, bytes, 0);
  rg_gpu_copy(to, from, bytes, kind);
  return rg_gpu_status();
}
int rg_expand_cudaMemset(void *p, int value, size_t bytes) {
  rg_gpu_keep_in(p, bytes, 0);
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
  void *block = rg_gpu_malloc_host(bytes, 0);
  *p = block;
  return rg_gpu_status();
}
int rg_expand_cudaFreeHost(void *p) {
  rg_gpu_free_host(p);
  return rg_gpu_status();
}
int rg_expand_cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, void *stream) {
  rg_gpu_keep_in(to, bytes, stream);
  rg_gpu_copy_async(to, from, bytes, kind, stream);
  return rg_gpu_status();
}
int rg_expand_cudaMemsetAsync(void *p, int value, size_t bytes, void *stream) {
  rg_gpu_keep_in(p, bytes, stream);
  rg_gpu_fill_async(p, value, bytes, stream);
  return rg_gpu_status();
}

/* Rows that lie apart. */
enum { COPY_DEFAULT = 4 };
static inline __attribute__((always_inline)) void rg_rows(char *to, size_t to_pitch, const char *from,
                                                          size_t from_pitch, size_t width, size_t height, int kind,
                                                          void *stream) {
  if (width == to_pitch && width == from_pitch) {
    rg_gpu_keep_in(to, width * height, stream);
    rg_gpu_copy_async(to, from, width * height, kind, stream);
    return;
  }
  for (size_t i = 0; i < height; ++i) {
    rg_gpu_keep_in(to + i * to_pitch, width, stream);
    rg_gpu_copy_async(to + i * to_pitch, from + i * from_pitch, width, kind, stream);
  }
}
int rg_expand_cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                                size_t height, int kind, void *stream) {
  rg_rows(to, to_pitch, from, from_pitch, width, height, kind, stream);
  return rg_gpu_status();
}
int rg_expand_cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                           size_t height, int kind) {
  rg_rows(to, to_pitch, from, from_pitch, width, height, kind, 0);
  rg_gpu_wait_for(0);
  return rg_gpu_status();
}
int rg_expand_cudaMemset2DAsync(void *p, size_t pitch, int value, size_t width, size_t height, void *stream) {
  for (size_t i = 0; i < height; ++i) {
    rg_gpu_keep_in((char *)p + i * pitch, width, stream);
    rg_gpu_fill_async((char *)p + i * pitch, value, width, stream);
  }
  return rg_gpu_status();
}
int rg_expand_cudaMemset2D(void *p, size_t pitch, int value, size_t width, size_t height) {
  return rg_expand_cudaMemset2DAsync(p, pitch, value, width, height, 0);
}
/* Rows begin where those of CUDA's do, or more apart. */
int rg_expand_cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height) {
  size_t bytes = (width + 511) & ~(size_t)511;
  *pitch = bytes;
  return rg_expand_cudaMalloc(p, bytes * height);
}

/* Three dimensions. */
struct rg_pitched {
  void *at;
  size_t pitch, width, height;
};
struct rg_extent {
  size_t width, height, depth;
};
struct rg_position {
  size_t x, y, z;
};
struct rg_copy_3d {
  void *from_array;
  struct rg_position from_position;
  struct rg_pitched from;
  void *to_array;
  struct rg_position to_position;
  struct rg_pitched to;
  struct rg_extent extent;
  int kind;
};
int rg_expand_cudaMalloc3D(struct rg_pitched *p, struct rg_extent e) {
  p->width = e.width;
  p->height = e.height;
  return rg_expand_cudaMallocPitch(&p->at, &p->pitch, e.width, e.height * e.depth);
}
int rg_expand_cudaMemcpy3DAsync(const struct rg_copy_3d *c, void *stream) {
  rg_gpu_no_arrays(c->from_array, c->to_array);
  for (size_t z = 0; z < c->extent.depth; ++z) {
    const struct rg_position *f = &c->from_position, *t = &c->to_position;
    rg_rows((char *)c->to.at + ((t->z + z) * c->to.height + t->y) * c->to.pitch + t->x, c->to.pitch,
            (const char *)c->from.at + ((f->z + z) * c->from.height + f->y) * c->from.pitch + f->x, c->from.pitch,
            c->extent.width, c->extent.height, c->kind, stream);
  }
  return rg_gpu_status();
}
int rg_expand_cudaMemcpy3D(const struct rg_copy_3d *c) {
  int error = rg_expand_cudaMemcpy3DAsync(c, 0);
  rg_gpu_wait_for(0);
  return error;
}
int rg_expand_cudaMemset3DAsync(struct rg_pitched p, int value, struct rg_extent e, void *stream) {
  for (size_t z = 0; z < e.depth; ++z)
    rg_expand_cudaMemset2DAsync((char *)p.at + z * p.height * p.pitch, p.pitch, value, e.width, e.height, stream);
  return rg_gpu_status();
}
int rg_expand_cudaMemset3D(struct rg_pitched p, int value, struct rg_extent e) {
  return rg_expand_cudaMemset3DAsync(p, value, e, 0);
}

/* Other ways to the same memory. Devices have one space of addresses. */
int rg_expand_cudaHostAlloc(void **p, size_t bytes, unsigned flags) {
  void *block = rg_gpu_malloc_host(bytes, flags);
  *p = block;
  return rg_gpu_status();
}
int rg_expand_cudaHostGetDevicePointer(void **p, void *host, unsigned flags) {
  (void)flags;
  *p = host;
  return 0;
}
int rg_expand_cudaMallocFromPoolAsync(void **p, size_t bytes, void *pool, void *stream) {
  (void)pool, (void)stream;
  return rg_expand_cudaMalloc(p, bytes);
}
int rg_expand_cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes) {
  (void)to_device, (void)from_device;
  return rg_expand_cudaMemcpy(to, from, bytes, COPY_DEFAULT);
}
int rg_expand_cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
                                  void *stream) {
  (void)to_device, (void)from_device;
  return rg_expand_cudaMemcpyAsync(to, from, bytes, COPY_DEFAULT, stream);
}

/* Variables of a device. To derivatives they are the host's variables of that name. */
int rg_expand_cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset, int kind,
                                      void *stream) {
  char *at = (char *)symbol + offset;
  rg_gpu_keep_variable(at, bytes, offset);
  rg_gpu_copy_to_variable(at, from, bytes, offset, kind, stream);
  return rg_gpu_status();
}
int rg_expand_cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset, int kind) {
  return rg_expand_cudaMemcpyToSymbolAsync(symbol, from, bytes, offset, kind, 0);
}
int rg_expand_cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset, int kind,
                                        void *stream) {
  rg_gpu_keep_in(to, bytes, stream);
  rg_gpu_copy_from_variable(to, (const char *)symbol + offset, bytes, offset, kind, stream);
  return rg_gpu_status();
}
int rg_expand_cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, int kind) {
  return rg_expand_cudaMemcpyFromSymbolAsync(to, symbol, bytes, offset, kind, 0);
}
/* The device's address, as far from the host's as derivatives take the address
 * of its shadow to be: so analyses see which variable it is. */
int rg_expand_cudaGetSymbolAddress(void **p, const void *symbol) {
  int64_t distance = rg_gpu_variable_distance(symbol);
  int error = rg_gpu_status();
  if (!error)
    *p = (char *)symbol + distance;
  return error;
}

/* Memory of the host that devices see, too. */
int rg_expand_cudaHostRegister(void *p, size_t bytes, unsigned flags) { return rg_gpu_register(p, bytes, flags); }
int rg_expand_cudaHostUnregister(void *p) { return rg_gpu_unregister(p); }

/* Functions of the host in a stream: they run when what is before them has, which is one
 * of the times that CUDA may choose. */
int rg_expand_cudaLaunchHostFunc(void *stream, void (*call)(void *), void *data) {
  rg_gpu_wait_for(stream);
  call(data);
  return 0;
}
int rg_expand_cudaStreamAddCallback(void *stream, void (*call)(void *, int, void *), void *data, unsigned flags) {
  (void)flags;
  rg_gpu_wait_for(stream);
  call(stream, 0, data);
  return 0;
}
