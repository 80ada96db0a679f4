// The bits of a number in a member that is declared an integer: they get there by a variable of the program's, by a union or by a
// copy, and the members are assigned. Nothing says that a number is moved, so that this is refused, whatever the level.
// RUN: not %rgcc -O0 -DT=double -DI=long -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O1 -DT=double -DI=long -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O2 -DT=double -DI=long -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O0 -DT=float -DI=int -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O2 -DT=float -DI=int -c %s -o %t.o 2>&1 | FileCheck %s
#include <stdlib.h>
#include <string.h>
void __enzyme_autodiff(void *, ...);

typedef struct {
  double beside;
  I bits;
} Record;

static double byUnion(const double *x, int n) {
  Record *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b);
  for (int i = 0; i < n; i++) {
    union {
      T number;
      I bits;
    } t;
    t.number = x[i] * x[i];
    a[i].bits = t.bits;
    a[i].beside = x[i];
  }
  for (int i = 0; i < n; i++)
    b[i].bits = a[(i + 1) % n].bits;
  double s = 0;
  for (int i = 0; i < n; i++) {
    union {
      T number;
      I bits;
    } t;
    t.bits = b[i].bits;
    s += t.number * (i + 1) + a[i].beside;
  }
  free(a);
  free(b);
  return s;
}
void derivativeByUnion(const double *x, double *dx, int n) { __enzyme_autodiff((void *)byUnion, x, dx, n); }
// CHECK: error: {{.*}}a store of integers that may be parts of floating-point numbers [RG2002]
// CHECK: note: it is here, in 'byUnion'

static double byCopy(const double *x, int n) {
  Record *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b);
  for (int i = 0; i < n; i++) {
    T number = x[i] * x[i];
    I bits;
    memcpy(&bits, &number, sizeof bits);
    a[i].bits = bits;
    a[i].beside = x[i];
  }
  for (int i = 0; i < n; i++)
    b[i].bits = a[(i + 1) % n].bits;
  double s = 0;
  for (int i = 0; i < n; i++) {
    T number;
    I bits = b[i].bits;
    memcpy(&number, &bits, sizeof bits);
    s += number * (i + 1) + a[i].beside;
  }
  free(a);
  free(b);
  return s;
}
void derivativeByCopy(const double *x, double *dx, int n) { __enzyme_autodiff((void *)byCopy, x, dx, n); }
// CHECK: error: {{.*}}a store of integers that may be parts of floating-point numbers [RG2002]
// CHECK: note: it is here, in 'byCopy'
