// Aligned blocks as libraries of matrices make them: a small temporary on the
// stack, at the next multiple of 32 in a larger piece, a large one from malloc,
// with the address to be freed before it. Both meet in one pointer, and are
// copied as a whole.
// RG-LEVELS: O0 O2 O3
#include "rgtest.h"
#include <alloca.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
void __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
int enzyme_dup, enzyme_const;

#define ALIGN_UP(P) ((void *)(((uintptr_t)(P) + 31) & ~(uintptr_t)31))

static void *blockOf(size_t bytes) {
  void *whole = malloc(bytes + 32);
  void *block = (void *)(((uintptr_t)whole & ~(uintptr_t)31) + 32);
  ((void **)block)[-1] = whole;
  return block;
}
static void freeBlock(void *block) { free(((void **)block)[-1]); }

static double f(const double *x, int n) {
  const size_t bytes = n * sizeof(double);
  double *work = bytes <= 64 ? ALIGN_UP(alloca(bytes + 31)) : blockOf(bytes);
  double *copy = blockOf(bytes);
  for (int i = 0; i < n; ++i)
    work[i] = sin(x[i]);
  memcpy(copy, work, bytes);
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += copy[i] * copy[i] * (i + 1);
  freeBlock(copy);
  if (bytes > 64)
    freeBlock(work);
  return sum;
}

// The block is used by its own address as well: the numbers behind the header
// may lie where the header's address reaches, so that nothing is taken for
// granted of where they begin.
static double withHeader(const double *x, int n) {
  char *block = malloc(n * sizeof(double) + 64);
  *(int *)block = n;
  double *at = ALIGN_UP(block + sizeof(int));
  for (int i = 0; i < n; ++i)
    at[i] = x[i] * x[i];
  double sum = 0;
  for (int i = 0; i < *(int *)block; ++i)
    sum += at[i] * sin(x[i]);
  free(block);
  return sum;
}

enum { Most = 12 };
int main(void) {
  for (int n = 4; n <= Most; n += 8) {
    double x[Most], g[Most] = {0}, h[Most] = {0};
    for (int i = 0; i < n; ++i)
      x[i] = 0.3 + 0.1 * i;
    __enzyme_autodiff((void *)f, enzyme_dup, x, g, enzyme_const, n);
    __enzyme_autodiff((void *)withHeader, enzyme_dup, x, h, enzyme_const, n);
    for (int i = 0; i < n; ++i) {
      double t[Most] = {0};
      t[i] = 1;
      RG_GRAD(g[i], f(x, n), x[i]);
      RG_NEAR(__enzyme_fwddiff((void *)f, enzyme_dup, x, t, enzyme_const, n), g[i]);
      RG_GRAD(h[i], withHeader(x, n), x[i]);
      RG_NEAR(__enzyme_fwddiff((void *)withHeader, enzyme_dup, x, t, enzyme_const, n), h[i]);
    }
  }
  return rgReport();
}
