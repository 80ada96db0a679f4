// RG-LEVELS: O0 O1 O2 O3
// Loops that move into the reverse sweep, around loops whose count follows the iteration: the count brings a counter of
// its own into the outer loop.
#include "rgtest.h"
#include <math.h>
extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

double numbers(const double *x, int n) {
  double s = 0;
  for (int d = 1; d < 9; d++) {
    int before = 0;
    double c = d & 1 ? x[0] : 3.5;
    for (int q = d; q; --q) {
      int way = q % 3;
      c = way == 0 ? (before == 0 ? c * x[q % n] : 1.25) : way == 1 ? x[q % n] * .5 : c * 2;
      before = way;
    }
    s += c;
  }
  return s;
}
double places(const double *x, int n) {
  double s = 0;
  for (int d = 1; d < 9; d++) {
    int before = 0, j = d;
    for (int q = d; q; --q) {
      int way = q % 3;
      if (way == 0)
        j = before == 0 ? (j + q) % n : 1;
      else if (way == 1)
        j = q % n;
      before = way;
    }
    s += x[j % n] * x[j % n];
  }
  return s;
}
double steps(const double *x, int n) {
  double s = 0;
  for (int d = 3; d < 40; d += 5) {
    int before = 0;
    double c = x[d % n];
    for (int q = 0; q < 2 * d - 1; ++q) {
      c = before == 0 ? c * x[q % n] * .7 : q % 3 == 1 ? x[(q + d) % n] : c + .1;
      before = q % 3;
    }
    s += c * c;
  }
  return s;
}

#define CHECK(F)                                                                                                       \
  do {                                                                                                                 \
    double x[5], d[5], t[5];                                                                                           \
    for (int i = 0; i < 5; i++)                                                                                        \
      x[i] = 1.1 + 0.6 * sin(2.3 * i + 0.4), d[i] = t[i] = 0;                                                          \
    __enzyme_autodiff((void *)F, enzyme_dup, x, d, enzyme_const, 5);                                                   \
    RG_GRADS(d, F(x, 5), x, 5);                                                                                        \
    for (int i = 0; i < 5; i++) {                                                                                      \
      t[i] = 1;                                                                                                        \
      RG_NEAR(__enzyme_fwddiff((void *)F, enzyme_dup, x, t, enzyme_const, 5), d[i]);                                   \
      t[i] = 0;                                                                                                        \
    }                                                                                                                  \
  } while (0)

int main(void) {
  CHECK(numbers);
  CHECK(places);
  CHECK(steps);
  return rgReport();
}
