// One function that is not inlined copies records for one caller and numbers for another: by memcpy, by way of a buffer, by exchange, word by word.
// RG-LEVELS: O0 O1 O2 O3
#include "rgtest.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
typedef struct {
  int id, kind;
  double v;
} Record;
__attribute__((noinline)) static void transfer(void *to, const void *from, size_t n) { memcpy(to, from, n); }
__attribute__((noinline)) static void through(void *to, const void *from, size_t n) {
  char *between = malloc(n);
  memcpy(between, from, n);
  memcpy(to, between, n);
  free(between);
}
__attribute__((noinline)) static void byWords(long *to, const long *from, size_t n) {
  for (size_t k = 0; k < n / sizeof *to; ++k)
    to[k] = from[k];
}
__attribute__((noinline)) static void exchange(void *a, void *b, size_t n) {
  char t[64];
  memcpy(t, a, n);
  memcpy(a, b, n);
  memcpy(b, t, n);
}
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
    COPY(b, a, n * sizeof *a);                                                 \
    COPY(d, c, n * sizeof *c);                                                 \
    for (int k = 0; k < n; ++k)                                                \
      s += sin(d[k]) + b[k].v * b[k].v * (b[k].id + b[k].kind);                \
    free(a), free(b), free(c), free(d);                                        \
    return s;                                                                  \
  }
COPIES(direct, transfer)
COPIES(buffered, through)
#define WORDS(TO, FROM, N) byWords((long *)(TO), (const long *)(FROM), N)
COPIES(words, WORDS)
static double exchanged(double *x, int n) {
  Record r[6];
  double d[6], s = 0;
  for (int k = 0; k < n; ++k) {
    r[k] = (Record){k, 2, x[k]};
    d[k] = x[k] * x[k];
  }
  for (int k = 0; k + 1 < n; k += 2) {
    exchange(&r[k], &r[k + 1], sizeof *r);
    exchange(&d[k], &d[k + 1], sizeof *d);
  }
  for (int k = 0; k < n; ++k)
    s += r[k].v * (r[k].id + r[k].kind) + sin(d[k]) * k;
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
  CHECK(direct)
  CHECK(buffered)
  CHECK(words)
  CHECK(exchanged)
  return rgReport();
}
