// RG-LEVELS: O0 O2 O3
// __enzyme_batch: f itself at several arguments. Lanes branch and loop each in
// its own way; a batch inside of a differentiated function has derivatives.
#include "rgtest.h"
#include <math.h>

extern int enzyme_scalar, enzyme_vector, enzyme_buffer, enzyme_width, enzyme_const;
typedef struct { double v[4]; } Four;
typedef struct { double x, y; } Pair;
typedef struct { Pair v[2]; } TwoPairs;
typedef struct { double a[5]; } Big;
typedef struct { Big v[2]; } TwoBigs;
Four __enzyme_batch(void *, ...);
TwoPairs __enzyme_batch_pairs(void *, ...);
TwoBigs __enzyme_batch_bigs(void *, ...);
void __enzyme_batch_void(void *, ...);
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

static double steps(double scale, double x) {
  double s = 0;
  for (int i = 0; i < (x > 1 ? 7 : 3); ++i)
    s = s > 2 ? s - x : s + scale * x * x;
  return s;
}
static double sum(const double *p, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += p[i] * (i + 1);
  return s;
}
static void store(double *to, double x) { *to = x * x; }
static Pair swapped(Pair p) { return (Pair){p.y, p.x}; }
static Big shifted(Big b, double by) {
  for (int i = 0; i < 5; ++i)
    b.a[i] += by;
  return b;
}
static double batched(double x, double y) {
  Four r = __enzyme_batch((void *)steps, enzyme_width, 4, enzyme_scalar, x, enzyme_vector, y, y + 1,
                          x * y, 0.5);
  return r.v[0] * r.v[1] + r.v[2] - 2 * r.v[3];
}

int main(void) {
  Four r = __enzyme_batch((void *)steps, enzyme_width, 4, enzyme_scalar, 0.5, enzyme_vector, 0.25,
                          0.75, 1.5, 3.0);
  const double at[4] = {0.25, 0.75, 1.5, 3.0};
  for (int i = 0; i < 4; ++i)
    RG_TRUE(r.v[i] == steps(0.5, at[i]));
  double m[4][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {-1, -2, -3}};
  r = __enzyme_batch((void *)sum, enzyme_width, 4, enzyme_buffer, sizeof m[0], m, enzyme_scalar, 3);
  for (int i = 0; i < 4; ++i)
    RG_TRUE(r.v[i] == sum(m[i], 3));
  double out[2] = {0, 0};
  // A vector is what has no marker.
  __enzyme_batch_void((void *)store, enzyme_width, 2, enzyme_vector, &out[1], &out[0], 3.0, 5.0);
  RG_TRUE(out[1] == 9 && out[0] == 25);
  Pair p = {1, 2}, q = {3, 4};
  TwoPairs t = __enzyme_batch_pairs((void *)swapped, enzyme_width, 2, enzyme_vector, p, q);
  RG_TRUE(t.v[0].x == 2 && t.v[0].y == 1 && t.v[1].x == 4 && t.v[1].y == 3);
  Big b = {{1, 2, 3, 4, 5}}, c = {{10, 20, 30, 40, 50}};
  TwoBigs u = __enzyme_batch_bigs((void *)shifted, enzyme_width, 2, enzyme_vector, b, c,
                                  enzyme_scalar, 0.5);
  for (int i = 0; i < 5; ++i)
    RG_TRUE(u.v[0].a[i] == b.a[i] + 0.5 && u.v[1].a[i] == c.a[i] + 0.5);
  double x = 0.5, y = 0.75;
  RG_GRAD(__enzyme_autodiff((void *)batched, x, enzyme_const, y), batched(x, y), x);
  RG_GRAD(__enzyme_autodiff((void *)batched, enzyme_const, x, y), batched(x, y), y);
  RG_GRAD(__enzyme_fwddiff((void *)batched, x, 1.0, enzyme_const, y), batched(x, y), x);
  return rgReport();
}
