// Memory that is cleared and then overwritten (lib/Polish/SpareClears.cpp): vectors of the function's own, filled with zeros or allocated as
// zeros, then written by loops as a whole, up to a rest, with holes, in pieces, in turns that end early, read before and behind, with ways past
// the loop. Memory that malloc gives holds no zeros, so that a zero that is missing shows. Forwards, with one tangent and with four, and in reverse.
// RG-LEVELS: O0 O1 O2 O3
// RG-SWITCHES: spare-clears pack-lanes
#include "rgtest.h"
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
typedef struct {
  double lane[4];
} Four;
Four __enzyme_fwddiff_four(void *, ...);
extern int enzyme_dup, enzyme_const, enzyme_width;

enum { Most = 26 };

#define PROGRAM(name, allocate, ...)                                                                                                       \
  __attribute__((noinline)) static double name(const double *x, int n, int way) {                                                          \
    double *y = allocate;                                                                                                                  \
    __VA_ARGS__                                                                                                                            \
    double sum = 0;                                                                                                                        \
    for (int i = 0; i <= n; ++i)                                                                                                           \
      sum += y[(i * 7) % (n + 1)] * (i + 1) * x[i];                                                                                        \
    free(y);                                                                                                                               \
    return sum;                                                                                                                            \
  }
#define CLEARED calloc(n + 1, sizeof(double))
#define FILLED memset(malloc((n + 1) * sizeof(double)), 0, (n + 1) * sizeof(double))
// As a whole, and all but the last ones.
PROGRAM(whole, FILLED, {
  for (int i = 0; i <= n; ++i)
    y[i] = x[i] * x[n - i];
})
PROGRAM(threes, FILLED, {
  for (int i = 0; i < n / 3; ++i)
    for (int j = 0; j < 3; ++j)
      y[3 * i + j] = x[i] * x[3 * i + j] * (j + 1);
})
// The first one is written in front; as std::vector does it.
PROGRAM(vector, malloc((n + 1) * sizeof(double)), {
  y[0] = 0;
  memset(y + 1, 0, n * sizeof(double));
  for (int i = 0; i < n - way; ++i)
    y[i] = x[i] * x[i + 1];
})
// A hole in each piece; a place that is written in some turns only.
PROGRAM(holes, FILLED, {
  for (int i = 0; i < n / 2; ++i)
    y[2 * i] = x[i] * x[i];
})
PROGRAM(some, FILLED, {
  for (int i = 0; i <= n; ++i)
    if (x[i] < 0.91)
      y[i] = x[i] * x[i];
})
// Read before it is written; added to; ended early.
PROGRAM(reads, CLEARED, {
  for (int i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + y[i + 1];
})
PROGRAM(adds, CLEARED, {
  for (int i = 0; i <= n; ++i)
    for (int j = 0; j < way; ++j)
      y[(i + j) % (n + 1)] += x[i] * x[j];
})
PROGRAM(early, FILLED, {
  for (int i = 0; i <= n; ++i) {
    y[i] = x[i] * x[i];
    if (x[i] > 0.81)
      break;
  }
})
// Ways past the loop, and in front of it.
PROGRAM(ways, FILLED, {
  double s = 0;
  if (way == 0)
    y[n] = x[0] * x[0];
  if (way == 1)
    s = x[0];
  if (way < 3)
    for (int i = 0; i < n; ++i)
      y[i] = x[i] * x[i + 1] + s;
  else if (way == 3)
    y[n / 2] = x[n] * x[n];
})
// Downwards, from within, zeros once more behind numbers.
PROGRAM(down, FILLED, {
  for (int i = n; i >= 0; --i)
    y[i] = x[i] * x[n - i];
})
PROGRAM(within, FILLED, {
  for (int i = 2; i < n; ++i)
    y[i] = x[i] * x[i];
})
PROGRAM(again, FILLED, {
  for (int i = 0; i <= n; ++i)
    y[i] = x[i] * x[i];
  memset(y + way % (n + 1), 0, sizeof(double));
  y[n] = 0;
  y[0] += x[0];
})
// An allocation for each turn, freed behind it.
PROGRAM(turns, CLEARED, {
  for (int t = 0; t <= way; ++t) {
    double *z = memset(malloc((n + 1) * sizeof(double)), 0, (n + 1) * sizeof(double));
    for (int i = 0; i < n - t; ++i)
      z[i] = x[i] * x[i] * (t + 1);
    for (int i = 0; i <= n; ++i)
      y[i] += z[n - i] * x[i];
    free(z);
  }
})

#define CHECK(f)                                                                                                                           \
  for (int way = 0; way < 5; ++way)                                                                                                        \
    for (int n = 4; n < Most; n += 1 + n / 8) {                                                                                            \
      double x[Most], dx[Most] = {0}, unit[Most + 4][Most] = {{0}};                                                                        \
      for (int i = 0; i <= n; ++i)                                                                                                         \
        x[i] = 0.5 + 0.02 * i, unit[i][i] = 1;                                                                                             \
      __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_const, n, enzyme_const, way);                                                 \
      for (int i = 0; i <= n; i += 4) {                                                                                                    \
        Four lanes = __enzyme_fwddiff_four((void *)f, enzyme_width, 4, enzyme_dup, x, unit[i], unit[i + 1], unit[i + 2], unit[i + 3], enzyme_const, n,      \
                          enzyme_const, way);                                                                                              \
        for (int l = 0; l < 4 && i + l <= n; ++l) {                                                                                        \
          double h = 1e-6, at = x[i + l];                                                                                                  \
          x[i + l] = at + h;                                                                                                               \
          double above = f(x, n, way);                                                                                                     \
          x[i + l] = at - h;                                                                                                               \
          double below = f(x, n, way);                                                                                                     \
          x[i + l] = at;                                                                                                                   \
          RG_WITHIN(lanes.lane[l], (above - below) / (2 * h), 1e-6 * n * n);                                                               \
          RG_WITHIN(__enzyme_fwddiff((void *)f, enzyme_dup, x, unit[i + l], enzyme_const, n, enzyme_const, way), lanes.lane[l], 1e-11);    \
          RG_WITHIN(dx[i + l], lanes.lane[l], 1e-11);                                                                                      \
        }                                                                                                                                  \
      }                                                                                                                                    \
    }

int main(void) {
  mallopt(M_PERTURB, 0x5a);
  CHECK(whole)
  CHECK(threes)
  CHECK(vector)
  CHECK(holes)
  CHECK(some)
  CHECK(reads)
  CHECK(adds)
  CHECK(early)
  CHECK(ways)
  CHECK(down)
  CHECK(within)
  CHECK(again)
  CHECK(turns)
  return rgReport();
}
