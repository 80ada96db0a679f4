// __enzyme_error_estimate: |partial| times the operand's error, and half a unit in
// the last place per rounded operation. Against the model by hand, and against the
// true error in higher precision, which must not be larger.
// RG-LEVELS: O0 O2 O3
#include "rgtest.h"
#include <math.h>
extern int enzyme_dup, enzyme_const, enzyme_primal_return;
double __enzyme_error_estimate(void *, ...);
float __enzyme_error_estimate_f(void *, ...);
struct two {
  double value, error;
} __enzyme_error_estimate_two(void *, ...);
void __enzyme_error_estimate_void(void *, ...);
#define U 0x1p-53

static double cosine(double x) { return cos(x); }
// (1 - cos x) / x^2: cancellation.
static double cancels(double x) { return (1 - cos(x)) / (x * x); }
static double moves(double x, double y) { return x > y ? -fabs(x) : fmax(y, 0.0); }
static double sum(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += x[i];
  return s;
}
__attribute__((noinline)) static double power(double x, int n) { return n ? x * power(x, n - 1) : 1.0; }
// May be one fused operation and is two where the machine has none.
static double productAndSum(double x, double y) { return x * y + y; }
static double calls(double x) { return power(x, 5) - x; }
static float single(float x) { return x * x; }
static float narrowed(double x) { return (float)x; }
static void scale(double *out, const double *in) {
  out[0] = in[0] * 3;
  out[1] = -in[1];
}

static void close(double got, double want) { RG_TRUE(fabs(got - want) <= 1e-6 * want + 1e-300); }

int main(void) {
  close(__enzyme_error_estimate((void *)cosine, 1e-7, 0.0), U);
  double x = 0.3, e = 1e-10;
  close(__enzyme_error_estimate((void *)cosine, x, e), sin(x) * e + U * cos(x));
  close(__enzyme_error_estimate((void *)cosine, x, -e), sin(x) * e + U * cos(x));

  // Amplified by the division: the result is about 0.5, its error a percent.
  struct two c = __enzyme_error_estimate_two((void *)cancels, enzyme_primal_return, 1e-7, 0.0);
  RG_TRUE(fabs(c.value - 0.5) <= c.error);
  close(c.error, U / 1e-14);
  for (double t = 1e-6; t < 1; t *= 3) {
    long double s = sinl((long double)t / 2), exact = 2 * s * s / ((long double)t * t);
    c = __enzyme_error_estimate_two((void *)cancels, enzyme_primal_return, t, 0.0);
    RG_TRUE(fabsl(c.value - exact) <= c.error);
  }

  // What is not rounded adds nothing.
  RG_TRUE(__enzyme_error_estimate((void *)moves, 2.0, 1e-9, 1.0, 1e-8) == 1e-9);
  RG_TRUE(__enzyme_error_estimate((void *)moves, 0.0, 1e-9, 1.0, 1e-8) == 1e-8);

  double a[4] = {1, 2, 4, 8}, ea[4] = {0, 0, 0, 1e-12};
  close(__enzyme_error_estimate((void *)sum, enzyme_dup, a, ea, 4), 1e-12 + U * (1 + 3 + 7 + 15));
  RG_TRUE(a[3] == 8);

  double p = 1.25 * 0.75, contracted = U * (p + (p + 0.75));
  close(__enzyme_error_estimate((void *)productAndSum, 1.25, 0.0, 0.75, 0.0), contracted);

  long double exact = powl(1.1, 5) - 1.1;
  struct two k = __enzyme_error_estimate_two((void *)calls, enzyme_primal_return, 1.1, 0.0);
  RG_TRUE(fabsl(k.value - exact) <= k.error && k.error < 20 * U);

  RG_TRUE(fabs(__enzyme_error_estimate_f((void *)single, 3.0f, 0.0f) / (9 * 0x1p-24) - 1) < 1e-6);
  RG_TRUE(fabs(__enzyme_error_estimate_f((void *)narrowed, 0.1, 0.0) / (0.1 * 0x1p-24) - 1) < 1e-6);

  double in[2] = {0.1, 5}, ein[2] = {0, 1e-9}, out[2], eout[2] = {0, 0};
  __enzyme_error_estimate_void((void *)scale, enzyme_dup, out, eout, enzyme_dup, in, ein);
  close(eout[0], U * out[0]);
  RG_TRUE(fabs(eout[1]) == 1e-9);
  return rgReport();
}
