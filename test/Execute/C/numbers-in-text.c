// Bytes of numbers in members that are declared as characters, which the file
// takes for storage by a cast or a copy of something else: the function moves
// them with their record. RG-LEVELS: O0 O1 O2 O3
#include "rgtest.h"
#include <stdlib.h>
#include <string.h>
void __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_dup, enzyme_const;

struct record {
  double key;
  _Alignas(double) char bytes[16];
};
static int byKey(const void *a, const void *b) {
  double d = ((const struct record *)a)->key - ((const struct record *)b)->key;
  return d < 0 ? -1 : d > 0;
}
static double sorted(struct record *r, int n) {
  double s = 0;
  qsort(r, n, sizeof *r, byKey);
  for (int i = 0; i < n; i++)
    s += (i + 1) * r[i].key * r[i].key;
  return s;
}
static double number(const struct record *r) {
  double x;
  memcpy(&x, r->bytes, sizeof x);
  return x;
}

int main(void) {
  const double keys[4] = {3, 1, 2, 0};
  struct record r[4], d[4];
  memset(d, 0, sizeof d);
  for (int i = 0; i < 4; ++i) {
    r[i].key = keys[i];
    memcpy(r[i].bytes, &keys[i], sizeof keys[i]);
    *(double *)(r[i].bytes + 8) = 5 * keys[i];
    double seed = i + 1; // of what is there afterwards
    memcpy(d[i].bytes, &seed, sizeof seed);
    *(double *)(d[i].bytes + 8) = -seed;
  }
  __enzyme_autodiff((void *)sorted, enzyme_dup, r, d, enzyme_const, 4);
  for (int i = 0; i < 4; ++i) {
    RG_NEAR(number(&r[i]), i);
    RG_NEAR(d[i].key, 2 * (keys[i] + 1) * keys[i]);
    RG_NEAR(number(&d[i]), keys[i] + 1);
    RG_NEAR(*(double *)(d[i].bytes + 8), -1 - keys[i]);
  }
  for (int i = 0; i < 4; ++i) { // r is in order now; back
    r[i].key = 3 - i;
    memset(d[i].bytes, 0, sizeof d[i].bytes);
    double tangent = 10 + i;
    d[i].key = 1;
    memcpy(d[i].bytes, &tangent, sizeof tangent);
  }
  RG_NEAR(__enzyme_fwddiff((void *)sorted, enzyme_dup, r, d, enzyme_const, 4),
          2 * (1 * 0 + 2 * 1 + 3 * 2 + 4 * 3));
  for (int i = 0; i < 4; ++i)
    RG_NEAR(number(&d[i]), 13 - i);
  return rgReport();
}
