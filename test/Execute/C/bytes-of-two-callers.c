// Functions that are not inlined move bytes which are records to one caller and numbers to another: by
// recursion, by addresses in a struct, a fixed number of bytes at a time, by value, through a global buffer.
// Each call has types of its own.
// RG-LEVELS: O0 O1 O2 O3
#include "rgtest.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
typedef struct { int id, kind; double v; } Record;
__attribute__((noinline)) static void halves(char *to, const char *from, size_t n) {
  if (n > 48) {
    size_t h = n / 2 / 16 * 16;
    halves(to, from, h);
    halves(to + h, from + h, n - h);
  } else
    memcpy(to, from, n);
}
__attribute__((noinline)) static void wordByWord(long *to, const long *from, size_t n) {
  if (!n) return;
  *to = *from;
  wordByWord(to + 1, from + 1, n - 8);
}
static void evenly(char *to, const char *from, size_t n);
__attribute__((noinline)) static void oddly(char *to, const char *from, size_t n) {
  if (n <= 16) { memcpy(to, from, n); return; }
  memcpy(to, from, n - 16);
  evenly(to + n - 16, from + n - 16, 16);
}
__attribute__((noinline)) static void evenly(char *to, const char *from, size_t n) {
  if (n <= 32) memcpy(to, from, n); else { evenly(to, from, 16); oddly(to + 16, from + 16, n - 16); }
}
static void wrapped(void *to, const void *from, size_t n);
__attribute__((noinline)) static void wrapped(void *to, const void *from, size_t n) { halves(to, from, n); }
// Elements of any size change places.
__attribute__((noinline)) static void swapBytes(char *a, char *b, size_t n) { char t[64]; memcpy(t, a, n); memcpy(a, b, n); memcpy(b, t, n); }
__attribute__((noinline)) static void reversal(char *a, size_t count, size_t size) {
  if (count < 2) return;
  swapBytes(a, a + (count - 1) * size, size);
  reversal(a + size, count - 2, size);
}
typedef struct { void *to; const void *from; size_t n; } Span;
__attribute__((noinline)) static void span(Span *s) { memcpy(s->to, s->from, s->n); }
static void bySpan(void *to, const void *from, size_t n) { Span s = {to, from, n}; span(&s); }
__attribute__((noinline)) static void *dup(const void *from, size_t n) { void *p = malloc(n); memcpy(p, from, n); return p; }
static void byDup(void *to, const void *from, size_t n) { void *p = dup(from, n); memcpy(to, p, n); free(p); }
__attribute__((noinline)) static void pair16(void *to, const void *from) { memcpy(to, from, 16); }
static void byPairs(char *to, const char *from, size_t n) { for (size_t k = 0; k < n; k += 16) pair16(to + k, from + k); }
__attribute__((noinline)) static void pairs16(char *to, const char *from, size_t n) { if (!n) return; memcpy(to, from, 16); pairs16(to+16, from+16, n-16); }
__attribute__((noinline)) static void loop(char *to, const char *from, size_t n) { for (size_t k = 0; k < n; k += 16) memcpy(to+k, from+k, n-k < 16 ? n -k : 16); }
typedef struct { char b[16]; } Bytes;
__attribute__((noinline)) static void blocks(Bytes *to, const Bytes *from, size_t n) { for (size_t k = 0; k < n/16; ++k) to[k] = from[k]; }
__attribute__((noinline)) static Bytes get(const char *from) { Bytes b; memcpy(&b, from, 16); return b; }
static void byValue(char *to, const char *from, size_t n) { for (size_t k = 0; k < n; k += 16) { Bytes b = get(from + k); memcpy(to+k, &b, 16);} }
static char store[4096]; static size_t used;
__attribute__((noinline)) static void put(const void *from, size_t n) { memcpy(store, from, n); used = n; }
__attribute__((noinline)) static void take(void *to, size_t n) { memcpy(to, store, n); }
static void byGlobal(void *to, const void *from, size_t n) { put(from, n); take(to, n); }
#define COPIES(NAME, COPY)                                                     \
  static double NAME(double *x, int n) {                                       \
    Record *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b);             \
    double *c = malloc(n * sizeof *c), *d = malloc(n * sizeof *d), s = 0;      \
    for (int k = 0; k < n; ++k) {                                              \
      a[k].id = k;                                                             \
      a[k].kind = 3;                                                           \
      a[k].v = x[k] * x[k];                                                    \
      c[k] = x[k] * x[k];                                                      \
    }                                                                          \
    COPY((void*)b, (void*)a, n * sizeof *a);                                                 \
    COPY((void*)d, (void*)c, n * sizeof *c);                                                 \
    for (int k = 0; k < n; ++k)                                                \
      s += sin(d[k])*(k+1) + b[k].v * b[k].v * (b[k].id + b[k].kind);                \
    free(a), free(b), free(c), free(d);                                        \
    return s;                                                                  \
  }
COPIES(halved, halves)
COPIES(wordwise, wordByWord)
COPIES(byTurns, oddly)
COPIES(throughWrapper, wrapped)
COPIES(spans, bySpan)
COPIES(duplicated, byDup)
COPIES(pairs, byPairs)
COPIES(pairsByRecursion, pairs16)
COPIES(looped, loop)
COPIES(blockwise, blocks)
COPIES(valued, byValue)
COPIES(stored, byGlobal)
static double reversed(double *x, int n) {
    Record *a = malloc(n * sizeof *a);
    double *c = malloc(n * sizeof *c), s = 0;
    for (int k = 0; k < n; ++k) {
      a[k].id = k; a[k].kind = 3; a[k].v = x[k] * x[k]; c[k] = x[k] * x[k];
    }
    reversal((char*)a, n, sizeof *a);
    reversal((char*)c, n, sizeof *c);
    for (int k = 0; k < n; ++k) s += sin(c[k]) * (k+1)+ a[k].v * a[k].v * (a[k].id + k*a[k].kind);
    free(a), free(c);
    return s;
}
int main(void) {
  double x[6] = {1, 2, 3, 0.4, 0.5, 0.6};
#define CHECK(F)                                                               \
  {                                                                            \
    double d[6] = {0};                                                         \
    __enzyme_autodiff((void *)F, x, d, 6);                                     \
    RG_GRADS(d, F(x, 6), x, 6);                                                \
    for (int k = 0; k < 6; ++k) {                                              \
      double t[6] = {0};                                                       \
      t[k] = 1;                                                                \
      RG_NEAR(__enzyme_fwddiff((void *)F, x, t, 6), d[k]);                     \
    }                                                                          \
  }
  CHECK(halved)
  CHECK(wordwise)
  CHECK(byTurns)
  CHECK(throughWrapper)
  CHECK(spans)
  CHECK(duplicated)
  CHECK(pairs)
  CHECK(pairsByRecursion)
  CHECK(looped)
  CHECK(blockwise)
  CHECK(valued)
  CHECK(stored)
  CHECK(reversed)
  return rgReport();
}
