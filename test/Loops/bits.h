// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers to begin with, and the bits of a matrix in one word: nests in two orders are compared by them.
#ifndef BITS_H
#define BITS_H
#include <stdint.h>
#include <string.h>

static uint64_t state = 1;
static double number(void) { return (double)((state = state * 6364136223846793005u + 1442695040888963407u) >> 40) / (1 << 24) + 0.25; }
static uint64_t hash(const double *x, int n) {
  uint64_t h = 1469598103934665603u;
  for (int k = 0; k < n * n; k++) {
    uint64_t bits;
    memcpy(&bits, &x[k], 8);
    h = (h ^ bits) * 1099511628211u;
  }
  return h;
}

#endif
