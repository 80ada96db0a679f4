// RG-LEVELS: O0 O1 O2 O3 Os fast g
// Vector extension types: arithmetic, elements, shuffles, comparisons as masks,
// conversions, memory and calls by value.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
typedef double d2 __attribute__((vector_size(16)));
typedef double d4 __attribute__((vector_size(32)));
typedef float f4 __attribute__((vector_size(16)));
typedef long long i2 __attribute__((vector_size(16)));

static double arithmetic(double x) {
  d2 a = {x, 2.0}, b = {x * x, x};
  d2 c = a * b - a / (b + 3.0);
  c += -b;
  return c[0] * c[1];
}
static double shuffled(double x) {
  d4 a = {x, x * x, 1, 3}, b = {2, x, 0.5, x * x * x};
  d4 c = __builtin_shufflevector(a, b, 3, 1, 5, 7);
  d2 lo = __builtin_shufflevector(c, c, 0, 3);
  lo[1] = lo[1] * c[2];
  return lo[0] * lo[1] + c[1];
}
static double masked(double x) {
  d2 a = {x, -x}, b = {1.0, x * x};
  i2 m = a > b;
  d2 c = (d2)((m & (i2)(a * a)) | (~m & (i2)(b * x)));
  return c[0] + 2 * c[1];
}
static double converted(double x) {
  d4 a = {x, 2 * x, 3, 4};
  f4 f = __builtin_convertvector(a, f4);
  f = f * f;
  d4 b = __builtin_convertvector(f, d4);
  return b[0] + b[1] * b[2];
}
__attribute__((noinline)) static d2 byValue(d2 a, double s) { return a * a * s; }
static double calls(double x) {
  d2 r = byValue((d2){x, 1 - x}, x);
  return r[0] * r[1];
}
static double loop(const double *p, int n) {
  d2 acc = {0, 1};
  for (int i = 0; i + 1 < n; i += 2) {
    d2 v;
    memcpy(&v, p + i, sizeof v);
    acc = acc * 0.5 + v * v;
  }
  return acc[0] * acc[1];
}

int main(void) {
  RG_UNARY(arithmetic, 1.25);
  RG_UNARY(shuffled, 0.75);
  RG_UNARY(masked, 1.75);
  RG_UNARY(masked, 0.5);
  RG_UNARY(calls, 0.3);
  RG_WITHIN(__enzyme_autodiff((void *)converted, 1.5), 2 * 1.5 + 72 * 1.5, 1e-5);
  double x[6] = {1, 2, 0.5, -1, 1.5, 0.25}, d[6] = {0}, v[6] = {0, 0, 1, 0, 0, 0};
  __enzyme_autodiff((void *)loop, x, d, 6);
  RG_GRADS(d, loop(x, 6), x, 6);
  RG_NEAR(__enzyme_fwddiff((void *)loop, x, v, 6), d[2]);
  return rgReport();
}
