// Constant tables of pointers to variables, written by hand or made by LLVM of local
// arrays: what is written through them has its shadow through the tables' shadows.
// (Seed camp7, program 19593.)
// RG-LEVELS: O0 O1 O2 O3
#include "rgtest.h"
#include <string.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_const;

static double g[4], h[4];
static const double initial[4] = {1, 2, 3, 4};

// LLVM makes it a constant, where it is not written.
static double local(double x, int n) {
  double *t[2] = {g, g + 2};
  t[(n + 1) & 1][0] += x * x;
  return g[2] * x + g[0];
}

struct Row {
  const char *name;
  double *values;
  int count;
};
static const struct Row rows[] = {{"first", g, 4}, {"second", h, 3}};
static const struct Row *const book[] = {&rows[1], &rows[0], &rows[1]};

static double named(double x, int n) {
  double s = 0;
  for (int b = 0; b < 3; ++b) {
    const struct Row *r = book[(b + n) % 3];
    for (int i = 0; i < r->count; ++i)
      r->values[i] = r->values[i] * x + (r->name[0] == 'f');
  }
  for (int i = 0; i < 4; ++i)
    s += g[i] * h[i];
  return s;
}

// In another function, with only one of the table's variables in use.
__attribute__((noinline)) static void scale(double x, int n) { rows[n & 1].values[n] *= x; }
static double called(double x, int n) {
  scale(x, n);
  scale(x * x, n);
  return rows[n & 1].values[n] * x;
}

static double primal(double (*f)(double, int), double x, int n) {
  memcpy(g, initial, sizeof g);
  memcpy(h, initial, sizeof h);
  return f(x, n);
}

#define CHECK(F)                                                                                   \
  static void F##Check(double x, int n) {                                                          \
    memcpy(g, initial, sizeof g), memcpy(h, initial, sizeof h);                                    \
    double r = __enzyme_autodiff((void *)F, x, n);                                                 \
    RG_GRAD(r, primal(F, x, n), x);                                                                \
    memcpy(g, initial, sizeof g), memcpy(h, initial, sizeof h);                                    \
    RG_NEAR(__enzyme_fwddiff((void *)F, x, 1.0, n), r);                                            \
  }
CHECK(local)
CHECK(named)
CHECK(called)

int main(void) {
  for (int n = 0; n < 3; ++n) {
    localCheck(0.7, n);
    namedCheck(0.9, n);
    calledCheck(1.1, n);
  }
  return rgReport();
}
