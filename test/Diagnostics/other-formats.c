// Numbers that are read as another format than they were written as: the bytes of doubles make no floats. Where only
// the running program can tell, it does. (Both modes: WHICH.)
// RUN: not %rgcc -O0 -DK=1 -DWHICH=__enzyme_autodiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O1 -DK=1 -DWHICH=__enzyme_autodiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O2 -DK=1 -DWHICH=__enzyme_autodiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O3 -march=native -DK=1 -DWHICH=__enzyme_autodiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O0 -DK=1 -DWHICH=__enzyme_fwddiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O1 -DK=1 -DWHICH=__enzyme_fwddiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O2 -DK=1 -DWHICH=__enzyme_fwddiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O3 -march=native -DK=1 -DWHICH=__enzyme_fwddiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O0 -DK=2 -DWHICH=__enzyme_autodiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O1 -DK=2 -DWHICH=__enzyme_autodiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O2 -DK=2 -DWHICH=__enzyme_autodiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O3 -march=native -DK=2 -DWHICH=__enzyme_autodiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O0 -DK=2 -DWHICH=__enzyme_fwddiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O1 -DK=2 -DWHICH=__enzyme_fwddiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O2 -DK=2 -DWHICH=__enzyme_fwddiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O3 -march=native -DK=2 -DWHICH=__enzyme_fwddiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O0 -DK=3 -DWHICH=__enzyme_autodiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O1 -DK=3 -DWHICH=__enzyme_autodiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O2 -DK=3 -DWHICH=__enzyme_autodiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O3 -march=native -DK=3 -DWHICH=__enzyme_autodiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O0 -DK=3 -DWHICH=__enzyme_fwddiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O1 -DK=3 -DWHICH=__enzyme_fwddiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O2 -DK=3 -DWHICH=__enzyme_fwddiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O3 -march=native -DK=3 -DWHICH=__enzyme_fwddiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O0 -DK=4 -DWHICH=__enzyme_autodiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O1 -DK=4 -DWHICH=__enzyme_autodiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O2 -DK=4 -DWHICH=__enzyme_autodiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O3 -march=native -DK=4 -DWHICH=__enzyme_autodiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O0 -DK=4 -DWHICH=__enzyme_fwddiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O1 -DK=4 -DWHICH=__enzyme_fwddiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O2 -DK=4 -DWHICH=__enzyme_fwddiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O3 -march=native -DK=4 -DWHICH=__enzyme_fwddiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O0 -DK=5 -DWHICH=__enzyme_autodiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O1 -DK=5 -DWHICH=__enzyme_autodiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O2 -DK=5 -DWHICH=__enzyme_autodiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O3 -march=native -DK=5 -DWHICH=__enzyme_autodiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O0 -DK=5 -DWHICH=__enzyme_fwddiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O1 -DK=5 -DWHICH=__enzyme_fwddiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O2 -DK=5 -DWHICH=__enzyme_fwddiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O3 -march=native -DK=5 -DWHICH=__enzyme_fwddiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O0 -DK=6 -DWHICH=__enzyme_autodiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O1 -DK=6 -DWHICH=__enzyme_autodiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O2 -DK=6 -DWHICH=__enzyme_autodiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O3 -march=native -DK=6 -DWHICH=__enzyme_autodiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O0 -DK=6 -DWHICH=__enzyme_fwddiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O1 -DK=6 -DWHICH=__enzyme_fwddiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O2 -DK=6 -DWHICH=__enzyme_fwddiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O3 -march=native -DK=6 -DWHICH=__enzyme_fwddiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O0 -DK=7 -DWHICH=__enzyme_autodiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O1 -DK=7 -DWHICH=__enzyme_autodiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O2 -DK=7 -DWHICH=__enzyme_autodiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O3 -march=native -DK=7 -DWHICH=__enzyme_autodiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O0 -DK=7 -DWHICH=__enzyme_fwddiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O1 -DK=7 -DWHICH=__enzyme_fwddiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O2 -DK=7 -DWHICH=__enzyme_fwddiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O3 -march=native -DK=7 -DWHICH=__enzyme_fwddiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O0 -DK=9 -DWHICH=__enzyme_autodiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O1 -DK=9 -DWHICH=__enzyme_autodiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O2 -DK=9 -DWHICH=__enzyme_autodiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O3 -march=native -DK=9 -DWHICH=__enzyme_autodiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O0 -DK=9 -DWHICH=__enzyme_fwddiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O1 -DK=9 -DWHICH=__enzyme_fwddiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O2 -DK=9 -DWHICH=__enzyme_fwddiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O3 -march=native -DK=9 -DWHICH=__enzyme_fwddiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O0 -DK=10 -DWHICH=__enzyme_autodiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O1 -DK=10 -DWHICH=__enzyme_autodiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O2 -DK=10 -DWHICH=__enzyme_autodiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O3 -march=native -DK=10 -DWHICH=__enzyme_autodiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O0 -DK=10 -DWHICH=__enzyme_fwddiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O1 -DK=10 -DWHICH=__enzyme_fwddiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O2 -DK=10 -DWHICH=__enzyme_fwddiff -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O3 -march=native -DK=10 -DWHICH=__enzyme_fwddiff -c %s -o %t.o 2>&1 | FileCheck %s
// CHECK: error: a number must be read as the type that it was written as: {{.*}} [RG1104]
// RUN: not %rgcc -O1 -DK=2 -DWHICH=__enzyme_autodiff -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=COPY
// COPY: error: a number must be read as the type that it was written as: numbers of type 'double' are copied, byte by byte, to where the program has numbers of type 'float' [RG1104]
// COPY: other-formats.c:[[#@LINE+58]]:{{.*}}note: it is here, in 'f'
// RUN: not %rgcc -O1 -DK=5 -DWHICH=__enzyme_autodiff -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=READ
// READ: error: {{.*}}numbers of type 'double' are stored in the memory that is read here as numbers of type 'float' [RG1104]
// RUN: %rgcc -O0 -DK=8 -DWHICH=__enzyme_autodiff %s -o %t && %t 0 && not --crash %t 1 2>&1 | FileCheck %s --check-prefix=WATCH
// RUN: %rgcc -O1 -DK=8 -DWHICH=__enzyme_autodiff %s -o %t && %t 0 && not --crash %t 1 2>&1 | FileCheck %s --check-prefix=WATCH
// RUN: %rgcc -O2 -DK=8 -DWHICH=__enzyme_autodiff %s -o %t && %t 0 && not --crash %t 1 2>&1 | FileCheck %s --check-prefix=WATCH
// RUN: %rgcc -O3 -march=native -DK=8 -DWHICH=__enzyme_autodiff %s -o %t && %t 0 && not --crash %t 1 2>&1 | FileCheck %s --check-prefix=WATCH
// RUN: %rgcc -O0 -DK=8 -DWHICH=__enzyme_fwddiff %s -o %t && %t 0 && not --crash %t 1 2>&1 | FileCheck %s --check-prefix=WATCH
// RUN: %rgcc -O1 -DK=8 -DWHICH=__enzyme_fwddiff %s -o %t && %t 0 && not --crash %t 1 2>&1 | FileCheck %s --check-prefix=WATCH
// RUN: %rgcc -O2 -DK=8 -DWHICH=__enzyme_fwddiff %s -o %t && %t 0 && not --crash %t 1 2>&1 | FileCheck %s --check-prefix=WATCH
// RUN: %rgcc -O3 -march=native -DK=8 -DWHICH=__enzyme_fwddiff %s -o %t && %t 0 && not --crash %t 1 2>&1 | FileCheck %s --check-prefix=WATCH
// WATCH: other-formats.c:{{[0-9]+}}: in '{{.*}}': error: a number must be read as the type that it was written as: what is read here as 'float' was written, or read before, as 'double' [RG1104]
// What a branch decides about is refused where the program gets there.
// RUN: %rgcc -O0 -DK=11 -DWHICH=__enzyme_autodiff %s -o %t && not --crash %t 2>&1 | FileCheck %s --check-prefix=REACHED
// RUN: %rgcc -O1 -DK=11 -DWHICH=__enzyme_autodiff %s -o %t && not --crash %t 2>&1 | FileCheck %s --check-prefix=REACHED
// RUN: %rgcc -O2 -DK=11 -DWHICH=__enzyme_autodiff %s -o %t && not --crash %t 2>&1 | FileCheck %s --check-prefix=REACHED
// RUN: %rgcc -O3 -march=native -DK=11 -DWHICH=__enzyme_autodiff %s -o %t && not --crash %t 2>&1 | FileCheck %s --check-prefix=REACHED
// RUN: %rgcc -O0 -DK=11 -DWHICH=__enzyme_fwddiff %s -o %t && not --crash %t 2>&1 | FileCheck %s --check-prefix=REACHED
// RUN: %rgcc -O1 -DK=11 -DWHICH=__enzyme_fwddiff %s -o %t && not --crash %t 2>&1 | FileCheck %s --check-prefix=REACHED
// RUN: %rgcc -O2 -DK=11 -DWHICH=__enzyme_fwddiff %s -o %t && not --crash %t 2>&1 | FileCheck %s --check-prefix=REACHED
// RUN: %rgcc -O3 -march=native -DK=11 -DWHICH=__enzyme_fwddiff %s -o %t && not --crash %t 2>&1 | FileCheck %s --check-prefix=REACHED
// RUN: %rgcc -O0 -DK=12 -DWHICH=__enzyme_fwddiff %s -o %t && not --crash %t 2>&1 | FileCheck %s --check-prefix=REACHED
// RUN: %rgcc -O1 -DK=12 -DWHICH=__enzyme_fwddiff %s -o %t && not --crash %t 2>&1 | FileCheck %s --check-prefix=REACHED
// RUN: %rgcc -O2 -DK=12 -DWHICH=__enzyme_fwddiff %s -o %t && not --crash %t 2>&1 | FileCheck %s --check-prefix=REACHED
// RUN: %rgcc -O3 -march=native -DK=12 -DWHICH=__enzyme_fwddiff %s -o %t && not --crash %t 2>&1 | FileCheck %s --check-prefix=REACHED
// RUN: %rgcc -O0 -DK=13 -DWHICH=__enzyme_autodiff %s -o %t && not --crash %t 2>&1 | FileCheck %s --check-prefix=REACHED
// RUN: %rgcc -O1 -DK=13 -DWHICH=__enzyme_autodiff %s -o %t && not --crash %t 2>&1 | FileCheck %s --check-prefix=REACHED
// RUN: %rgcc -O2 -DK=13 -DWHICH=__enzyme_autodiff %s -o %t && not --crash %t 2>&1 | FileCheck %s --check-prefix=REACHED
// RUN: %rgcc -O3 -march=native -DK=13 -DWHICH=__enzyme_autodiff %s -o %t && not --crash %t 2>&1 | FileCheck %s --check-prefix=REACHED
// RUN: %rgcc -O0 -DK=13 -DWHICH=__enzyme_fwddiff %s -o %t && not --crash %t 2>&1 | FileCheck %s --check-prefix=REACHED
// RUN: %rgcc -O1 -DK=13 -DWHICH=__enzyme_fwddiff %s -o %t && not --crash %t 2>&1 | FileCheck %s --check-prefix=REACHED
// RUN: %rgcc -O2 -DK=13 -DWHICH=__enzyme_fwddiff %s -o %t && not --crash %t 2>&1 | FileCheck %s --check-prefix=REACHED
// RUN: %rgcc -O3 -march=native -DK=13 -DWHICH=__enzyme_fwddiff %s -o %t && not --crash %t 2>&1 | FileCheck %s --check-prefix=REACHED
// RUN: %rgcc -O0 -DK=14 -DWHICH=__enzyme_autodiff %s -o %t && not --crash %t 2>&1 | FileCheck %s --check-prefix=REACHED
// RUN: %rgcc -O1 -DK=14 -DWHICH=__enzyme_autodiff %s -o %t && not --crash %t 2>&1 | FileCheck %s --check-prefix=REACHED
// RUN: %rgcc -O2 -DK=14 -DWHICH=__enzyme_autodiff %s -o %t && not --crash %t 2>&1 | FileCheck %s --check-prefix=REACHED
// RUN: %rgcc -O3 -march=native -DK=14 -DWHICH=__enzyme_autodiff %s -o %t && not --crash %t 2>&1 | FileCheck %s --check-prefix=REACHED
// RUN: %rgcc -O0 -DK=14 -DWHICH=__enzyme_fwddiff %s -o %t && not --crash %t 2>&1 | FileCheck %s --check-prefix=REACHED
// RUN: %rgcc -O1 -DK=14 -DWHICH=__enzyme_fwddiff %s -o %t && not --crash %t 2>&1 | FileCheck %s --check-prefix=REACHED
// RUN: %rgcc -O2 -DK=14 -DWHICH=__enzyme_fwddiff %s -o %t && not --crash %t 2>&1 | FileCheck %s --check-prefix=REACHED
// RUN: %rgcc -O3 -march=native -DK=14 -DWHICH=__enzyme_fwddiff %s -o %t && not --crash %t 2>&1 | FileCheck %s --check-prefix=REACHED
// REACHED: other-formats.c:{{[0-9]+}}: in '{{.*}}': error: a number must be read as the type that it was written as: what is read here as '{{float|double}}' was written, or read before, as '{{float|double}}' [RG1104]
#include <stdlib.h>
#include <string.h>
double WHICH(void *, ...);
extern int enzyme_dup, enzyme_const;
#if K == 1 // of constant length
static double f(const double *x, int n) {
  float y[8];
  memcpy(y, x, 4 * sizeof(double));
  double s = x[0] * x[1];
  for (int i = 0; i < 8; ++i)
    s += y[i] * y[i];
  return s;
}
#elif K == 2 // of run-time length
static double f(const double *x, int n) {
  float y[8];
  memcpy(y, x, n * sizeof(double));
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += x[i] * y[i];
  return s;
}
#elif K == 3 // doubles made of floats
static double f(const double *x, int n) {
  float a[8];
  double y[4], s = 0;
  for (int i = 0; i < 8; ++i)
    a[i] = x[i % 4];
  memcpy(y, a, n * sizeof(double));
  for (int i = 0; i < n; ++i)
    s += y[i] * y[i];
  return s;
}
#elif K == 4 // to a member
struct sums {
  int n;
  float v[8];
};
static double f(const double *x, int n) {
  struct sums m;
  double s = x[0] * x[0];
  m.n = n;
  memcpy(m.v, x, n * sizeof(double));
  for (int i = 0; i < m.n; ++i)
    s += m.v[i] * m.v[i];
  return s;
}
#elif K == 5 // the heap, by another pointer
static double f(const double *x, int n) {
  double *p = malloc(n * sizeof *p), s = 0;
  for (int i = 0; i < n; ++i)
    p[i] = x[i] * x[i];
  const float *q = (const float *)p;
  for (int i = 0; i < 2 * n; ++i)
    s += q[i];
  free(p);
  return s;
}
#elif K == 6 // a union
static double f(const double *x, int n) {
  union {
    double d;
    float f[2];
  } u;
  u.d = x[0] * x[1];
  return u.f[1] * x[1];
}
#elif K == 7 // two floats are no double
static double f(const double *x, int n) {
  float a[2] = {x[0], x[1]};
  double y;
  memcpy(&y, a, sizeof y);
  return y * x[0];
}
#elif K == 9 // of what the function has in no other way
static double f(const double *x, int n) {
  float *y = malloc(n * sizeof *y);
  double s = 0;
  memcpy(y, x, n * sizeof *y);
  for (int i = 0; i < n; ++i)
    s += y[i] * y[i];
  free(y);
  return s;
}
#elif K == 10 // the same, to a member
struct sums {
  int n;
  float v[8];
};
static double f(const double *x, int n) {
  struct sums m;
  double s = 0;
  memcpy(m.v, x, 4 * sizeof(double));
  for (int i = 0; i < 8; ++i)
    s += m.v[i] * m.v[i];
  return s;
}
#elif K == 11 // a tag that does not say what the buffer holds
static volatile int Kind = 0;
static double f(const double *x, int n) {
  double *d = malloc(n * sizeof *d), s = 0;
  for (int i = 0; i < n; ++i)
    d[i] = x[i] * x[i];
  for (int i = 0; i < n; ++i)
    s += Kind == 0 ? ((float *)d)[i] * x[i] : d[i] * x[i];
  free(d);
  return s;
}
#elif K == 12 // the same, in registers: reverse mode takes no number apart (RG2002)
static volatile int Kind = 0;
static double f(const double *x, int n) {
  union {
    double d;
    float f[2];
  } u;
  u.d = x[0] * x[1];
  return Kind == 1 ? u.d * x[1] : u.f[1] * x[1];
}
#elif K == 13 // moved as integers
static volatile int Kind = 0;
static double f(const double *x, int n) {
  double *d = malloc(n * sizeof *d), *e = malloc(n * sizeof *e), s = 0;
  for (int i = 0; i < n; ++i)
    d[i] = x[i] * x[i];
  for (int i = 0; i < n; ++i)
    memcpy(&e[i], &d[i], 8);
  if (Kind == 0)
    for (int i = 0; i < n; ++i)
      s += ((float *)e)[i] * x[i];
  else
    for (int i = 0; i < n; ++i)
      s += e[i] * x[i];
  free(d);
  free(e);
  return s;
}
#elif K == 14 // a copy that a branch decides about
static volatile int Kind = 0;
static double f(const double *x, int n) {
  float y[8] = {0};
  double s = 0;
  if (Kind == 0)
    memcpy(y, x, n * sizeof *x);
  else
    for (int i = 0; i < n; ++i)
      y[i] = x[i];
  for (int i = 0; i < n; ++i)
    s += y[i] * x[i];
  return s;
}
#else // a pool is one thing, then another
static int Wrong;
static double f(const double *x, int n) {
  char *pool = malloc(16 * n);
  float *a = (float *)pool;
  double *b = (double *)pool, s = 0;
  for (int i = 0; i < n; ++i)
    a[i] = x[i];
  for (int i = 0; i < n; ++i)
    s += a[i] * x[i];
  for (int i = 0; i < n; ++i)
    b[i] = s * x[i];
  for (int i = 0; i < n; ++i)
    s += b[i] * x[i];
  for (int i = 0; Wrong && i < n; ++i)
    s += a[i] * x[i];
  free(pool);
  return s;
}
#endif
int main(int argc, char **argv) {
  double x[4] = {1.1, 2.2, 3.3, 4.4}, dx[4] = {1, 0, 0, 0};
#if K == 8
  Wrong = atoi(argv[argc - 1]);
#endif
  WHICH((void *)f, enzyme_dup, x, dx, enzyme_const, 3 + (argc > 0));
  return 0;
}
