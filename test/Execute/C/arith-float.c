// Single precision throughout: entry calls with exact prototypes, so that
// nothing is promoted to double on the way.
#include "rgtest.h"
float __enzyme_autodiff(float (*)(float), float);
float __enzyme_fwddiff(float (*)(float), float, float);

static float polynomial(float x) { return 3.0f * x * x - 2.0f * x + 1.0f; }
static float rational(float x) { return (x - 1.0f) / (x * x + 1.0f); }
static float chain(float x) {
  float a = x * x, b = a + x, c = b * a;
  return -c / (b + 2.0f);
}

static void check(float (*f)(float), float reverse, float forward, float x) {
  RG_GRAD(reverse, f(x), x);
  RG_GRAD(forward, f(x), x);
}

int main(void) {
  float x = 0.75f;
  check(polynomial, __enzyme_autodiff(polynomial, x),
        __enzyme_fwddiff(polynomial, x, 1.0f), x);
  check(rational, __enzyme_autodiff(rational, x),
        __enzyme_fwddiff(rational, x, 1.0f), x);
  check(chain, __enzyme_autodiff(chain, x), __enzyme_fwddiff(chain, x, 1.0f), x);
  RG_NEARF(__enzyme_autodiff(polynomial, 2.0f), 10.0f);
  RG_NEARF(__enzyme_fwddiff(polynomial, 2.0f, 0.5f), 5.0f);
  return rgReport();
}
