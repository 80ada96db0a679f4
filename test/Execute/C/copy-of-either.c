// One recursive function copies pointers for one caller and numbers for another.
// RG-LEVELS: O0 O1 O2
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_dup, enzyme_const;
static void copy(void *d, const void *s, int n) {
  if (n <= 0)
    return;
  memcpy(d, s, 8);
  copy((char *)d + 8, (const char *)s + 8, n - 1);
}
struct P {
  double *a, *b;
};
static double f(double *x, int n) {
  struct P p = {x, x + 1}, q;
  copy(&q, &p, n);
  double y[2];
  copy(y, q.b, n);
  return q.a[0] * y[0] * y[1];
}
int main(void) {
  double x[3] = {2, 3, 5}, d[3] = {0};
  __enzyme_autodiff((void *)f, enzyme_dup, x, d, enzyme_const, 2);
  printf("%g %g %g (15 10 6)\n", d[0], d[1], d[2]);
  double t[3] = {0, 1, 0};
  printf("%g (10)\n", __enzyme_fwddiff((void *)f, enzyme_dup, x, t, enzyme_const, 2));
  return !(d[0] == 15 && d[1] == 10 && d[2] == 6);
}
