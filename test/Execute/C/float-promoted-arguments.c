// A float argument given through `...` arrives as a double; the derivative is
// still that of the float function.
#include "rgtest.h"
float __enzyme_autodiff(void *, ...);
float __enzyme_fwddiff(void *, ...);
int enzyme_const, enzyme_out;

static float f(float x, float y) { return x * x * y + y; }

int main(void) {
  float x = 1.5f, y = -2.0f;
  RG_NEARF(__enzyme_autodiff((void *)f, enzyme_out, x, enzyme_const, y), -6.0);
  RG_NEARF(__enzyme_autodiff((void *)f, enzyme_const, x, enzyme_out, y), 3.25);
  RG_NEARF(__enzyme_fwddiff((void *)f, x, 1.0f, y, 0.0f), -6.0);
  RG_NEARF(__enzyme_fwddiff((void *)f, x, 1.0f, y, 1.0f), -2.75);
  return rgReport();
}
