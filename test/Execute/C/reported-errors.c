// Functions that report an error and do not come back, between what a derivative reads.
#include "rgtest.h"
#include <math.h>
#include <setjmp.h>
#include <stdlib.h>

void __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const;

enum { N = 9 };

static jmp_buf away;
static double *spoilt;

// Changes what the derivative would read again; but then there is no derivative.
__attribute__((noreturn, noinline)) static void fail(const char *why) {
  if (why && spoilt)
    spoilt[0] = -1e9;
  longjmp(away, 1);
}

// Reads its caller's factors in both sweeps.
__attribute__((noinline)) static void sweep(double *y, const double *c, int n) {
  if (n > 1) {
    sweep(y, c, n / 2);
    sweep(y + n / 2, c + 1, n - n / 2);
  }
  for (int i = 0; i < n; ++i)
    y[i] *= c[i];
}

static double run(const double *x, const double *c, int n) {
  if (n < 1)
    fail("none");
  double *y = malloc(n * sizeof *y), sum = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] > 50)
      fail("large");
    y[i] = x[i] * x[i];
  }
  sweep(y, c, n);
  for (int i = 0; i < n; ++i)
    sum += sin(y[i]);
  free(y);
  return sum;
}

int main(void) {
  double x[N], d[N], c[N + 4];
  for (int i = 0; i < N + 4; ++i)
    c[i] = 1 + 0.03 * (i * 5 % 7);
  for (int i = 0; i < N; ++i)
    x[i] = 0.3 + 0.08 * i;
  for (int n = 1; n <= N; n += 4) {
    memset(d, 0, sizeof d);
    __enzyme_autodiff((void *)run, enzyme_dup, x, d, enzyme_const, c, enzyme_const, n);
    RG_GRADS(d, run(x, c, n), x, N);
  }
  // An error leaves the derivative; the next one is right.
  volatile int left = 0;
  spoilt = c;
  if (setjmp(away) == 0) {
    x[2] = 60;
    __enzyme_autodiff((void *)run, enzyme_dup, x, d, enzyme_const, c, enzyme_const, N);
  } else {
    left = 1;
  }
  RG_TRUE(left && c[0] == -1e9);
  c[0] = 1;
  x[2] = 0.46;
  memset(d, 0, sizeof d);
  __enzyme_autodiff((void *)run, enzyme_dup, x, d, enzyme_const, c, enzyme_const, N);
  RG_GRADS(d, run(x, c, N), x, N);
  return rgReport();
}
