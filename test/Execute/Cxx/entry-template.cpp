// RG-LEVELS: O0 O1 O2 O3 Os fast g
// The entry calls as variadic templates, whose mangled names contain the entry
// name: explicit result, deduced arguments, struct results.
#include "rgtest.h"

template <typename Return, typename... T>
Return __enzyme_autodiff(void *, T...);
template <typename Return, typename... T>
Return __enzyme_fwddiff(void *, T...);
extern int enzyme_dup, enzyme_const, enzyme_out;
int enzyme_dup, enzyme_const, enzyme_out;

static double cube(double x) { return x * x * x; }
static float cubef(float x) { return x * x * x; }
static double mix(double x, double y, int n) { return x * x * y * n; }
static double sum(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += x[i] * x[i];
  return s;
}
static double counted(double x, int twice, long n) { return (twice ? 2 : 1) * x * n; }
struct Two {
  double x, y;
};

int main() {
  RG_NEAR(__enzyme_autodiff<double>((void *)cube, 2.0), 12);
  RG_NEAR(__enzyme_fwddiff<double>((void *)cube, 2.0, 0.5), 6);
  RG_NEARF(__enzyme_autodiff<float>((void *)cubef, 2.0f), 12);
  RG_NEARF(__enzyme_fwddiff<float>((void *)cubef, 2.0f, 1.0f), 12);
  Two g = __enzyme_autodiff<Two>((void *)mix, 2.0, 3.0, 5);
  RG_NEAR(g.x, 60);
  RG_NEAR(g.y, 20);
  RG_NEAR(__enzyme_autodiff<double>((void *)mix, enzyme_const, 2.0, enzyme_out,
                                    3.0, enzyme_const, 5),
          20);
  // A truth value where the function takes a wider integer.
  RG_NEAR(__enzyme_autodiff<double>((void *)counted, 2.0, g.x > 1, g.y > 1), 2);
  RG_NEAR(__enzyme_fwddiff<double>((void *)counted, 2.0, 1.0, g.x < 1, true), 1);
  double x[3] = {1, 2, 3}, d[3] = {0, 0, 0};
  __enzyme_autodiff<void>((void *)sum, enzyme_dup, x, d, enzyme_const, 3);
  for (int i = 0; i < 3; ++i)
    RG_NEAR(d[i], 2 * x[i]);
  return rgReport();
}
