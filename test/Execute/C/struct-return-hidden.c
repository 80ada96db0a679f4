// Forward mode of functions whose result, and whose argument, travel through
// memory that the ABI makes: sret and byval at the entry call itself.
#include "rgtest.h"
typedef struct { double v[3]; } V3;
V3 __enzyme_fwddiff_v3(V3 (*)(double, V3), double, double, V3, V3);
V3 __enzyme_fwddiff_scalar(V3 (*)(double), double, double);

static V3 scaled(double s, V3 v) {
  V3 r = {{s * v.v[0], s * s * v.v[1], v.v[2]}};
  return r;
}
static V3 powers(double x) {
  V3 r = {{x, x * x, x * x * x}};
  return r;
}

int main(void) {
  V3 p = __enzyme_fwddiff_scalar(powers, 2.0, 1.0);
  RG_NEAR(p.v[0], 1);
  RG_NEAR(p.v[1], 4);
  RG_NEAR(p.v[2], 12);
  V3 v = {{1, 2, 3}}, dv = {{0.5, 0, 1}};
  V3 t = __enzyme_fwddiff_v3(scaled, 3.0, 1.0, v, dv);
  RG_NEAR(t.v[0], 1 + 1.5);
  RG_NEAR(t.v[1], 12);
  RG_NEAR(t.v[2], 1);
  return rgReport();
}
