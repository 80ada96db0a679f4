// Bit-fields, enums, packed and over-aligned structs beside active doubles.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
enum mode { Linear = 1, Square, Cube };
struct settings {
  unsigned on : 1, level : 5;
  enum mode mode : 3;
  double gain;
  _Bool invert;
};
struct __attribute__((packed)) packed { char tag; double value; short n; };
struct aligned { _Alignas(32) double v[2]; char c; };

static double apply(struct settings *s, double x) {
  double r = x;
  if (s->on)
    switch (s->mode) {
    case Linear: r = x * s->gain; break;
    case Square: r = x * x * s->gain; break;
    case Cube: r = x * x * x * s->gain; break;
    }
  s->level++;
  return s->invert ? -r * s->level : r * s->level;
}
static double packed(const struct packed *p, int n) {
  double s = 1;
  for (int i = 0; i < n; ++i)
    s *= p[i].value + p[i].n * p[i].tag;
  return s;
}
static double aligned(const struct aligned *a) { return a[0].v[1] * a[1].v[0] * a[1].c; }

int main(void) {
  double x = 1.5;
  for (int mode = 1; mode < 4; ++mode) {
    struct settings s = {1, 3, (enum mode)mode, 2.0, mode == 2}, d = {0};
    double dx = __enzyme_autodiff((void *)apply, &s, &d, x);
    s.level = 3;
    RG_GRAD(dx, (s.level = 3, apply(&s, x)), x);
    RG_GRAD(d.gain, (s.level = 3, apply(&s, x)), s.gain);
  }
  struct packed p[3] = {{1, 2.0, 1}, {2, 0.5, 3}, {3, 1.5, -1}}, dp[3] = {{0}};
  __enzyme_autodiff((void *)packed, p, dp, 3);
  for (int i = 0; i < 3; ++i)
    RG_GRAD(dp[i].value, packed(p, 3), p[i].value);
  struct aligned a[2] = {{{1, 2}, 3}, {{4, 5}, 6}}, da[2] = {{{0}}};
  __enzyme_autodiff((void *)aligned, a, da);
  RG_NEAR(da[0].v[1], 24);
  RG_NEAR(da[1].v[0], 12);
  return rgReport();
}
