// What enzyme_seed cannot be said of: memory that is read, or written twice at one place, as far as the compiler sees.
// RUN: not %rgcc -O2 -I%root/include -c %s -o %t.o 2>&1 | FileCheck %s
#include <retrograd/retrograd.h>
#define GRADIENT(f)                                                                                                    \
  void f##Gradient(double *x, double *dx, double *y, double *dy, int n) {                                              \
    __enzyme_autodiff_void((void *)f, enzyme_dup, x, dx, enzyme_seed, y, dy, enzyme_const, n);                         \
  }

static void inPlace(double *restrict x, double *restrict y, int n) { y[n] *= x[0]; }
// CHECK: error: marker 'enzyme_seed' has no meaning in a call of '__enzyme_fwddiff' [RG1044]
void tangent(double *x, double *dx, double *y, double *dy, int n) {
  __enzyme_fwddiff((void *)inPlace, enzyme_dup, x, dx, enzyme_seed, y, dy, enzyme_const, n);
}

// CHECK: seeds.c:[[@LINE+3]]:{{.*}} error: adjoints that the derivative starts from cannot stay as they are (enzyme_seed): what parameter 2 leads to is read [RG2114]
// CHECK: seeds.c:[[@LINE-7]]:{{.*}} note: it is here, in 'inPlace'
// CHECK: note: pass this memory by enzyme_dup
GRADIENT(inPlace)

static void twice(double *restrict x, double *restrict y, int n) {
  for (int i = 0; i < n; ++i)
    y[i / 2] = x[i];
}
// CHECK: error: adjoints {{.*}} what parameter 2 leads to may be written at one place in two iterations
// CHECK: note: it is here, in 'twice'
GRADIENT(twice)

static void again(double *restrict x, double *restrict y, int n) {
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < n; ++i)
      y[i] = x[i] * x[k];
}
// CHECK: error: adjoints {{.*}} what parameter 2 leads to may be written at one place in two iterations of a loop
GRADIENT(again)

static void overlap(double *restrict x, double *restrict y, int n) {
  for (int i = 0; i < n; ++i) {
    y[i] = x[i];
    y[i + 1] = x[i] * x[i];
  }
}
// CHECK: error: adjoints {{.*}} what parameter 2 leads to may be written at one place in two iterations
GRADIENT(overlap)

// Rows that may be shorter than what is written of each.
static void rows(double *restrict x, double *restrict y, int n) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n + 2; ++j)
      y[i * n + j] = x[i] * x[j];
}
// CHECK: error: adjoints {{.*}} what parameter 2 leads to may be written at one place in two iterations
GRADIENT(rows)

static void places(double *restrict x, double *restrict y, int n) {
  for (int i = 0; i < n; ++i)
    y[(int)x[i + n]] = x[i];
}
// CHECK: error: adjoints {{.*}} what parameter 2 leads to is written at an address that is not understood
GRADIENT(places)

__attribute__((noinline)) static void put(double *restrict y, double v, int n) {
  if (n > 0)
    put(y + 1, v * v, n - 1);
  *y = v;
}
static void passed(double *restrict x, double *restrict y, int n) { put(y, x[0], n); }
// CHECK: error: adjoints {{.*}} what parameter 2 leads to is passed on to a function that is not inlined
GRADIENT(passed)
