// Bytes of numbers in members that are declared as characters: where the file takes the members for storage, by a cast or a copy of
// something else, their declaration says nothing.
// RUN: not %rgcc -O0 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O2 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O2 -DCAST -c %s -o %t.o 2>&1 | FileCheck %s
#include <stdlib.h>
#include <string.h>
void __enzyme_autodiff(void *, ...);

struct record {
  double key;
  char bytes[16];
};

static int byKey(const void *a, const void *b) {
  double d = ((const struct record *)a)->key - ((const struct record *)b)->key;
  return d < 0 ? -1 : d > 0;
}

static double sorted(struct record *r, int n) {

  double s = 0;
  qsort(r, n, sizeof *r, byKey);
  for (int i = 0; i < n; i++)
    s += r[i].key;
  return s;
}

// CHECK: RG1103
void gradient(struct record *r, struct record *dr, int n, const double *x) {
  for (int i = 0; i < n; i++)
#ifdef CAST
    *(double *)r[i].bytes = x[i];
#else
    memcpy(r[i].bytes, &x[i], sizeof x[i]);
#endif
  __enzyme_autodiff(sorted, r, dr, n);
}
