// Loops of unknown length, calls, recursion, heap memory, early exits: the function
// that is differentiated is an ordinary program.
//
// A root is searched by Newton's iteration until it is good enough, inside a
// recursive subdivision whose depth depends on the data; work arrays come from malloc.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

double __enzyme_autodiff(void *, ...);

static double root(double a) { // of x^3 + x = a
  double x = a;
  for (int i = 0; i < 100; ++i) {
    double next = x - (x * x * x + x - a) / (3 * x * x + 1);
    if (fabs(next - x) < 1e-14)
      return next;
    x = next;
  }
  return x;
}

static double integrate(double lo, double hi, int depth) {
  double mid = 0.5 * (lo + hi), whole = (hi - lo) * root(mid);
  double halves = 0.5 * (hi - lo) * (root(0.5 * (lo + mid)) + root(0.5 * (mid + hi)));
  if (depth == 0 || fabs(whole - halves) < 1e-3)
    return halves;
  return integrate(lo, mid, depth - 1) + integrate(mid, hi, depth - 1);
}

double simulate(double x, int n) {
  double *history = malloc(n * sizeof *history);
  for (int i = 0; i < n; ++i)
    history[i] = i ? history[i - 1] * 0.5 + integrate(0, history[i - 1], 8) : x;
  double last = history[n - 1];
  free(history);
  return last;
}

int main(void) {
  double x = 2, h = 1e-6;
  printf("derivative  %.6f\n", __enzyme_autodiff((void *)simulate, x, 5));
  printf("differences %.6f\n", (simulate(x + h, 5) - simulate(x - h, 5)) / (2 * h));
}

// RUN: %rgcc -O2 %s -lm -o %t && %t | FileCheck %s --check-prefix=prints
// RUN: %rgcc -O0 %s -lm -o %t && %t | FileCheck %s --check-prefix=prints
// prints: derivative  [[D:.*]]
// prints: differences [[D]]
