// RG-LEVELS: g
// Functions that only move bytes, called with pointers that nobody else knows
// anything about: the parameters' types as they are declared.
#include "rgtest.h"
void __enzyme_autodiff(void *, ...);

typedef const double *numbers;
struct mixed { double d; int n; float f[3]; struct { char c; double *p; } in; };
static void one(numbers in, double *out) { memcpy(out, in, 8); }
static void pair(const float (*in)[2], float *out) { memcpy(out, in, 8); }
static void structs(const struct mixed *in, struct mixed *out, int n) {
  memcpy(out, in, n * sizeof *in);
}
struct view { double *data; };
static void views(const struct view *in, const struct view *out) {
  memcpy(out->data, in->data, 8);
}

enum what { One, Pair, Structs, Views };
__attribute__((noinline)) static void gradient(enum what w, void *x, void *dx, void *y,
                                               void *dy) {
  switch (w) {
  case One: __enzyme_autodiff((void *)one, x, dx, y, dy); break;
  case Pair: __enzyme_autodiff((void *)pair, x, dx, y, dy); break;
  case Structs: __enzyme_autodiff((void *)structs, x, dx, y, dy, 2); break;
  case Views: __enzyme_autodiff((void *)views, x, dx, y, dy); break;
  }
}
void (*volatile call)(enum what, void *, void *, void *, void *) = gradient;

int main(void) {
  double x = 2, dx = 1, y = 0, dy = 5;
  call(One, &x, &dx, &y, &dy);
  RG_NEAR(y, 2);
  RG_NEAR(dx, 6);
  float f[2] = {1, 2}, df[2] = {0}, h[2], dh[2] = {3, 4};
  call(Pair, f, df, h, dh);
  RG_NEARF(df[0], 3);
  RG_NEARF(df[1], 4);
  struct mixed a[2] = {{1, 2, {3}, {0}}, {4, 5, {6}, {0}}}, da[2] = {0}, b[2];
  struct mixed db[2] = {{1, 7, {2}, {0}}, {3, 8, {4}, {0}}};
  a[1].in.p = &x;
  da[1].in.p = &dx;
  call(Structs, a, da, b, db);
  RG_NEAR(da[0].d, 1);
  RG_NEARF(da[1].f[0], 4);
  RG_TRUE(da[0].n == 0 && b[1].n == 5 && b[1].in.p == &x && db[1].in.p == &dx);
  struct view v = {&x}, dv = {&dx}, w = {&y}, dw = {&dy};
  dy = 2;
  call(Views, &v, &dv, &w, &dw);
  RG_NEAR(dx, 8);
  return rgReport();
}
