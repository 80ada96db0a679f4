/*===- reading.c - numbers that come from text or files
--------------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM
Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* What preparation puts beside calls that read numbers
(Primal/ReadNumbers.cpp).
\*===------------------------------------------------------------------------===*/
#include <stddef.h>
#include <string.h>

/* These bytes depend on no input. To analyses it is a fill, whose adjoint ends
 * what was there; the program's bytes stay. */
__attribute__((noinline)) void *rg_constants_here(void *at, int value,
                                                  size_t bytes) {
  (void)value;
  (void)bytes;
  __asm__ volatile("" : : "r"(at) : "memory"); /* without, LLVM finds it idle */
  return at;
}

/* A signalling NaN with a pattern of ours, as float, double and long double:
 * nobody reads that from text. */
static const unsigned char unread_float[4] = {0xa5, 0x5a, 0xa3, 0x7f};
static const unsigned char unread_double[8] = {0xa5, 0x5a, 0xa5, 0x5a,
                                               0xa3, 0x5a, 0xf3, 0x7f};
static const unsigned char unread_long[16] = {
    0xa5, 0x5a, 0xa5, 0x5a, 0xa3, 0x5a, 0xa3, 0xb1,
    0xff, 0x7f, 0x5a, 0xa5, 0x5a, 0xa5, 0xff, 0x7f};

static const unsigned char *unread(size_t bytes) {
  return bytes == 4 ? unread_float : bytes == 8 ? unread_double : unread_long;
}

__attribute__((noinline)) void rg_mark_unread(void *at, size_t bytes) {
  memcpy(at, unread(bytes), bytes);
}

__attribute__((noinline)) int rg_is_unread(const void *at, size_t bytes) {
  return !memcmp(at, unread(bytes), bytes);
}
