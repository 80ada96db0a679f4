// The bits of a number that become a number of their own (a fast logarithm): LLVM loads them as an integer, and their derivative
// would be lost. What only reads the exponent, and what compares or hashes bits, is constant almost everywhere.
// RUN: not %rgcc -O0 -DF=logarithm -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O1 -DF=logarithm -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O2 -DF=logarithm -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O0 -DF=copied -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O2 -DF=copied -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O0 -DF=single -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=UNSIGNED
// RUN: not %rgcc -O2 -DF=single -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=UNSIGNED
// CHECK: error: instruction 'sitofp' cannot be differentiated here
// UNSIGNED: error: instruction 'uitofp' cannot be differentiated here
// RUN: %rgcc -O0 -DF=exponent -c %s -o %t.o
// RUN: %rgcc -O2 -DF=exponent -c %s -o %t.o
// RUN: %rgcc -O0 -DF=hash -c %s -o %t.o
// RUN: %rgcc -O2 -DF=hash -c %s -o %t.o
#include <stdint.h>
#include <string.h>
void __enzyme_autodiff(void *, ...);

static double fastLog(double x) {
  union {
    double number;
    int64_t bits;
  } v;
  v.number = x;
  double y = v.bits;
  return y * 0x1p-52 - 1022.94;
}
double logarithm(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += fastLog(x[i]);
  return s * fastLog(*x);
}
double copied(const double *x, int n) {
  double s = 0, y[8];
  for (int i = 0; i < n; ++i)
    y[i] = x[i] * x[0];
  for (int i = 0; i < n; ++i) {
    int64_t bits;
    memcpy(&bits, &y[i], 8);
    s += bits * 0x1p-52;
  }
  return s;
}
double single(const double *x, int n) {
  float y[8];
  double s = 0;
  for (int i = 0; i < n; ++i)
    y[i] = x[i];
  for (int i = 0; i < n; ++i) {
    union {
      float number;
      uint32_t bits;
    } v = {y[i]};
    s += v.bits * 1.1920928955078125e-7f;
  }
  return s;
}
double exponent(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    union {
      double number;
      uint64_t bits;
    } v = {x[i]};
    s += x[i] * ((int)(v.bits >> 52 & 0x7ff) - 1023);
  }
  return s;
}
double hash(const double *x, int n) {
  static const double table[4] = {1, 2, 3, 4};
  double s = 0;
  for (int i = 0; i < n; ++i) {
    uint64_t bits;
    memcpy(&bits, &x[i], 8);
    s += x[i] * table[(bits * 0x9e3779b97f4a7c15) >> 62];
  }
  return s;
}
void gradient(const double *x, double *dx, int n) { __enzyme_autodiff((void *)F, x, dx, n); }
