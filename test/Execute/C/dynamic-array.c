// The usual growing array of C: a struct with data, size and capacity, grown by
// realloc in a function of its own, freed in another.
#include "rgtest.h"
#include <stdlib.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
#define NOINLINE __attribute__((noinline))
typedef struct { double *data; int size, capacity; } Array;

NOINLINE static void push(Array *a, double v) {
  if (a->size == a->capacity) {
    a->capacity = a->capacity ? 2 * a->capacity : 2;
    a->data = realloc(a->data, a->capacity * sizeof *a->data);
  }
  a->data[a->size++] = v;
}
NOINLINE static double pop(Array *a) { return a->data[--a->size]; }
NOINLINE static void destroy(Array *a) {
  free(a->data);
  a->data = NULL;
  a->size = a->capacity = 0;
}
static double f(double x, int n) {
  Array a = {0};
  push(&a, x);
  for (int i = 0; i < n; ++i) {
    double v = pop(&a);
    push(&a, v * x + 1);
    push(&a, v * 0.5);
    if (i % 3 == 0)
      push(&a, v * v);
  }
  double s = 1;
  while (a.size)
    s = s * 0.75 + pop(&a);
  destroy(&a);
  return s;
}

int main(void) {
  double x = 0.8;
  for (int n = 0; n < 9; n += 2) {
    RG_GRAD(__enzyme_autodiff((void *)f, x, n), f(x, n), x);
    RG_GRAD(__enzyme_fwddiff((void *)f, x, 1.0, n), f(x, n), x);
  }
  return rgReport();
}
