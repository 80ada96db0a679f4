// A heap whose blocks begin with rubbish: each byte that a program may use, also those beyond the
// size that it asked for, comes from the bits of a large number. Loaded before the C library.
#define _GNU_SOURCE
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static void *spoil(char *block, size_t first) {
  static const double rubbish = 7.5e7;
  size_t end = block ? malloc_usable_size(block) : 0;
  for (size_t at = first; at < end; ++at)
    memcpy(block + at, (const char *)&rubbish + at % sizeof rubbish, 1);
  return block;
}

void *malloc(size_t bytes) { return spoil(__libc_malloc(bytes), 0); }
void *calloc(size_t count, size_t bytes) { return spoil(__libc_calloc(count, bytes), count * bytes); }
void *memalign(size_t align, size_t bytes) { return spoil(__libc_memalign(align, bytes), 0); }
void *aligned_alloc(size_t align, size_t bytes) { return memalign(align, bytes); }
int posix_memalign(void **block, size_t align, size_t bytes) {
  *block = memalign(align, bytes);
  return *block ? 0 : 12;
}
void *realloc(void *block, size_t bytes) {
  size_t before = block ? malloc_usable_size(block) : 0;
  char *moved = __libc_realloc(block, bytes);
  return bytes > before ? spoil(moved, before) : moved;
}
void free(void *block) {
  spoil(block, 0);
  __libc_free(block);
}
