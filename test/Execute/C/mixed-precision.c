// RG-LEVELS: O0 O1 O2 O3 Os fast g
// float, double and long double in one function: fpext and fptrunc carry
// adjoints through, in both directions and inside a loop.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
void __enzyme_autodiff_v(void *, ...);
int enzyme_dup, enzyme_const;

static double accumulate(const float *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += (double)x[i] * x[i];
  return sum;
}
static double three(double x) {
  float narrow = (float)x * 2.0f;
  long double wide = (long double)narrow * x;
  return (double)(wide * narrow);
}

int main(void) {
  float x[4] = {0.5f, -1.5f, 2.0f, 0.25f}, dx[4] = {0};
  __enzyme_autodiff((void *)accumulate, x, dx, 4);
  for (int i = 0; i < 4; ++i)
    RG_NEARF(dx[i], 2 * x[i]);
  float v[4] = {1, 2, -1, 0.5f};
  double tangent = __enzyme_fwddiff((void *)accumulate, x, v, 4);
  RG_NEARF(tangent, 1.0 - 6.0 - 4.0 + 0.25);
  // 4 x^3, up to the rounding of the float in the middle.
  RG_WITHIN(__enzyme_autodiff((void *)three, 1.5), 12 * 1.5 * 1.5, 1e-5);
  RG_WITHIN(__enzyme_fwddiff((void *)three, 1.5, 1.0), 12 * 1.5 * 1.5, 1e-5);
  return rgReport();
}
