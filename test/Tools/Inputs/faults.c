/* Planted faults, one per macro: what users do to derivatives, and functions that have none. */
#include <math.h>
#include <stdlib.h>

/* Rules of the user's. */
static double cube(double x) { return x * x * x; }
static double cube_aug(double x) { return x * x * x; }
static double cube_rev(double x, double seed) { /* line 8 */
#if FAULT == 1
  return -3 * x * x * seed; /* sign */
#elif FAULT == 2
  return 3 * x * seed; /* a power too few */
#elif FAULT == 3
  return 3 * x * x; /* the seed forgotten */
#else
  return 3 * x * x * seed;
#endif
}
void *__enzyme_register_gradient_cube[] = {(void *)cube, (void *)cube_aug, (void *)cube_rev};

struct both { double value, tangent; };
static double root(double x) { return sqrt(x + 1); }
static struct both root_fwd(double x, double dx) { /* line 23 */
  struct both r = {sqrt(x + 1), dx / (2 * sqrt(x + 1))};
#if FAULT == 4
  r.tangent *= 2;
#endif
  return r;
}
void *__enzyme_register_derivative_root[] = {(void *)root, (void *)root_fwd};

static double blend(double a, double b) { return a * a * b; }
static double blend_aug(double a, double b) { return a * a * b; }
static struct both blend_rev(double a, double b, double seed) { /* line 34 */
#if FAULT == 5
  return (struct both){a * a * seed, 2 * a * b * seed}; /* exchanged */
#else
  return (struct both){2 * a * b * seed, a * a * seed};
#endif
}
void *__enzyme_register_gradient_blend[] = {(void *)blend, (void *)blend_aug, (void *)blend_rev};

static double total(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += x[i] * x[i];
  return s;
}
static double total_aug(const double *x, double *dx, int n) { return total(x, n); }
static void total_rev(const double *x, double *dx, int n, double seed) { /* line 50 */
  for (int i = 0; i < n; ++i)
#if FAULT == 6
    dx[i] = 2 * x[i] * seed; /* overwritten instead of added */
#elif FAULT == 7
    dx[i] += i ? 2 * x[i] * seed : 0; /* the first one forgotten */
#else
    dx[i] += 2 * x[i] * seed;
#endif
}
void *__enzyme_register_gradient_total[] = {(void *)total, (void *)total_aug, (void *)total_rev};

static double damped(double x) { return exp(-x * x); } /* line 62 */
#if FAULT == 8
void *__enzyme_inactivefn_damped[] = {(void *)damped};
#endif

/* Not differentiable. */
static double coarse(double x) {
#if FAULT == 9
  return (int)(x * 1e7) * 1e-7; /* line 70 */
#elif FAULT == 10
  return round(x * 1e7) * 1e-7; /* line 72 */
#else
  return x;
#endif
}
static double kinked(double x) {
#if FAULT == 11
  double s = 0;
  for (int i = 0; i < 2000; ++i)
    s += fabs(x - i / 1000.0); /* line 81 */
  return s / 2000;
#else
  return x * x;
#endif
}
static double halting(double x) {
#if FAULT == 12
  double s = 0, step = 1.0 / 1024;
  for (double t = 0; t < x; t += step) /* line 90: as many terms as x says */
    s += step;
  return s;
#else
  return x;
#endif
}
static double bounced(double x) {
#if FAULT == 13
  return 1e-7 * floor(x * 1e7); /* line 99, two calls down */
#else
  return sin(x);
#endif
}
static double middle(double x, int n) {
  double s = x;
  for (int i = 0; i < n; ++i)
    s = bounced(s) + x;
  return s;
}

double model(const double *x, int n, double k) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += cube(x[i]) * root(k) + blend(x[i], k) + damped(x[i]) + coarse(k) * x[i];
  s += kinked(k) + halting(k) + middle(k, 3);
  return s + total(x, n) * total(x, n);
}
