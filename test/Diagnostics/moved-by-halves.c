// A function that moves records of any length by halves reaches their members at
// every step of eight bytes: what is a number there and what an integer is not
// known, and the one that was seen first is no answer. The analysis comes to an end,
// too, where the records are single variables.
// RUN: not %rgcc -O0 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O0 -DSINGLE -c %s -o %t.o 2>&1 | FileCheck %s
// Records of one kind of number only are right.
// RUN: %rgcc -O0 -DNUMBERS %s -lm -o %t && %t
// RUN: %rgcc -O2 -DNUMBERS %s -lm -o %t && %t
// CHECK: error: the type of every byte that derivatives may flow through must be known, and 'move' moves bytes of unknown type: a run-time number of bytes [RG1103]
#include <math.h>
#include <stdlib.h>
#include <string.h>
double __enzyme_autodiff(void *, ...);
#ifdef NUMBERS
struct Rec { double id, v, f; };
#else
struct Rec { int id; double v; float f; int k; };
#endif
__attribute__((noinline)) static void move(void *to, const void *from, size_t n) {
  if (n <= 48) {
    memcpy(to, from, n);
    return;
  }
  size_t half = n / 2 / 16 * 16;
  move(to, from, half);
  move((char *)to + half, (const char *)from + half, n - half);
}
static double sorted(double *x, int n) {
#ifdef SINGLE
  struct Rec a[2], one;
  for (int i = 0; i < 2; ++i)
    a[i].id = i, a[i].v = x[i] * x[i];
  move(&one, &a[0], sizeof one);
  a[0] = a[1];
  move(&a[1], &one, sizeof one);
  return a[0].v + 3 * a[1].v;
#else
  struct Rec a[5], one;
  for (int i = 0; i < n; ++i)
    a[i].id = i * 3 % 5, a[i].v = sin(x[i]), a[i].f = 0;
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j)
      if (a[j].id < a[i].id) {
        move(&one, &a[i], sizeof one);
        a[i] = a[j];
        move(&a[j], &one, sizeof one);
      }
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += a[i].v * (i + 1);
  return s;
#endif
}
int main(void) {
  double x[5] = {0.4, 0.8, 0.1, 0.3, -0.2}, d[5] = {0};
  __enzyme_autodiff((void *)sorted, x, d, 5);
  int where[] = {0, 2, 4, 1, 3}; // sorted[k] is x[where[k]]
  for (int k = 0; k < 5; ++k)
    if (fabs(d[where[k]] - (k + 1) * cos(x[where[k]])) > 1e-12)
      return 1;
  return 0;
}
