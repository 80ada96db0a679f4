// _Float16: storage in half, arithmetic in half or wider. References are
// computed in double, for differences of halves say nothing.
#include "rgtest.h"
float __enzyme_autodiff(float (*)(float), float);
float __enzyme_fwddiff(float (*)(float), float, float);
void __enzyme_autodiff_v(void *, ...);
int enzyme_dup, enzyme_const;

static float square(float x) {
  _Float16 h = (_Float16)x;
  return (float)(h * h);
}
static float mixed(float x) {
  _Float16 h = (_Float16)(x + 1.0f);
  float wide = (float)h * x;
  return wide + (float)(_Float16)2.0f * x;
}
static void scale(const _Float16 *x, _Float16 *y, int n) {
  for (int i = 0; i < n; ++i)
    y[i] = x[i] * (_Float16)4.0f;
}

int main(void) {
  // 0.75 and its square are exact in half precision.
  RG_WITHIN(__enzyme_autodiff(square, 0.75f), 1.5, 2e-3);
  RG_WITHIN(__enzyme_fwddiff(square, 0.75f, 1.0f), 1.5, 2e-3);
  RG_WITHIN(__enzyme_autodiff(mixed, 0.5f), 2 * 0.5 + 1.0 + 2.0, 2e-3);
  RG_WITHIN(__enzyme_fwddiff(mixed, 0.5f, 1.0f), 2 * 0.5 + 1.0 + 2.0, 2e-3);

  _Float16 x[3] = {1, 2, 3}, dx[3] = {0, 0, 0}, y[3], dy[3] = {1, 0.5, -2};
  __enzyme_autodiff_v((void *)scale, enzyme_dup, x, dx, enzyme_dup, y, dy,
                      enzyme_const, 3);
  RG_NEAR(dx[0], 4.0);
  RG_NEAR(dx[1], 2.0);
  RG_NEAR(dx[2], -8.0);
  return rgReport();
}
