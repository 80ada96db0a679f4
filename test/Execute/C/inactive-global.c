// Numbers that pass through the name of an inactive global carry no derivative, in any
// mode and at any level, whether or not they pass through memory.
// RG-LEVELS: O0 O1 O2 O3 g
#include "rgtest.h"
#include <math.h>
extern int enzyme_dup, enzyme_const, enzyme_out;
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
void *__enzyme_augmentfwd(void *, ...);
double __enzyme_reverse(void *, ...);

double scale = 2;
static double kept;
static float single;
static struct { int n; double sum, table[4]; } stats;
double active;
void *__enzyme_inactive_global_all[] = {&scale, &kept, &single, &stats};
__attribute__((annotate("enzyme_inactive"))) double annotated;

// Written and read by name: the optimiser forwards it.
static double through(double x) {
  kept = x * x;
  return kept * x;
}
static double through_float(float x) {
  single = x * 3;
  return single * x;
}
static double through_annotated(double x) {
  annotated = x;
  annotated += x * x;
  return annotated * x;
}
// Another global keeps its derivative.
static double beside(double x) {
  active = x * x;
  kept = active;
  return active * x * scale + kept;
}
// Members and elements; sums over a loop; a callee.
__attribute__((noinline)) static void note(double x) {
  stats.sum += x;
  stats.table[stats.n++ % 4] = x * x;
}
static double noted(const double *x, int n) {
  double s = 0;
  stats.n = 0;
  stats.sum = 0;
  for (int i = 0; i < n; ++i) {
    note(x[i]);
    s += x[i] * stats.sum + stats.table[i % 4];
  }
  return s;
}

int main(void) {
  double x = 1.3;
  RG_NEAR(__enzyme_autodiff((void *)through, enzyme_out, x), x * x);
  RG_NEAR(__enzyme_fwddiff((void *)through, enzyme_dup, x, 1.0), x * x);
  RG_NEAR(__enzyme_reverse((void *)through, x, 1.0, __enzyme_augmentfwd((void *)through, x)), x * x);
  RG_NEARF(__enzyme_fwddiff((void *)through_float, enzyme_dup, (float)x, (float)1), 3 * x);
  RG_NEAR(__enzyme_autodiff((void *)through_annotated, enzyme_out, x), x + x * x);
  RG_NEAR(__enzyme_fwddiff((void *)through_annotated, enzyme_dup, x, 1.0), x + x * x);
  RG_NEAR(__enzyme_autodiff((void *)beside, enzyme_out, x), 3 * x * x * 2);
  RG_NEAR(__enzyme_fwddiff((void *)beside, enzyme_dup, x, 1.0), 3 * x * x * 2);
  double y[3] = {1, 2, 3}, d[3] = {0}, sum = 0;
  __enzyme_autodiff((void *)noted, enzyme_dup, y, d, enzyme_const, 3);
  for (int i = 0; i < 3; ++i) {
    double t[3] = {0};
    t[i] = 1;
    RG_NEAR(d[i], sum += y[i]);
    RG_NEAR(__enzyme_fwddiff((void *)noted, enzyme_dup, y, t, enzyme_const, 3), sum);
  }
  RG_NEAR(through(x), x * x * x); // the values are what they were
  RG_NEAR(kept, x * x);
  return rgReport();
}
int enzyme_dup, enzyme_const, enzyme_out;
