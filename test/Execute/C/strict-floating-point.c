// Strict floating point: arithmetic, conversions, comparisons and functions are calls of
// constrained intrinsics. Every derivative is that of the same operations elsewhere.
// RG-LEVELS: O0 O1 O2 O3
// RG-FLAGS: -ffp-model=strict
#include "rgtest.h"
#include <math.h>

typedef double two __attribute__((vector_size(16)));
typedef float four __attribute__((vector_size(16)));

double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
void __enzyme_autodiff_void(void *, ...);
void __enzyme_fwddiff_void(void *, ...);
void *__enzyme_augmentfwd(void *, ...);
void __enzyme_reverse(void *, ...);
int enzyme_dup, enzyme_width, enzyme_tape;

static double arithmetic(const double *x) {
  double a = x[0] * x[1];
  return a * a - x[0] / x[1] + fmod(x[0], 0.3) - -x[1] * 3;
}

static double functions(const double *x) {
  double a = x[0], b = x[1];
  return sin(a) * cos(b) + tan(a * 0.3) + asin(a * 0.1) * acos(b * 0.1) + atan(a) * atan2(a, b) + sinh(b) -
         cosh(a) + tanh(b) + exp(a * 0.2) + exp2(b) + log(b) * log2(a) * log10(b) + pow(a, b) + sqrt(a * b) +
         fma(a, b, a) + fmax(a, b) * fmin(a, b) + cbrt(a) + hypot(a, b) + fabs(b - 3 * a) +
         copysign(a, -b) + ldexp(a, 3) + __builtin_powi(b, 3);
}

// What ends derivatives.
static double steps(const double *x) {
  long n = lrint(x[0] * 10) + lround(x[1]) + llrint(x[0]) + (long)(x[1] * 3);
  unsigned u = (unsigned)(x[0] * 4);
  double s = floor(x[0]) + ceil(x[1]) + trunc(x[0]) + rint(x[1]) + nearbyint(x[0]) + round(x[1]);
  return x[0] * s + x[1] * (double)n + x[0] * x[1] * (double)u;
}

static double branches(const double *x) {
  double s = x[0] > x[1] ? x[0] * x[0] : x[1] / x[0];
  if (x[0] == 0.7)
    s += x[1] * x[1];
  return s < 100 ? s * 2 : x[0];
}

static double mixed(const double *x) {
  float a = (float)x[0], b = (float)x[1];
  long double c = (long double)a * x[1] + sqrtf(b) * powf(a, b);
  return (double)(c * c) + (double)(a * b);
}

static double vectors(const double *x) {
  two a = {x[0], x[1]}, b = {x[1], x[0] + 2};
  two c = a * b - a / b + (two){2, 3} * a;
  four f = {(float)x[0], (float)x[1], 2, 3};
  f = f * f + f;
  return c[0] * c[1] + f[0] * f[1];
}

__attribute__((noinline)) static double callee(const double *x, int n) {
  return n == 0 ? x[0] : sin(callee(x, n - 1)) * x[1] + x[0] * x[0];
}

// Values that the reverse sweep needs, of a loop that keeps some and repeats others.
static double loops(const double *x) {
  double s = 1, t[8];
  for (int i = 0; i < 8; ++i) {
    s = s * x[0] + exp(s * 0.1) * x[1] * i;
    s = s / (1 + s * s);
    t[i] = s * x[i & 1];
  }
  double e = callee(x, 3);
  for (int i = 0; i < 8; ++i)
    e += t[i] * t[7 - i];
  return e;
}

struct pair {
  double value, other;
};
static struct pair both(const double *x) {
  return (struct pair){x[0] * x[1], x[0] / x[1]};
}
static double structs(const double *x) {
  struct pair p = both(x);
  return p.value * p.other + p.value;
}

// All pointers: for lanes, split mode and second derivatives.
static void outputs(const double *x, double *out) {
  out[0] = arithmetic(x) + loops(x);
  out[1] = branches(x) * mixed(x);
}
static void hessian_of(const double *x, double *out) { *out = functions(x) * loops(x); }
static void gradient_of(const double *x, double *dx) {
  double out = 0, seed = 1;
  __enzyme_autodiff_void((void *)hessian_of, enzyme_dup, x, dx, enzyme_dup, &out, &seed);
}

#define CHECK(f)                                                                                  \
  do {                                                                                            \
    double x[2] = {0.7, 1.9}, d[2] = {0, 0};                                                      \
    __enzyme_autodiff((void *)f, enzyme_dup, x, d);                                               \
    for (int k = 0; k < 2; ++k) {                                                                 \
      double v[2] = {k == 0, k == 1};                                                             \
      RG_WITHIN(__enzyme_fwddiff((void *)f, enzyme_dup, x, v), d[k], 1e-12);                      \
    }                                                                                             \
    RG_GRADS(d, f(x), x, 2);                                                                      \
  } while (0)

int main(void) {
  CHECK(arithmetic);
  CHECK(functions);
  CHECK(steps);
  CHECK(branches);
  CHECK(loops);
  CHECK(structs);

  // Numbers in float: against the same function in other steps.
  double x[2] = {0.7, 1.9}, d[2] = {0, 0};
  __enzyme_autodiff((void *)mixed, enzyme_dup, x, d);
  for (int k = 0; k < 2; ++k) {
    double v[2] = {k == 0, k == 1};
    RG_WITHIN(__enzyme_fwddiff((void *)mixed, enzyme_dup, x, v), d[k], 1e-5);
  }
  {
    double a = x[0], b = x[1], c = a * b + sqrt(b) * pow(a, b);
    RG_NEARF(d[0], 2 * c * (b + sqrt(b) * b * pow(a, b - 1)) + b);
    RG_NEARF(d[1], 2 * c * (a + pow(a, b) * (0.5 / sqrt(b) + sqrt(b) * log(a))) + a);
  }
  d[0] = d[1] = 0;
  __enzyme_autodiff((void *)vectors, enzyme_dup, x, d);
  for (int k = 0; k < 2; ++k) {
    double v[2] = {k == 0, k == 1};
    RG_WITHIN(__enzyme_fwddiff((void *)vectors, enzyme_dup, x, v), d[k], 1e-5);
    double h = 1e-2, up[2] = {x[0], x[1]}, down[2] = {x[0], x[1]};
    up[k] += h, down[k] -= h;
    RG_WITHIN((vectors(up) - vectors(down)) / (2 * h), d[k], 2e-3);
  }

  // Two lanes at once, both modes.
  double out[2], dx[2][2] = {{0}}, seeds[2][2] = {{1, 0}, {0, 1}};
  double tx[2][2] = {{1, 0}, {0, 1}}, tout[2][2];
  __enzyme_autodiff_void((void *)outputs, enzyme_width, 2, enzyme_dup, x, dx[0], dx[1], enzyme_dup, out,
                         seeds[0], seeds[1]);
  __enzyme_fwddiff_void((void *)outputs, enzyme_width, 2, enzyme_dup, x, tx[0], tx[1], enzyme_dup, out,
                        tout[0], tout[1]);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      RG_WITHIN(dx[i][j], tout[j][i], 1e-6);

  // Split mode.
  double one[2] = {1, 0}, split[2] = {0, 0};
  void *tape = __enzyme_augmentfwd((void *)outputs, enzyme_dup, x, split, enzyme_dup, out, one);
  __enzyme_reverse((void *)outputs, enzyme_dup, x, split, enzyme_dup, out, one, enzyme_tape, tape);
  for (int j = 0; j < 2; ++j)
    RG_WITHIN(split[j], dx[0][j], 1e-12);

  // Second derivatives: the tangent of a gradient against differences of it.
  for (int k = 0; k < 2; ++k) {
    double v[2] = {k == 0, k == 1}, g[2] = {0, 0}, h[2] = {0, 0};
    __enzyme_fwddiff_void((void *)gradient_of, enzyme_dup, x, v, enzyme_dup, g, h);
    for (int j = 0; j < 2; ++j) {
      double w[2];
      RG_GRAD(h[j], (w[0] = w[1] = 0, gradient_of(x, w), w[j]), x[k]);
    }
  }
  return rgReport();
}
