// One function that is not inlined copies numbers for one caller and pointers for another,
// and single members of arrays of structs, characters among them.
// RG-LEVELS: O0 O1 O2 O3
#include "rgtest.h"
#include <stdlib.h>
#include <string.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
typedef struct {
  double *p;
  long n;
} Array;
typedef struct {
  double a, b;
} Pair;
__attribute__((noinline)) static void copy16(void *d, const void *s) { memcpy(d, s, 16); }
__attribute__((noinline)) static void copy8(void *d, const void *s) { memcpy(d, s, 8); }
static double helpers(double *x, int n) {
  Array all = {x, n}, copied;
  Pair ends = {x[0], x[n - 1]}, moved;
  double *first, product, kept;
  copy16(&copied, &all);
  copy16(&moved, &ends);
  copy8(&first, &copied.p);
  product = moved.a * moved.b;
  copy8(&kept, &product);
  double r = kept * kept;
  for (int k = 0; k < copied.n; ++k)
    r += first[k] * first[k] * (k + 1);
  return r;
}
typedef struct {
  double v;
  long id;
  float w[3];
  char name[5];
  short q;
} Record;
static double members(double *x, int n) {
  Record *s = calloc(n, sizeof *s), *t = malloc(n * sizeof *t);
  for (int k = 0; k < n; ++k) {
    s[k].v = x[k];
    s[k].id = k;
    s[k].w[1] = 0.5f;
    s[k].q = 3;
    s[k].name[0] = 'a' + k;
  }
  memcpy(t, s, n * sizeof *s);
  for (int k = 0; k < n; ++k) {
    int o = (k + 1) % n;
    t[k].id = s[o].id;
    t[k].name[0] = s[o].name[0];
    t[k].q = s[o].q;
    Record u = s[o];
    t[o] = u;
  }
  double r = 0;
  for (int k = 0; k < n; ++k)
    r += t[k].v * t[k].v * t[k].w[1] * (t[k].id + t[k].q + t[k].name[0] - 'a');
  free(s);
  free(t);
  return r;
}
int main(void) {
  double x[4] = {1, 2, 3, 4};
#define CHECK(F)                                                               \
  {                                                                            \
    double d[4] = {0}, t[4] = {0, 1, 0, 0};                                    \
    __enzyme_autodiff((void *)F, x, d, 4);                                     \
    RG_GRADS(d, F(x, 4), x, 4);                                                \
    RG_NEAR(__enzyme_fwddiff((void *)F, x, t, 4), d[1]);                       \
  }
  CHECK(helpers)
  CHECK(members)
  return rgReport();
}
