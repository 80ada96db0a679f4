// RG-LEVELS: O0 O2 O3
// RG-FLAGS: -march=native
// Unions of floats with doubles beside them are passed and returned as doubles that hold two floats each.
#include "rgtest.h"
#include <math.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
int enzyme_dup, enzyme_const;

typedef union {
  struct {
    float x, y, z, w;
  };
  float at[4];
  struct {
    float begin[3];
    float end;
  };
} quaternion;

static quaternion make(float x, float y, float z, float w) {
  quaternion q = {{x, y, z, w}};
  return q;
}
static float dot(quaternion a, quaternion b) {
  return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
static quaternion scale(quaternion a, float by) {
  return make(a.x * by, a.y * by, a.z * by, a.w * by);
}
static quaternion mix(quaternion a, float t, quaternion b) {
  float c = dot(a, b);
  if (c < 0) {
    c = -c;
    b = make(-b.x, -b.y, -b.z, -b.w);
  }
  quaternion l = scale(a, 1 - t * c), r = scale(b, t);
  return make(l.x + r.x, l.y + r.y, l.z + r.z, l.w + r.w);
}
double f(const double *x, int n) {
  quaternion a = make(x[0], x[1], x[2], x[3]), b = make(x[4], x[5], x[6], x[7]);
  quaternion m = mix(a, 0.3f, b), k = mix(b, 0.7f, m);
  return m.x + 2 * m.y * m.z + sinf(k.w) + k.at[1] * k.end;
}

int main(void) {
  for (int sign = -1; sign <= 1; sign += 2) {
    double x[8] = {0.5, 0.25, -0.75, 1, 0.125, 1.5, 0.5, 0.75}, d[8] = {0};
    for (int i = 4; i < 8; ++i)
      x[i] *= sign;
    __enzyme_autodiff((void *)f, enzyme_dup, x, d, enzyme_const, 8);
    for (int i = 0; i < 8; ++i) {
      double v[8] = {0}, h = 1.0 / 64;
      v[i] = 1;
      RG_NEARF(d[i], __enzyme_fwddiff((void *)f, enzyme_dup, x, v, enzyme_const, 8));
      double at = x[i];
      x[i] = at + h;
      double more = f(x, 8);
      x[i] = at - h;
      double less = f(x, 8);
      x[i] = at;
      double apart = (more - less) / (2 * h) - d[i];
      RG_TRUE(apart < 3e-3 && apart > -3e-3);
    }
  }
  return rgReport();
}
