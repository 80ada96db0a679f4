// RG-LEVELS: O0 O2 O3
// Several adjoints of one evaluation (enzyme_width, reverse mode): each lane has
// its own seeds in the shadows of the outputs.
#include "rgtest.h"
#include <math.h>
#include <stdlib.h>

extern int enzyme_const, enzyme_dup, enzyme_dupnoneed, enzyme_dupv, enzyme_out;
extern int enzyme_width, enzyme_primal_return;

enum { N = 4 };
typedef struct { double x[2]; float y[2]; } Adjoints;
typedef struct { double primal; double x[2]; float y[2]; } PrimalAndAdjoints;
typedef struct { double v[4]; } Four;
typedef struct { Four v[2]; } TwoFours;
Adjoints __enzyme_autodiff_adjoints(void *, ...);
PrimalAndAdjoints __enzyme_autodiff_primal(void *, ...);
TwoFours __enzyme_autodiff_fours(void *, ...);
void __enzyme_autodiff_void(void *, ...);
void __enzyme_fwddiff_void(void *, ...);

// The Jacobian by rows in reverse mode, by columns in forward mode, and by
// differences.
#define JACOBIAN(F, X)                                                         \
  do {                                                                         \
    double at[N], out[N], dx[N][N] = {{0}}, dout[N][N] = {{0}};                \
    double tx[N][N] = {{0}}, tout[N][N] = {{0}};                               \
    for (int i = 0; i < N; ++i)                                                \
      at[i] = (X)[i], dout[i][i] = tx[i][i] = 1;                               \
    __enzyme_autodiff_void((void *)F, enzyme_width, 4, enzyme_dup, at, dx[0],  \
                           dx[1], dx[2], dx[3], enzyme_dupv, sizeof dout[0],   \
                           out, dout, N);                                      \
    __enzyme_fwddiff_void((void *)F, enzyme_width, 4, enzyme_dupv,             \
                          sizeof tx[0], at, tx, enzyme_dup, out, tout[0],      \
                          tout[1], tout[2], tout[3], N);                       \
    for (int i = 0; i < N; ++i)                                                \
      for (int j = 0; j < N; ++j) {                                            \
        RG_NEAR(dx[i][j], tout[j][i]);                                         \
        RG_GRAD(dx[i][j], (F(at, out, N), out[i]), at[j]);                     \
        RG_TRUE(dout[i][j] == 0);                                              \
      }                                                                        \
  } while (0)

static void loops(const double *x, double *out, int n) {
  for (int i = 0; i < n; ++i) {
    double s = x[i];
    for (int j = 0; j <= i; ++j)
      s = s * sin(x[j]) + (s > 0.5 ? x[n - 1 - j] : x[0] * x[0]);
    out[i] = s;
  }
}
static void unknownTrips(const double *x, double *out, int n) {
  double s = x[0];
  int steps = 0;
  while (s < 4 && steps < 50) {
    s += 0.3 * x[steps % n] * x[steps % n] + 0.1;
    if (s > 3)
      break;
    ++steps;
  }
  for (int i = 0; i < n; ++i)
    out[i] = s * x[i];
}

__attribute__((noinline)) static double dot(const double *a, const double *b, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += a[i] * b[i] * b[i];
  return s;
}
__attribute__((noinline)) static double horner(const double *a, int n, double at) {
  return n == 0 ? 0 : a[0] + at * horner(a + 1, n - 1, at);
}
__attribute__((noinline)) static double *made(const double *x, int n) {
  double *t = malloc(n * sizeof(double));
  for (int i = 0; i < n; ++i)
    t[i] = exp(-x[i] * x[i]);
  return t;
}
static void callees(const double *x, double *out, int n) {
  double *t = made(x, n);
  for (int i = 0; i < n; ++i)
    out[i] = dot(t, x, i + 1) * horner(x, n, t[i]);
  free(t);
}

typedef struct { double *values; double weight; int n; } Row;
static void memory(const double *x, double *out, int n) {
  Row rows[2], copy;
  double vla[n], *grown = malloc(sizeof(double));
  for (int r = 0; r < 2; ++r) {
    rows[r].values = r ? vla : grown;
    rows[r].weight = x[r];
    rows[r].n = 0;
  }
  for (int i = 0; i < n; ++i) {
    vla[i] = x[i] * x[n - 1 - i];
    grown = realloc(grown, (i + 1) * sizeof(double));
    grown[i] = x[i] + x[0];
    rows[0].values = grown;
  }
  double moved[N];
  memcpy(moved, grown, n * sizeof(double));
  memmove(moved + 1, moved, (n - 1) * sizeof(double));
  memset(vla, 0, sizeof(double));
  copy = rows[0];
  rows[0] = rows[1];
  rows[1] = copy;
  for (int i = 0; i < n; ++i) {
    const Row *r = &rows[i % 2];
    out[i] = r->weight * r->values[i] + moved[i] * moved[i];
  }
  free(grown);
}

static void mixedPointers(const double *x, double *out, int n) {
  static const double table[N] = {0.5, 1.5, -1, 2};
  for (int i = 0; i < n; ++i) {
    const double *from = x[i] > 0.5 ? table : x;
    out[i] = from[i] * x[(i + 1) % n];
  }
}

static double state[2];
__attribute__((noinline)) static void advance(double by) { state[0] = state[0] * by + state[1]; }
static void globals(const double *x, double *out, int n) {
  state[0] = x[0];
  state[1] = x[1];
  for (int i = 0; i < n; ++i) {
    advance(x[i]);
    out[i] = state[0];
  }
}

// One pointer leads to another.
static void rows(double **in, double **to, int n) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < 2; ++j)
      *to[j] += in[j][i] * in[1 - j][0] * (i + 1);
}
static void pointers(void) {
  double a[2] = {0.5, 1.5}, b[2] = {-0.75, 2}, u = 0, v = 0;
  double da[2][2] = {{0}}, db[2][2] = {{0}}, du[2] = {1, 0}, dv[2] = {0, 1};
  double *in[2] = {a, b}, *to[2] = {&u, &v}, *din[2][2], *dto[2][2];
  for (int l = 0; l < 2; ++l) {
    din[l][0] = da[l];
    din[l][1] = db[l];
    dto[l][0] = &du[l];
    dto[l][1] = &dv[l];
  }
  __enzyme_autodiff_void((void *)rows, enzyme_width, 2, enzyme_dup, in, din[0], din[1], enzyme_dup,
                         to, dto[0], dto[1], 2);
#define OF(RESULT) (u = v = 0, rows(in, to, 2), RESULT)
  for (int i = 0; i < 2; ++i) {
    RG_GRAD(da[0][i], OF(u), a[i]);
    RG_GRAD(da[1][i], OF(v), a[i]);
    RG_GRAD(db[0][i], OF(u), b[i]);
    RG_GRAD(db[1][i], OF(v), b[i]);
  }
}

// Numbers by value: their adjoints are returned, lane after lane.
static double weighed(double x, float y, double *side) {
  *side = x * x * y;
  return x * sinf(y);
}
static double inMemory(Four f, double *side) {
  *side = f.v[1] * f.v[2];
  return f.v[0] * f.v[3];
}
static void byValue(void) {
  double side, dside[2] = {0, 10};
  Adjoints a = __enzyme_autodiff_adjoints((void *)weighed, enzyme_width, 2, enzyme_out, 1.5,
                                          enzyme_out, 0.5f, enzyme_dup, &side, &dside[0], &dside[1]);
  RG_NEAR(a.x[0], sinf(0.5f));
  RG_NEAR(a.x[1], sinf(0.5f) + 10 * 2 * 1.5 * 0.5);
  RG_NEARF(a.y[0], 1.5 * cosf(0.5f));
  RG_NEARF(a.y[1], 1.5 * cosf(0.5f) + 10 * 2.25);
  dside[0] = 0, dside[1] = 10;
  PrimalAndAdjoints p =
      __enzyme_autodiff_primal((void *)weighed, enzyme_primal_return, enzyme_width, 2, 1.5, 0.5f,
                               enzyme_dup, &side, &dside[0], &dside[1]);
  RG_NEARF(p.primal, 1.5 * sinf(0.5f));
  RG_NEAR(p.x[1], a.x[1]);
  RG_NEARF(p.y[0], a.y[0]);
  Four f = {{1, 2, 3, 4}};
  dside[0] = 1, dside[1] = 0;
  TwoFours t = __enzyme_autodiff_fours((void *)inMemory, enzyme_width, 2, f, enzyme_dup, &side,
                                       &dside[0], &dside[1]);
  const double want[2][4] = {{4, 3, 2, 1}, {4, 0, 0, 1}};
  for (int l = 0; l < 2; ++l)
    for (int i = 0; i < 4; ++i)
      RG_NEAR(t.v[l].v[i], want[l][i]);
}

int main(void) {
  const double x[N] = {0.4, 0.7, -0.3, 1.1};
  JACOBIAN(loops, x);
  JACOBIAN(unknownTrips, x);
  JACOBIAN(callees, x);
  JACOBIAN(memory, x);
  JACOBIAN(mixedPointers, x);
  JACOBIAN(globals, x);
  pointers();
  byValue();
  return rgReport();
}
