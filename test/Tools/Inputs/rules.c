/* Rules that agree with their functions where the tangent is 1, or as derivatives only. */
#include <math.h>
#include <stdlib.h>

struct two { double value, tangent; };
static double soft(double x) { return log(1 + exp(x)); }
static struct two soft_fwd(double x, double dx) { /* line 7 */
  double slope = exp(x) / (1 + exp(x));
#if FAULT == 1
  return (struct two){soft(x), slope}; /* the tangent ignored */
#elif FAULT == 2
  return (struct two){soft(x), slope * dx * dx}; /* squared */
#elif FAULT == 3
  return (struct two){exp(x), slope * dx}; /* another value */
#else
  return (struct two){log(1 + exp(x)), slope * dx};
#endif
}
void *__enzyme_register_derivative_soft[] = {(void *)soft, (void *)soft_fwd};

static double act(double x) { return x / (1 + fabs(x)); }
#if FAULT == 4
static double act_aug(double x) { return x / (1 + x * x); } /* line 23: another value */
#else
static double act_aug(double x) { return x / (1 + fabs(x)); }
#endif
static double act_rev(double x, double seed) { return seed / ((1 + fabs(x)) * (1 + fabs(x))); }
void *__enzyme_register_gradient_act[] = {(void *)act, (void *)act_aug, (void *)act_rev};

static void scale(const double *x, double *y, int n) {
  for (int i = 0; i < n; ++i)
    y[i] = 3 * x[i];
}
static void scale_aug(const double *x, double *dx, double *y, double *dy, int n) { /* line 34 */
  for (int i = 0; i < n - (FAULT == 5); ++i) /* the last one is not written */
    y[i] = 3 * x[i];
}
static void scale_rev(const double *x, double *dx, double *y, double *dy, int n) {
  for (int i = 0; i < n; ++i) {
    dx[i] += 3 * dy[i];
    dy[i] = 0;
  }
}
void *__enzyme_register_gradient_scale[] = {(void *)scale, (void *)scale_aug, (void *)scale_rev};

/* What is on the tape is wrong. */
static double square(double x) { return x * x; }
struct taped { double *tape, value; };
static struct taped square_aug(double x) { /* line 49 */
  double *tape = malloc(sizeof *tape);
  *tape = FAULT == 6 ? 2 * x : x;
  return (struct taped){tape, x * x};
}
static double square_rev(double x, double seed, double *tape) { /* line 54 */
  double kept = *tape;
  free(tape);
  return 2 * kept * seed;
}
void *__enzyme_register_gradient_square[] = {(void *)square, (void *)square_aug, (void *)square_rev};

static double inner(double a, double b) { return soft(a * b) + act(a) * act(b); }
double model(const double *x, int n) {
  double y[8] = {0}, s = 0;
  scale(x, y, n);
  for (int i = 0; i < n; ++i)
    s += inner(x[i], 2) * y[i] + square(x[i]);
  return s;
}

/* A rule of the checked function itself, whose seed is 1 unless it is asked twice. */
double loss(double x) { return x * x * x; }
static double loss_aug(double x) { return x * x * x; }
static double loss_rev(double x, double seed) { return 3 * x * x * (FAULT == 7 ? 1 : seed); } /* line 73 */
void *__enzyme_register_gradient_loss[] = {(void *)loss, (void *)loss_aug, (void *)loss_rev};
