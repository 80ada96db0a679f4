// Wide bit-fields of records whose arrays of numbers are indexed at run time: clang gives accesses to bit-fields no TBAA.
// RG-LEVELS: O0 O1 O2 O3
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
struct record {
  unsigned kind : 3, count : 13;
  double value;
  unsigned long stamp : 40;
  float weights[3];
};
double f(const double *x, int n) {
  struct record r[8];
  for (int i = 0; i < n; ++i) {
    r[i].kind = i;
    r[i].count = i * 100;
    r[i].stamp = 1ul << (i + 20);
    r[i].value = x[i];
    r[i].weights[i % 3] = x[i] * x[0];
  }
  double s = 0;
  for (int i = 0; i < n; ++i) {
    struct record t = r[(i + r[i].kind) % n];
    t.stamp += i;
    s += t.value * t.value * t.count + (double)(t.stamp >> 20) * t.value * r[i].weights[i % 3];
  }
  return s * 1e-3;
}
int main(void) {
  double x[8], d[8] = {0};
  for (int i = 0; i < 8; ++i)
    x[i] = 1 + 0.1 * i;
  __enzyme_autodiff((void *)f, x, d, 8);
  for (int i = 0; i < 8; ++i) {
    double h = 1e-3, at = x[i];
    x[i] = at + h;
    double up = f(x, 8);
    x[i] = at - h;
    double down = f(x, 8);
    x[i] = at;
    RG_WITHIN(d[i], (up - down) / (2 * h), 1e-3);
  }
  return rgReport();
}
