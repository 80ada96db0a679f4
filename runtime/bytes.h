/*===- bytes.h - memory of which only the bytes are known
-------------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===------------------------------------------------------------------------===*/
#ifndef RETROGRAD_BYTES_H
#define RETROGRAD_BYTES_H
#include <stdint.h>
#include <string.h>

static inline uint64_t rg_word(const char *at) {
  uint64_t word;
  memcpy(&word, at, sizeof word);
  return word;
}

static inline int rg_is_zero(const char *at, uint64_t bytes) {
  return !bytes || (!*at && !memcmp(at, at + 1, bytes - 1));
}

#endif
