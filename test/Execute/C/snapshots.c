// Arrays that a nest reads and leaves alone are kept as a whole (lib/Plan/Snapshots.cpp): on the heap, on the stack, of the program; for each run of the nest, where it
// does not run, of another length in each step, behind a call, in a loop of unknown length.
// RG-LEVELS: O0 O2 O3
// RG-SWITCHES: snapshots peel-last
#include "rgtest.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
void __enzyme_autodiff(void *, ...);
void __enzyme_fwddiff(void *, ...);
int enzyme_dup, enzyme_const;
#define EACH(i, from, to) for (long i = (from); i < (to); i++)
#define ARGUMENTS long n, long steps, double *a, double *p
enum { Most = 12 };

// What the neighbours add up to, and the cell itself, are needed: the state is shorter than both.
#define RATE(u, k)                                                                                                                          \
  EACH(i, 0, n) EACH(j, 0, n) {                                                                                                             \
    long up = i ? i - 1 : n - 1, down = i == n - 1 ? 0 : i + 1, left = j ? j - 1 : n - 1, right = j == n - 1 ? 0 : j + 1;                   \
    double around = u[up * n + j] + u[down * n + j] + u[i * n + left] + u[i * n + right] - 4 * u[i * n + j];                                \
    k[i * n + j] = p[0] * around + p[1] * u[i * n + j] * u[i * n + j] * (1 - around);                                                       \
  }

static void heap(ARGUMENTS) {
  double *u = malloc(n * n * sizeof(double)), *k = malloc(n * n * sizeof(double));
  EACH(i, 0, n * n) u[i] = a[i];
  EACH(s, 0, steps) {
    RATE(u, k)
    EACH(i, 0, n * n) u[i] += 0.1 * k[i];
  }
  EACH(i, 0, n * n) a[i] = u[i];
  free(u);
  free(k);
}
// Cleared by the allocation, whose length are two numbers.
static void cleared(ARGUMENTS) {
  double *u = calloc(n * n, sizeof(double)), *k = calloc(n * n, sizeof(double));
  EACH(s, 0, steps) {
    EACH(i, 0, n * n) u[i] = u[i] * 0.5 + a[i];
    RATE(u, k)
    EACH(i, 0, n * n) a[i] += 0.1 * k[i];
  }
  free(u);
  free(k);
}
static void stack(ARGUMENTS) {
  double u[Most * Most], k[Most * Most];
  EACH(i, 0, n * n) u[i] = a[i];
  EACH(s, 0, steps) {
    RATE(u, k)
    EACH(i, 0, n * n) u[i] += 0.1 * k[i];
  }
  EACH(i, 0, n * n) a[i] = u[i];
}
static void variable(ARGUMENTS) {
  double u[n * n + 1], k[n * n + 1];
  EACH(i, 0, n * n) u[i] = a[i];
  EACH(s, 0, steps) {
    RATE(u, k)
    EACH(i, 0, n * n) u[i] += 0.1 * k[i];
  }
  EACH(i, 0, n * n) a[i] = u[i];
}
// All counts are constants.
static double grid[8][8], rate[8][8];
static void program(ARGUMENTS) {
  if (n != 8) return;
  EACH(i, 0, 8) EACH(j, 0, 8) grid[i][j] = a[i * 8 + j];
  EACH(s, 0, steps) {
    EACH(i, 1, 7) EACH(j, 1, 7) {
      double around = grid[i - 1][j] + grid[i + 1][j] + grid[i][j - 1] + grid[i][j + 1] - 4 * grid[i][j];
      rate[i][j] = p[0] * around + p[1] * grid[i][j] * grid[i][j] * (1 - around);
    }
    EACH(i, 1, 7) EACH(j, 1, 7) grid[i][j] += 0.1 * rate[i][j];
  }
  EACH(i, 0, 8) EACH(j, 0, 8) a[i * 8 + j] = grid[i][j];
}
// A new array in each step, of another length.
static void grows(ARGUMENTS) {
  const long whole = n;
  EACH(s, 1, steps) {
    const long n = s < whole ? s : whole;
    double *u = malloc(n * n * sizeof(double)), *k = malloc(n * n * sizeof(double));
    EACH(i, 0, n * n) u[i] = a[i] * a[i];
    RATE(u, k)
    EACH(i, 0, n * n) u[i] += k[i];
    RATE(u, k)
    EACH(i, 0, n * n) a[i] += 0.1 * k[i];
    free(u);
    free(k);
  }
}
// Only where it is wanted, and null otherwise.
static void wanted(ARGUMENTS) {
  double *u = NULL, *k = NULL;
  if (n > 3) u = malloc(n * n * sizeof(double)), k = malloc(n * n * sizeof(double));
  EACH(s, 0, steps) {
    if (n > 3) {
      EACH(i, 0, n * n) u[i] = a[i];
      RATE(u, k)
      EACH(i, 0, n * n) a[i] += 0.1 * k[i];
    } else
      EACH(i, 0, n * n) a[i] *= a[i];
  }
  free(u);
  free(k);
}
// The nest writes what it reads.
static void in_place(ARGUMENTS) {
  double *u = malloc(n * n * sizeof(double));
  EACH(i, 0, n * n) u[i] = a[i];
  EACH(s, 0, steps) RATE(u, u)
  EACH(i, 0, n * n) a[i] = u[i];
  free(u);
}
// How many steps there are tell the numbers.
static void until(ARGUMENTS) {
  double *u = malloc(n * n * sizeof(double)), *k = malloc(n * n * sizeof(double));
  EACH(i, 0, n * n) u[i] = a[i];
  long s = 0;
  while (n > 0 && s < steps && u[0] > 0.2) {
    RATE(u, k)
    EACH(i, 0, n * n) u[i] -= 0.1 * k[i] * k[i];
    s++;
  }
  EACH(i, 0, n * n) a[i] = u[i] * s;
  free(u);
  free(k);
}
// Behind a call that has a tape of its own.
__attribute__((noinline)) static double energy(long n, const double *a, const double *p) {
  double *u = malloc(n * n * sizeof(double)), *k = malloc(n * n * sizeof(double)), sum = 0;
  EACH(i, 0, n * n) u[i] = a[i] * a[i];
  RATE(u, k)
  EACH(i, 0, n * n) u[i] *= k[i];
  RATE(u, k)
  EACH(i, 0, n * n) sum += k[i] * u[i];
  free(u);
  free(k);
  return sum;
}
static void called(ARGUMENTS) {
  EACH(s, 0, steps) {
    double e = energy(n, a, p);
    EACH(i, 0, n * n) a[i] = a[i] * 0.9 + 0.001 * e;
  }
}

#define TRY(f)                                                                                                                              \
  static void try_##f(long n, long steps) {                                                                                                 \
    enum { Size = Most * Most + 2 };                                                                                                        \
    static double x[Size], from[Size], t[Size], d[Size], seed[Size], along[Size], left[Size];                                               \
    EACH(i, 0, Size) {                                                                                                                      \
      from[i] = 0.5 + 0.2 * sin(3 * i);                                                                                                     \
      along[i] = t[i] = cos(7 * i);                                                                                                         \
      d[i] = seed[i] = sin(5 * i);                                                                                                          \
    }                                                                                                                                       \
    memcpy(x, from, sizeof x);                                                                                                              \
    __enzyme_fwddiff((void *)f, enzyme_const, n, enzyme_const, steps, enzyme_dup, x + 2, t + 2, enzyme_dup, x, t);                          \
    memcpy(left, x, sizeof x);                                                                                                              \
    memcpy(x, from, sizeof x);                                                                                                              \
    __enzyme_autodiff((void *)f, enzyme_const, n, enzyme_const, steps, enzyme_dup, x + 2, d + 2, enzyme_dup, x, d);                         \
    double forward = 0, reverse = 0, by = 0;                                                                                                \
    EACH(i, 0, Size) {                                                                                                                      \
      forward += t[i] * seed[i];                                                                                                            \
      reverse += along[i] * d[i];                                                                                                           \
      if (fabs(left[i] - x[i]) > 1e-12) RG_NEAR(x[i], left[i]);                                                                             \
    }                                                                                                                                       \
    EACH(side, 0, 2) {                                                                                                                      \
      const double h = side ? 1e-6 : -1e-6;                                                                                                 \
      EACH(i, 0, Size) x[i] = from[i] + h * along[i];                                                                                       \
      f(n, steps, x + 2, x);                                                                                                                \
      EACH(i, 0, Size) by += x[i] * seed[i] / (2 * h);                                                                                      \
    }                                                                                                                                       \
    rgCompare(__FILE__, __LINE__, #f " by differences", by, reverse, 1e-5);                                                                 \
    rgCompare(__FILE__, __LINE__, #f " forwards", forward, reverse, 1e-10);                                                                 \
  }
TRY(heap)
TRY(cleared)
TRY(stack)
TRY(variable)
TRY(program)
TRY(grows)
TRY(wanted)
TRY(in_place)
TRY(until)
TRY(called)

int main(void) {
  EACH(n, 0, Most + 1) EACH(steps, 0, 5) {
    try_heap(n, steps);
    try_cleared(n, steps);
    try_stack(n, steps);
    try_variable(n, steps);
    try_program(n, steps);
    try_grows(n, steps);
    try_wanted(n, steps);
    try_in_place(n, steps);
    try_until(n, steps);
    try_called(n, steps);
  }
  return rgReport();
}
