// RG-LEVELS: O0 O2 O3
// Rules that the user registers: with a tape, without, forward and reverse, for
// functions with and without a body.
#include "rgtest.h"
#include <math.h>
#include <stdlib.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
int enzyme_const, enzyme_dup, enzyme_width;

int calls;

// No body that the compiler sees.
double cube(double x);
__asm__(".globl cube\n.type cube,@function\ncube: movapd %xmm0, %xmm1\n"
        "mulsd %xmm0, %xmm0\nmulsd %xmm1, %xmm0\nret\n");
void *cube_aug(double x) {
  double *t = malloc(sizeof *t);
  *t = x;
  return t;
}
double cube_rev(double x, double seed, void *tape) {
  double t = *(double *)tape;
  free(tape);
  ++calls;
  return seed * 3 * t * t;
}
struct both {
  double value, tangent;
};
struct both cube_fwd(double x, double dx) {
  ++calls;
  return (struct both){x * x * x, 3 * x * x * dx};
}
void *__enzyme_register_gradient_cube[] = {(void *)cube, (void *)cube_aug, (void *)cube_rev};
void *__enzyme_register_derivative_cube[] = {(void *)cube, (void *)cube_fwd};
double sum(double x) {
  double s = 0;
  for (int i = 0; i < 4; i++)
    s += cube(x + i) * x;
  return s;
}

// A wrong derivative on purpose: it must be the rule that is used.
static double half(double x) { return x / 2; }
static double half_aug(double x) { return x / 2; }
static double half_rev(double x, double seed) { return 7 * seed; }
static double half_fwd(double x, double dx) { return 9 * dx; }
void *__enzyme_register_gradient_half[] = {(void *)half, (void *)half_aug, (void *)half_rev};
void *__enzyme_register_derivative_half[] = {(void *)half, (void *)half_fwd};
double halves(double x) { return half(x) * half(x); }

// Reverse only: forward mode takes the body. The gradient takes no tape and the
// augmented function returns nothing.
static double third(double x) { return x / 3; }
static void third_aug(double x) {}
static double third_rev(double x, double seed) { return 7 * seed; }
void *__enzyme_register_gradient_third[] = {(void *)third, (void *)third_aug, (void *)third_rev};
double thirds(double x) { return third(x) * 2; }

// Memory, with and without a shadow.
static void squares(const double *a, double *b, int n) {
  for (int i = 0; i < n; i++)
    b[i] = a[i] * a[i];
}
static double *squares_aug(const double *a, const double *da, double *b, double *db, int n) {
  squares(a, b, n);
  double *t = malloc(n * sizeof *t);
  for (int i = 0; i < n; i++)
    t[i] = a[i];
  return t;
}
static void squares_rev(const double *a, double *da, double *b, double *db, int n, double *t) {
  ++calls;
  for (int i = 0; i < n; i++) {
    if (da)
      da[i] += 2 * t[i] * db[i];
    db[i] = 0;
  }
  free(t);
}
static void squares_fwd(const double *a, const double *da, double *b, double *db, int n) {
  ++calls;
  squares(a, b, n);
  for (int i = 0; i < n; i++)
    db[i] = da ? 2 * a[i] * da[i] : 0;
}
void *__enzyme_register_gradient_squares[] = {(void *)squares, (void *)squares_aug, (void *)squares_rev};
void *__enzyme_register_derivative_squares[] = {(void *)squares, (void *)squares_fwd};
double weighed(double *x, int n) {
  double y[8], s = 0;
  for (int k = 0; k < 3; k++) {
    squares(x, y, n);
    for (int i = 0; i < n; i++) {
      s += y[i] * (i + 1);
      x[i] = y[i] / (2 + k); // what the rule saw is overwritten
    }
  }
  return s;
}
double weighed_copy(const double *x, int n) {
  double y[8];
  for (int i = 0; i < n; i++)
    y[i] = x[i];
  return weighed(y, n);
}
double with_constant(const double *c, double x) {
  double y[3];
  squares(c, y, 3);
  return (y[0] + y[1] * x + y[2] * x) * cube(x);
}

// Two numbers and a tape that is a number.
static double blend(double a, int k, float b) { return a * b * k; }
struct blend_result {
  double tape, value;
};
static struct blend_result blend_aug(double a, int k, float b) {
  return (struct blend_result){a * k, a * b * k};
}
struct blend_adjoints {
  double da;
  float db;
};
static struct blend_adjoints blend_rev(double a, int k, float b, double seed, double tape) {
  ++calls;
  return (struct blend_adjoints){seed * b * k, (float)(seed * tape)};
}
void *__enzyme_register_gradient_blend[] = {(void *)blend, (void *)blend_aug, (void *)blend_rev};
double blends(double a, float b) { return blend(a, 3, b) * a; }

int main(void) {
  double x = 1.3;
  RG_GRAD(__enzyme_autodiff((void *)sum, x), sum(x), x);
  RG_TRUE(calls == 4);
  RG_GRAD(__enzyme_fwddiff((void *)sum, x, 1.0), sum(x), x);
  RG_TRUE(calls == 8);
  RG_NEAR(__enzyme_autodiff((void *)cube, x), 3 * x * x);
  RG_NEAR(__enzyme_fwddiff((void *)cube, x, 2.0), 6 * x * x);
  RG_NEAR(__enzyme_autodiff((void *)halves, x), 7 * x);
  RG_NEAR(__enzyme_fwddiff((void *)halves, x, 1.0), 9 * x);
  RG_NEAR(__enzyme_autodiff((void *)half, x), 7);
  RG_NEAR(__enzyme_autodiff((void *)thirds, x), 14);
  RG_NEAR(__enzyme_fwddiff((void *)thirds, x, 1.0), 2 / 3.);

  double a[3] = {1, 1.5, 0.75}, da[3] = {0}, one[3];
  calls = 0;
  __enzyme_autodiff((void *)weighed_copy, a, da, 3);
  RG_TRUE(calls == 3);
  for (int i = 0; i < 3; i++) {
    RG_GRAD(da[i], weighed_copy(a, 3), a[i]);
    for (int k = 0; k < 3; k++)
      one[k] = k == i;
    RG_GRAD(__enzyme_fwddiff((void *)weighed_copy, a, one, 3), weighed_copy(a, 3), a[i]);
  }
  RG_GRAD(__enzyme_autodiff((void *)with_constant, enzyme_const, a, x), with_constant(a, x), x);
  RG_GRAD(__enzyme_fwddiff((void *)with_constant, enzyme_const, a, x, 1.0), with_constant(a, x), x);

  float b = 0.7f;
  calls = 0;
  struct adjoints {
    double a;
    float b;
  };
  extern struct adjoints __enzyme_autodiff2(void *, ...);
  struct adjoints d = __enzyme_autodiff2((void *)blends, x, b);
  RG_TRUE(calls == 1);
  RG_GRAD(d.a, blends(x, b), x);
  RG_WITHIN(d.b, 3 * x * x, 1e-5);
  RG_GRAD(__enzyme_fwddiff((void *)blends, x, 1.0, enzyme_const, b), blends(x, b), x);
  return rgReport();
}
