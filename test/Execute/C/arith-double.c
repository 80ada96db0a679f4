// RG-LEVELS: O0 O1 O2 O3 Os fast g
// The four operations and negation on doubles, with constants on either side
// and operands used more than once.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
int enzyme_out, enzyme_const;

static double sum(double x) { return x + 3.0 + x; }
static double difference(double x) { return 5.0 - x - (x - 2.0); }
static double product(double x) { return x * 7.0 * x * x; }
static double quotient(double x) { return (x * x - 3.0) / (x + 2.0); }
static double reciprocal(double x) { return 1.0 / x; }
static double negated(double x) { return -x * -(x + 1.0); }
static double unused(double x) { return x * 0.0 + 4.0; }
static double both(double x, double y) { return x * y - y / x + x; }

int main(void) {
  RG_UNARY(sum, 1.25);
  RG_UNARY(difference, 1.25);
  RG_UNARY(product, -1.5);
  RG_UNARY(quotient, 0.75);
  RG_UNARY(reciprocal, -0.5);
  RG_UNARY(negated, 2.0);
  RG_UNARY(unused, 2.0);
  RG_NEAR(__enzyme_autodiff((void *)sum, 1.25), 2.0);
  RG_NEAR(__enzyme_autodiff((void *)product, -1.5), 21.0 * 1.5 * 1.5);
  RG_NEAR(__enzyme_autodiff((void *)reciprocal, -0.5), -4.0);

  double x = 1.5, y = -2.5;
  RG_GRAD(__enzyme_autodiff((void *)both, enzyme_out, x, enzyme_const, y),
          both(x, y), x);
  RG_GRAD(__enzyme_autodiff((void *)both, enzyme_const, x, enzyme_out, y),
          both(x, y), y);
  RG_GRAD(__enzyme_fwddiff((void *)both, x, 1.0, y, 0.0), both(x, y), x);
  RG_GRAD(__enzyme_fwddiff((void *)both, x, 0.0, y, 1.0), both(x, y), y);
  return rgReport();
}
