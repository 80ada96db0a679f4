// Rules of the program's below and at the top of split derivatives: their tapes are
// part of the tape. A rule of forward mode in two halves beside them.
// RG-LEVELS: O0 O2 O3
#include "rgtest.h"
#include <math.h>
#include <stdlib.h>
extern int enzyme_dup, enzyme_const, enzyme_out;
void *__enzyme_augmentfwd(void *, ...);
double __enzyme_reverse(void *, ...);
void __enzyme_reverse_void(void *, ...);
double __enzyme_fwddiff(void *, ...);

static int augmented, reversed;

/// sum of w[i] x[i]^2, into *out.
__attribute__((noinline)) void weigh(const double *x, const double *w, double *out, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += w[i] * x[i] * x[i];
  *out = s;
}
struct kept { int n; double *xw; };
struct kept *weighAugmented(const double *x, double *dx, const double *w, double *dw, double *out,
                            double *dout, int n) {
  (void)dx, (void)dw, (void)dout;
  struct kept *k = malloc(sizeof *k);
  k->n = n;
  k->xw = malloc(2 * n * sizeof *k->xw);
  memcpy(k->xw, x, n * sizeof *x);
  memcpy(k->xw + n, w, n * sizeof *w);
  weigh(x, w, out, n);
  ++augmented;
  return k;
}
void weighReverse(const double *x, double *dx, const double *w, double *dw, double *out, double *dout,
                  int n, struct kept *k) {
  (void)x, (void)w, (void)out, (void)n;
  for (int i = 0; i < k->n; ++i) {
    dx[i] += *dout * 2 * k->xw[k->n + i] * k->xw[i];
    if (dw)
      dw[i] += *dout * k->xw[i] * k->xw[i];
  }
  *dout = 0;
  ++reversed;
  free(k->xw);
  free(k);
}
void *__enzyme_register_gradient_weigh[] = {(void *)weigh, (void *)weighAugmented, (void *)weighReverse};

/// A number's rule, with both forms.
__attribute__((noinline)) double product(double x, double y) { return sin(x * y); }
struct productTape { double tape, primal; };
struct productTape productAugmented(double x, double y) {
  ++augmented;
  struct productTape r = {cos(x * y), sin(x * y)};
  return r;
}
struct two { double x, y; };
struct two productReverse(double x, double y, double seed, double tape) {
  ++reversed;
  struct two r = {seed * tape * y, seed * tape * x};
  return r;
}
double productForward(double x, double dx, double y, double dy, double tape) {
  return tape * (x * dy + y * dx);
}
void *__enzyme_register_gradient_product[] = {(void *)product, (void *)productAugmented,
                                              (void *)productReverse};
void *__enzyme_register_splitderivative_product[] = {(void *)product, (void *)productAugmented,
                                                     (void *)productForward};

double all(const double *x, double *w, int n, double a) {
  double s = 0, t;
  for (int i = 0; i < n; ++i) {
    weigh(x, w, &t, n);
    w[i] += .1 * t * a;
    s += product(t, w[i] + a);
  }
  return s;
}

enum { N = 3, TAPES = 4 };
int main(void) {
  double x[N] = {.3, .5, .7}, w0[N] = {.2, .4, .1}, dx[TAPES][N] = {{0}}, dw[TAPES][N] = {{0}}, w[N];
  void *t[TAPES];
  for (int k = 0; k < TAPES; ++k) {
    memcpy(w, w0, sizeof w);
    t[k] = __enzyme_augmentfwd((void *)all, enzyme_dup, x, dx[k], enzyme_dup, w, dw[k], enzyme_const, N,
                               .5 + k);
    memset(w, 0x7f, sizeof w);
  }
  RG_TRUE(augmented == TAPES * 2 * N);
  for (int q = 0; q < TAPES; ++q) {
    int k = (3 * q + 2) % TAPES;
    double gone[N], a = .5 + k;
    double da = __enzyme_reverse((void *)all, enzyme_dup, gone, dx[k], enzyme_dup, gone, dw[k],
                                 enzyme_const, N, 0., 1.0, t[k]);
    RG_GRAD(da, (memcpy(w, w0, sizeof w), all(x, w, N, a)), a);
    RG_GRADS(dx[k], (memcpy(w, w0, sizeof w), all(x, w, N, a)), x, N);
    RG_GRADS(dw[k], (memcpy(w, w0, sizeof w), all(x, w, N, a)), w0, N);
  }
  RG_TRUE(reversed == augmented);

  // The function itself has a rule.
  struct two __enzyme_reverse_two(void *, ...);
  double a = .6, b = 1.2;
  augmented = reversed = 0;
  void *u = __enzyme_augmentfwd((void *)product, a, b), *v = __enzyme_augmentfwd((void *)product, b, a + 1);
  struct two r = __enzyme_reverse_two((void *)product, 0., 0., 2.0, u);
  RG_TRUE(augmented == 2 && reversed == 1);
  // What a rule is not given on its tape it gets as it was.
  RG_GRAD(r.x / 2, product(a, b), a);
  RG_GRAD(r.y / 2, product(a, b), b);
  r = __enzyme_reverse_two((void *)product, 0., 0., 1.0, v);
  RG_NEAR(r.x, cos(b * (a + 1)) * (a + 1));

  double out, dout = 1, d[N] = {0}, e[N] = {0};
  void *z = __enzyme_augmentfwd((void *)weigh, enzyme_dup, x, d, enzyme_dup, w0, e, enzyme_dup, &out, &dout,
                                enzyme_const, N);
  __enzyme_reverse_void((void *)weigh, enzyme_dup, x, d, enzyme_dup, w0, e, enzyme_dup, &out, &dout,
                        enzyme_const, N, z);
  RG_GRADS(d, (weigh(x, w0, &out, N), out), x, N);
  RG_GRADS(e, (weigh(x, w0, &out, N), out), w0, N);

  // And in forward mode the other one.
  RG_GRAD(__enzyme_fwddiff((void *)product, enzyme_dup, a, 1.0, enzyme_const, b), product(a, b), a);
  return rgReport();
}
int enzyme_dup, enzyme_const, enzyme_out;
