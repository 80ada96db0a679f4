// RG-LEVELS: O0 O2 O3
// Values and single calls that carry no derivative.
#include "rgtest.h"
#include <math.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
double __enzyme_ignore_derivatives(double);
double __enzyme_call_inactive(void *, ...);
void __enzyme_call_inactive_v(void *, ...);

double stopped(double x) { return x * __enzyme_ignore_derivatives(x * x) + x; }

double square(double x) { return x * x; }
static int notes;
static void note(const double *x, int n) { notes += n; }
double inactive_call(double x) {
  __enzyme_call_inactive_v((void *)note, &x, 1);
  return x * __enzyme_call_inactive((void *)square, x);
}

int main(void) {
  double x = 1.3;
  RG_NEAR(stopped(x), x * x * x + x);
  RG_NEAR(__enzyme_autodiff((void *)stopped, x), x * x + 1);
  RG_NEAR(__enzyme_fwddiff((void *)stopped, x, 1.0), x * x + 1);
  RG_NEAR(inactive_call(x), x * x * x);
  RG_NEAR(__enzyme_autodiff((void *)inactive_call, x), x * x);
  RG_NEAR(__enzyme_fwddiff((void *)inactive_call, x, 1.0), x * x);
  RG_TRUE(notes == 3);
  return rgReport();
}
