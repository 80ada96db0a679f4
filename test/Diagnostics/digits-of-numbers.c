// The bits of a number are an integer, and that becomes a number by its value (a fast logarithm); or a number is rounded to an
// integer whose bits are a number (a fast exponential). Such numbers have no derivative, and it is not zero. They are refused
// wherever the bits lie: at an address of which only accesses tell the type, in arrays of integers, in other functions.
// RUN: not %rgcc -O0 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O1 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O2 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O3 -march=native -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O2 -DFORWARD -c %s -o %t.o 2>&1 | FileCheck %s
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef FORWARD
double __enzyme_fwddiff(void *, ...);
#define DERIVATIVE *dx = __enzyme_fwddiff
#else
void __enzyme_autodiff(void *, ...);
#define DERIVATIVE __enzyme_autodiff
#endif
#define REQUEST(F)                                                                                                     \
  void derivativeOf##F(const double *x, double *dx, int n) { DERIVATIVE((void *)F, x, dx, n); }

// Nobody knows what x leads to.
double behindParameter(const double *x, int n) {
  int64_t bits;
  memcpy(&bits, x, 8);
  return (double)(bits - 0x3ff0000000000000) * 0x1p-52;
}
REQUEST(behindParameter)
// CHECK: {{moves bytes of unknown type: an integer that may be the bits of a number|made from the bits}}
// CHECK: note: it is here, in 'behindParameter'

// Only the caller does.
double behindLocal(const double *x, int n) {
  int64_t bits;
  memcpy(&bits, x, 8);
  return (double)(bits - 0x3ff0000000000000) * 0x1p-52;
}
void derivativeOfLocal(double *dx) {
  double x[6] = {1, 2, 3, 4, 5, 6};
  DERIVATIVE((void *)behindLocal, x, dx, 6);
}
// CHECK: a float made from the bits of an active one by integer arithmetic
// CHECK: note: it is here, in 'behindLocal'

double walking(const double *x, int n) {
  float y[8];
  double s = 0;
  for (int i = 0; i < n; ++i)
    y[i] = x[i];
  for (const float *p = y; p != y + n; ++p) {
    uint32_t bits;
    memcpy(&bits, p, 4);
    s += bits * 0x1p-23f;
  }
  return s;
}
REQUEST(walking)
// CHECK: note: it is here, in 'walking'

struct Weighted {
  double weight;
  long count;
};
double mantissaOfMember(const double *x, int n) {
  struct Weighted p[6];
  double s = 0;
  for (int i = 0; i < n; ++i) {
    p[i].weight = x[i] * x[0];
    p[i].count = i + 1;
  }
  for (const struct Weighted *q = p; q != p + n; ++q) {
    uint64_t bits;
    memcpy(&bits, &q->weight, 8);
    s += (double)q->count * q->weight + (double)(bits & 0xfffffffffffff) * 0x1p-52;
  }
  return s;
}
REQUEST(mantissaOfMember)
// CHECK: note: it is here, in 'mantissaOfMember'

double firstOfBlock(const double *x, int n) {
  double *y = (double *)malloc(n * sizeof *y), s = 0;
  for (int i = 0; i < n; ++i)
    y[i] = x[i] * 2;
  for (int i = 0; i < n; ++i) {
    uint64_t bits;
    memcpy(&bits, y, 8);
    s += y[i] * (double)(bits >> 1) * 0x1p-62;
  }
  free(y);
  return s;
}
REQUEST(firstOfBlock)
// CHECK: note: it is here, in 'firstOfBlock'

double arrayOfIntegers(const double *x, int n) {
  uint64_t keys[6];
  double s = 0;
  for (int i = 0; i < n; ++i) {
    double y = x[i] * x[i];
    memcpy(&keys[i], &y, 8);
  }
  for (int i = 0; i < n; ++i)
    s += (double)(keys[i] - keys[0]) * 0x1p-52;
  return s;
}
REQUEST(arrayOfIntegers)
// CHECK: note: it is here, in 'arrayOfIntegers'

__attribute__((noinline)) static double valueOf(uint64_t bits) { return (double)bits * 0x1p-52 - 1023; }
double byValue(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    uint64_t bits;
    memcpy(&bits, &x[i], 8);
    s += valueOf(bits);
  }
  return s;
}
REQUEST(byValue)
// CHECK: note: it is here, in '{{byValue|valueOf}}'

__attribute__((noinline)) static uint64_t bitsOf(double x) {
  uint64_t bits;
  memcpy(&bits, &x, 8);
  return bits;
}
double returned(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += (double)bitsOf(x[i]) * 0x1p-52;
  return s;
}
REQUEST(returned)
// CHECK: note: it is here, in 'returned'

// Schraudolph's.
double exponential(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    union {
      double number;
      int half[2];
    } v;
    v.half[1] = (int)(1512775 * x[i] + 1072632447);
    v.half[0] = 0;
    s += v.number;
  }
  return s;
}
REQUEST(exponential)
// CHECK: note: it is here, in 'exponential'

double power(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    union {
      double number;
      int half[2];
    } v = {x[i]};
    v.half[1] = (int)(2.5 * (v.half[1] - 1072632447) + 1072632447);
    v.half[0] = 0;
    s += v.number;
  }
  return s;
}
REQUEST(power)
// CHECK: note: it is here, in 'power'
