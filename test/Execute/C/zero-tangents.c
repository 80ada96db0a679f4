// Tangents that are zero all at once (lib/Polish/ZeroTangents.cpp): tables of which each entry depends on one input or none, read in pieces by an
// index, in loops that are long and short, from small tables and large ones, with infinite numbers and NaN beside the zeros; tables that the loop
// itself writes to; coefficients that depend on nothing. Four and eight tangents at once are what one at a time are, NaN included.
// RG-LEVELS: O0 O1 O2 O3
// RG-SWITCHES: zero-tangents pack-lanes
#include "rgtest.h"
#include <math.h>
#include <stdlib.h>

typedef struct {
  double lane[4];
} Four;
typedef struct {
  double lane[8];
} Eight;
double __enzyme_fwddiff(void *, ...);
Four __enzyme_fwddiff_four(void *, ...);
Eight __enzyme_fwddiff_eight(void *, ...);
extern int enzyme_dup, enzyme_const, enzyme_width;

enum { Inputs = 8, Wide = 6 };
typedef struct {
  int entries, turns; // of the table, of the loop over points
  const int *pick;    // entries that a turn reads, three for each
  const double *at, *weight;
} Scene;

#define PROGRAM(name, write, ...)                                                                                                          \
  __attribute__((noinline)) static double name(const double *x, const Scene *s) {                                                          \
    double *m = malloc(s->entries * Wide * sizeof *m), *r = malloc((s->turns + 1) * sizeof *r), c[3], sum = 0;                             \
    for (int b = 0; b < s->entries; ++b)                                                                                                   \
      for (int j = 0; j < Wide; ++j)                                                                                                       \
        m[Wide * b + j] = b % 3 == 1 ? (j + 1) * x[b % Inputs] * x[b % Inputs] : 0.5 * j + b % 7;                                          \
    for (int j = 0; j < 3; ++j)                                                                                                            \
      c[j] = x[j] * x[j + 1] + j;                                                                                                          \
    for (int t = 0; t < s->turns; ++t) {                                                                                                   \
      double a = 0, d = 0;                                                                                                                 \
      const double *at = s->at + 3 * t;                                                                                                    \
      for (int w = 0; w < 1 + t % 3; ++w) {                                                                                                \
        double *q = m + Wide * s->pick[3 * t + w];                                                                                         \
        a += s->weight[t] * (q[0] * at[0] + q[1] * at[1] + q[2] * at[2]);                                                                  \
        d += s->weight[t] * (q[3] * at[0] - q[4] * at[1] + q[5]);                                                                          \
        write;                                                                                                                             \
      }                                                                                                                                    \
      r[t] = __VA_ARGS__;                                                                                                                  \
    }                                                                                                                                      \
    for (int t = 0; t < s->turns; ++t)                                                                                                     \
      sum += r[t] * (1 + t % 5);                                                                                                           \
    free(m), free(r);                                                                                                                      \
    return sum;                                                                                                                            \
  }
PROGRAM(reads, , c[0] * a + c[1] * d + c[2] * at[0] + c[0] * at[1] + c[1] * at[2])
PROGRAM(writes, q[2] = a * 0.01, a * d)
PROGRAM(adds, q[5] += x[7] * 0.01, a + d *c[2])

static void isSame(double lane, double one) {
  if (isnan(one))
    RG_WITHIN(isnan(lane) ? 1 : 0, 1, 0);
  else if (isinf(one))
    RG_WITHIN(lane == one ? 1 : 0, 1, 0);
  else
    RG_WITHIN(lane, one, 1e-9 * (1 + fabs(one)));
}

typedef struct {
  double (*f)(const double *, const Scene *);
  double (*one)(const double *, const double *, const Scene *);
  Four (*four)(const double *, double (*)[Inputs], const Scene *);
  Eight (*eight)(const double *, double (*)[Inputs], const Scene *);
} Program;
#define DERIVATIVES(f)                                                                                                                     \
  static double f##_one(const double *x, const double *t, const Scene *s) {                                                                \
    return __enzyme_fwddiff((void *)f, enzyme_dup, x, t, enzyme_const, s);                                                                 \
  }                                                                                                                                        \
  static Four f##_four(const double *x, double (*t)[Inputs], const Scene *s) {                                                             \
    return __enzyme_fwddiff_four((void *)f, enzyme_width, 4, enzyme_dup, x, t[0], t[1], t[2], t[3], enzyme_const, s);                      \
  }                                                                                                                                        \
  static Eight f##_eight(const double *x, double (*t)[Inputs], const Scene *s) {                                                           \
    return __enzyme_fwddiff_eight((void *)f, enzyme_width, 8, enzyme_dup, x, t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7], enzyme_const, \
                                  s);                                                                                                      \
  }
DERIVATIVES(reads)
DERIVATIVES(writes)
DERIVATIVES(adds)
#define OF(f) {f, f##_one, f##_four, f##_eight}

static void check(Program p, int entries, int turns, double odd) {
  double x[Inputs], unit[Inputs][Inputs] = {{0}}, *at = malloc((3 * turns + 3) * sizeof *at), *weight = malloc((turns + 1) * sizeof *weight);
  int *pick = malloc((3 * turns + 3) * sizeof *pick);
  for (int i = 0; i < Inputs; ++i)
    x[i] = 0.5 + 0.1 * i, unit[i][i] = 1;
  for (int t = 0; t < turns; ++t) {
    weight[t] = 1.0 / (1 + t % 4);
    for (int j = 0; j < 3; ++j)
      pick[3 * t + j] = t == 0 ? entries - 1 : (7 * t + 5 * j) % entries, at[3 * t + j] = 0.3 * j - 0.1 * (t % 9);
  }
  if (turns > 9 && odd != 0) {
    at[3 * 5 + 1] = odd;
    weight[9] = odd;
  }
  Scene s = {entries, turns, pick, at, weight};
  double ones[Inputs];
  for (int i = 0; i < Inputs; ++i)
    ones[i] = p.one(x, unit[i], &s);
  Eight all = p.eight(x, unit, &s);
  for (int i = 0; i < Inputs; ++i)
    isSame(all.lane[i], ones[i]);
  for (int i = 0; i < Inputs; i += 4) {
    Four some = p.four(x, unit + i, &s);
    for (int l = 0; l < 4; ++l)
      isSame(some.lane[l], ones[i + l]);
  }
  if (odd == 0)
    for (int i = 0; i < Inputs; ++i) {
      double h = 1e-6, there = x[i];
      x[i] = there + h;
      double above = p.f(x, &s);
      x[i] = there - h;
      double below = p.f(x, &s);
      x[i] = there;
      RG_WITHIN(ones[i], (above - below) / (2 * h), 1e-6 * (1 + turns) * (1 + fabs(ones[i])));
    }
  free(at), free(weight), free(pick);
}

int main(void) {
  const Program programs[] = {OF(reads), OF(writes), OF(adds)};
  for (int p = 0; p < 3; ++p)
    for (int k = 0; k < 4; ++k) {
      const double odd = k == 0 ? 0 : k == 1 ? INFINITY : k == 2 ? -INFINITY : NAN;
      check(programs[p], 1, 0, odd);
      check(programs[p], 1, 40, odd);
      check(programs[p], 5, 20, odd);
      check(programs[p], 5, 31, odd); // as many turns as numbers, and one more
      check(programs[p], 5, 32, odd);
      check(programs[p], 40, 600, odd);
      check(programs[p], 700, 4300, odd); // no map of so many
    }
  return rgReport();
}
