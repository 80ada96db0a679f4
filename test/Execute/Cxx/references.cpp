// References as parameters, results and members; swaps through them; an output by
// reference beside a result.
#include "rgtest.h"
#include <utility>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
int enzyme_dup, enzyme_const, enzyme_out;

static double &larger(double &a, double &b) { return a > b ? a : b; }
static void scale(double &a, const double &by) { a *= by; }
struct View {
  double &Front, &Back;
  double product() const { return Front * Back; }
};

static double f(double x) {
  double a = x, b = 2.0 - x;
  larger(a, b) *= x;
  scale(a, b);
  scale(b, b);
  std::swap(a, b);
  View v{a, b};
  v.Front += v.product();
  const double &alias = a;
  a = a + alias * 0.5;
  return alias * v.Back + v.product();
}
static double inOut(double &x, const double &y, double &&z) {
  x = x * y;
  z += x;
  return x * z;
}

int main() {
  RG_UNARY(f, 0.75);
  RG_UNARY(f, 1.5);
  double x = 2, dx = 1, y = 3, dy = 0, z = 5, dz = 0;
  __enzyme_autodiff((void *)inOut, &x, &dx, &y, &dy, &z, &dz);
  // r = xy (z + xy), with a seed of 1 on the x that comes out.
  RG_NEAR(dx, 3 * (5 + 6) + 6 * 3 + 3);
  RG_NEAR(dy, 2 * (5 + 6) + 6 * 2 + 2);
  RG_NEAR(dz, 6);
  return rgReport();
}
