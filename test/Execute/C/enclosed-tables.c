// A table that the differentiated function reads by its name and writes by a parameter: what its callees have read there is
// not there any more when they are reversed. The parameter gets to the table by what the module does elsewhere.
// RG-LEVELS: O0 O1 O2 O3
#include "rgtest.h"
#include <math.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_dup, enzyme_const;
enum { N = 8 };
static int own[N], passed[N], stored[N], returned[N];
static int *place;
__attribute__((noinline)) static int *give(void) { return returned; }
__attribute__((noinline)) static void store(void) { place = stored; }

#define STEP(NAME, TABLE)                                                                                                 \
  __attribute__((noinline)) static void NAME(double *a, int n) {                                                          \
    for (int i = 0; i < n; ++i)                                                                                           \
      a[i] += 0.3 * sin(a[TABLE[i]]);                                                                                     \
  }                                                                                                                       \
  static double NAME##s(double *a, int *at, int n) {                                                                      \
    double s = 0;                                                                                                         \
    for (int t = 0; t < 3; ++t) {                                                                                         \
      NAME(a, n);                                                                                                         \
      for (int i = 0; i < n; ++i)                                                                                         \
        at[i] = (at[i] + i + 1) % n;                                                                                      \
    }                                                                                                                     \
    for (int i = 0; i < n; ++i)                                                                                           \
      s += a[i] * a[i];                                                                                                   \
    return s;                                                                                                             \
  }                                                                                                                       \
  static void begin_##NAME(double *a, double *da, int *at, int k) {                                                       \
    for (int i = 0; i < N; ++i)                                                                                           \
      a[i] = 0.5 + 0.1 * i, da[i] = i == k, TABLE[i] = i * 3 % N, at[i] = i * 3 % N;                                      \
  }                                                                                                                       \
  static void try_##NAME(int *at) {                                                                                       \
    double a[N], da[N], g[N] = {0}, none[N];                                                                              \
    begin_##NAME(a, none, at, -1);                                                                                        \
    __enzyme_autodiff((void *)NAME##s, enzyme_dup, a, g, enzyme_const, at, enzyme_const, N);                              \
    for (int k = 0; k < N; ++k) {                                                                                         \
      begin_##NAME(a, da, at, k);                                                                                         \
      double t = __enzyme_fwddiff((void *)NAME##s, enzyme_dup, a, da, enzyme_const, at, enzyme_const, N);                 \
      RG_WITHIN(g[k], t, 1e-12);                                                                                         \
      double h = 1e-6, f[2];                                                                                              \
      for (int side = 0; side < 2; ++side) {                                                                              \
        begin_##NAME(a, none, at, -1);                                                                                    \
        a[k] += side ? -h : h;                                                                                            \
        f[side] = NAME##s(a, at, N);                                                                                      \
      }                                                                                                                   \
      RG_WITHIN(g[k], (f[0] - f[1]) / (2 * h), 1e-6);                                                                    \
    }                                                                                                                     \
  }
STEP(byOwn, own)
STEP(byPassed, passed)
STEP(byStored, stored)
STEP(byReturned, returned)

int main(void) {
  int elsewhere[N];
  store();
  try_byOwn(elsewhere);
  try_byPassed(passed);
  try_byStored(place);
  try_byReturned(give());
  return rgReport();
}
