// What the markers about the result make the derivative return, for every kind of
// result: a number, a small and a big struct, a pointer, an integer, nothing.
// RG-LEVELS: O0 O2 O3
#include "rgtest.h"
extern int enzyme_noret, enzyme_const_return, enzyme_active_return, enzyme_dup_return,
    enzyme_primal_return, enzyme_dup, enzyme_const, enzyme_out;
struct two {
  double a, b;
};
struct three {
  double a, b, c;
};
struct six {
  struct three p, t;
};
struct mixed {
  long n;
  double d;
};
struct pointers {
  double *p, *t;
};
double __enzyme_autodiff(void *, ...);
struct two __enzyme_autodiff_two(void *, ...);
struct mixed __enzyme_autodiff_mixed(void *, ...);
void __enzyme_autodiff_void(void *, ...);
double __enzyme_fwddiff(void *, ...);
struct two __enzyme_fwddiff_two(void *, ...);
struct four {
  struct two p, t;
} __enzyme_fwddiff_four(void *, ...);
struct three __enzyme_fwddiff_three(void *, ...);
struct six __enzyme_fwddiff_six(void *, ...);
struct pointers __enzyme_fwddiff_pointers(void *, ...);
double *__enzyme_fwddiff_pointer(void *, ...);
long __enzyme_fwddiff_long(void *, ...);
void __enzyme_fwddiff_void(void *, ...);

static double square(double x) { return x * x; }
static struct two small(double x) { return (struct two){x * x, 3 * x}; }
static struct three big(double x) { return (struct three){x * x, 3 * x, x * x * x}; }
static double *place(double *p, double x) {
  p[1] = x * x;
  return p + 1;
}
static long whole(double *x) {
  *x *= *x;
  return 7;
}
static void nothing(double *x) { *x *= *x; }

int main(void) {
  // Reverse.
  RG_NEAR(__enzyme_autodiff((void *)square, 3.0), 6);
  RG_NEAR(__enzyme_autodiff((void *)square, enzyme_active_return, 3.0), 6);
  RG_NEAR(__enzyme_autodiff((void *)square, enzyme_noret, 3.0), 6);
  RG_NEAR(__enzyme_autodiff((void *)square, enzyme_primal_return, enzyme_noret, 3.0), 6);
  RG_NEAR(__enzyme_autodiff((void *)square, enzyme_const_return, 3.0), 0);
  struct two r = __enzyme_autodiff_two((void *)square, enzyme_primal_return, 3.0);
  RG_NEAR(r.a, 9);
  RG_NEAR(r.b, 6);
  r = __enzyme_autodiff_two((void *)square, 3.0, enzyme_active_return, enzyme_primal_return);
  RG_NEAR(r.a, 9);
  RG_NEAR(r.b, 6);
  r = __enzyme_autodiff_two((void *)square, enzyme_const_return, enzyme_primal_return, 3.0);
  RG_NEAR(r.a, 9);
  RG_NEAR(r.b, 0);
  RG_NEAR(__enzyme_autodiff((void *)square, enzyme_primal_return, enzyme_const, 3.0), 9);
  double x = 3, dx = 1;
  RG_TRUE(__enzyme_fwddiff_long((void *)whole, enzyme_primal_return, &x, &dx) == 7);
  RG_NEAR(dx, 6);
  x = 3, dx = 1;
  __enzyme_autodiff_void((void *)nothing, enzyme_const_return, &x, &dx);
  RG_NEAR(dx, 6);
  x = 3, dx = 1;
  __enzyme_autodiff_void((void *)nothing, enzyme_noret, enzyme_dup, &x, &dx);
  RG_NEAR(dx, 6);

  // Forward.
  RG_NEAR(__enzyme_fwddiff((void *)square, 3.0, 1.0), 6);
  RG_NEAR(__enzyme_fwddiff((void *)square, enzyme_dup_return, 3.0, 1.0), 6);
  RG_NEAR(__enzyme_fwddiff((void *)square, enzyme_const_return, enzyme_primal_return, 3.0, 1.0), 9);
  r = __enzyme_fwddiff_two((void *)square, enzyme_primal_return, enzyme_dup_return, 3.0, 1.0);
  RG_NEAR(r.a, 9);
  RG_NEAR(r.b, 6);
  r = __enzyme_fwddiff_two((void *)square, 3.0, 1.0, enzyme_primal_return);
  RG_NEAR(r.a, 9);
  r = __enzyme_fwddiff_two((void *)small, enzyme_dup_return, 3.0, 1.0);
  RG_NEAR(r.a, 6);
  RG_NEAR(r.b, 3);
  r = __enzyme_fwddiff_two((void *)small, enzyme_const_return, enzyme_primal_return, 3.0, 1.0);
  RG_NEAR(r.a, 9);
  RG_NEAR(r.b, 9);
  struct four q = __enzyme_fwddiff_four((void *)small, enzyme_primal_return, 3.0, 1.0);
  RG_NEAR(q.p.a, 9);
  RG_NEAR(q.t.a, 6);
  RG_NEAR(q.t.b, 3);
  struct three t = __enzyme_fwddiff_three((void *)big, 3.0, 1.0);
  RG_NEAR(t.c, 27);
  t = __enzyme_fwddiff_three((void *)big, enzyme_const_return, enzyme_primal_return, 2.0, 1.0);
  RG_NEAR(t.c, 8);
  struct six s = __enzyme_fwddiff_six((void *)big, enzyme_primal_return, enzyme_dup_return, 2.0, 1.0);
  RG_NEAR(s.p.c, 8);
  RG_NEAR(s.t.c, 12);
  double m[2] = {0}, dm[2] = {0};
  double *at = __enzyme_fwddiff_pointer((void *)place, enzyme_dup_return, m, dm, 3.0, 1.0);
  RG_TRUE(at == dm + 1);
  RG_NEAR(*at, 6);
  struct pointers both = __enzyme_fwddiff_pointers((void *)place, enzyme_primal_return, m, dm, 3.0, 1.0);
  RG_TRUE(both.p == m + 1 && both.t == dm + 1);
  at = __enzyme_fwddiff_pointer((void *)place, enzyme_const_return, enzyme_primal_return, m, dm, 3.0, 1.0);
  RG_TRUE(at == m + 1);
  x = 3, dx = 1;
  __enzyme_fwddiff_void((void *)nothing, enzyme_const_return, &x, &dx);
  RG_NEAR(dx, 6);
  return rgReport();
}
