// RG-LEVELS: O0
// Records of 24 bytes are moved in parts of 32, so that a part begins at another member each time. (At -O2 the
// float, which nobody reads, forbids to move words: RG1103.)
#include "rgtest.h"
#include <stdlib.h>
#include <string.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
typedef struct {
  int id;
  double v;
  float f;
  int k;
} Record;
static void move(char *to, const char *from, size_t n) {
  for (size_t at = 0; at < n; at += 32)
    memcpy(to + at, from + at, n - at < 32 ? n - at : 32);
}
static double f(double *x, int n) {
  Record *a = calloc(n, sizeof *a), *b = malloc(n * sizeof *b);
  double s = 0;
  for (int i = 0; i < n; ++i)
    a[i].v = x[i] * x[i];
  move((char *)b, (char *)a, n * sizeof *a);
  for (int i = 0; i < n; ++i)
    s += b[i].v;
  free(a);
  free(b);
  return s;
}
int main(void) {
  double x[5] = {1, 2, 3, 4, 5}, d[5] = {0};
  __enzyme_autodiff((void *)f, x, d, 5);
  for (int i = 0; i < 5; ++i) {
    double t[5] = {0};
    t[i] = 1;
    RG_NEAR(d[i], 2 * x[i]);
    RG_NEAR(__enzyme_fwddiff((void *)f, x, t, 5), 2 * x[i]);
  }
  return rgReport();
}
