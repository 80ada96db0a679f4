// Members that are filled or moved by address, beside arrays of other formats that are used by an index of unknown
// range: what the filling call names decides what lies there.
// RG-LEVELS: O0 O1 O2
#include "rgtest.h"
#include <string.h>
void __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_const;

struct S {
  double a[3];
  long double b[4];
  double c;
  long double d;
};
static double filled(struct S *s, int n) {
  double x = s->b[n & 3];
  memset((s + 1)->a, 0, sizeof s->a);
  return x + (s + 1)->a[n & 1] * x;
}
struct T {
  int i;
  float a[2];
  double b;
  long double c, d[4];
  double e;
};
static double moved(struct T *t, int n) {
  (t + 1)->a[(n + 2) & 1] -= 0.5f * t->e;
  memmove(t->d, (t + 1)->d, 3 * sizeof *t->d);
  return t->d[n & 1] * t->d[2];
}
// What is left of the fill when a part of it is stored over.
static double cut(struct S *s, int n) {
  double x = s->b[n & 3];
  memset((s + 1)->a, 0, sizeof s->a);
  (s + 1)->a[0] = x * x;
  return x + (s + 1)->a[0];
}

int main(void) {
  struct S s[2] = {0}, ds[2] = {0};
  s[0].b[1] = 3;
  for (int i = 0; i < 3; ++i)
    ds[1].a[i] = 1 + i;
  ds[1].c = 5;
  __enzyme_autodiff((void *)filled, s, ds, enzyme_const, 1);
  for (int i = 0; i < 3; ++i)
    RG_NEAR(ds[1].a[i], 0);
  RG_NEAR(ds[0].b[1], 1);
  RG_NEAR(ds[1].c, 5);
  memset(ds, 0, sizeof ds);
  for (int i = 0; i < 3; ++i)
    ds[1].a[i] = 1 + i;
  __enzyme_autodiff((void *)cut, s, ds, enzyme_const, 1);
  for (int i = 0; i < 3; ++i)
    RG_NEAR(ds[1].a[i], 0);
  RG_NEAR(ds[0].b[1], 1 + 6 + 6); // 2 * 3, and what the caller's shadow of a[0] asks for
  memset(ds, 0, sizeof ds);
  ds[0].b[1] = 1;
  ds[1].a[1] = 7;
  RG_NEAR(__enzyme_fwddiff((void *)cut, s, ds, enzyme_const, 1), 7);
  RG_NEAR(ds[1].a[0], 6);
  RG_NEAR(ds[1].a[1], 0);

  struct T t[2] = {0}, dt[2] = {0};
  t[0].e = 2;
  for (int i = 0; i < 4; ++i) {
    t[1].d[i] = 2 + i;
    dt[0].d[i] = 10 + i;
  }
  dt[1].a[1] = 3;
  dt[1].d[3] = 1;
  __enzyme_autodiff((void *)moved, t, dt, enzyme_const, 1);
  RG_NEAR(dt[1].a[1], 3);
  RG_NEAR(dt[0].e, -1.5);
  RG_NEAR(dt[1].d[0], 10);
  RG_NEAR(dt[1].d[1], 11 + 4);
  RG_NEAR(dt[1].d[2], 12 + 3);
  RG_NEAR(dt[1].d[3], 1);
  RG_NEAR(dt[0].d[0], 0);
  RG_NEAR(dt[0].d[3], 13);
  return rgReport();
}
