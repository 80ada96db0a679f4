// A number's bytes are read as an integer, which becomes a member that is declared an integer.
// RUN: not %rgcc -O1 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O2 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O3 -march=native -c %s -o %t.o 2>&1 | FileCheck %s
#include <stdlib.h>
#include <string.h>
void __enzyme_autodiff(void *, ...);

typedef struct {
  double beside;
  long bits;
} Record;

static double f(const double *x, int n) {
  Record *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b);
  for (int i = 0; i < n; i++) {
    a[i].beside = x[i];
    long bits;
    memcpy(&bits, &x[i], sizeof bits);
    a[i].bits = bits;
  }
  for (int i = 0; i < n; i++)
    b[i].bits = a[(i + 1) % n].bits;
  double s = 0;
  for (int i = 0; i < n; i++) {
    double number[1];
    memcpy(number, &b[i].bits, sizeof number);
    s += number[0] * (i + 1) + a[i].beside;
  }
  free(a);
  free(b);
  return s;
}
void derivative(const double *x, double *dx, int n) { __enzyme_autodiff((void *)f, x, dx, n); }
// CHECK: error: {{.*}}the bits of an active number in a member that is declared an integer [RG2002]
// CHECK: note: it is here, in 'f'
