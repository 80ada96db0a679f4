// RG-LEVELS: O0 O2 O3
// Several tangents of one evaluation (enzyme_width, forward mode). Lanes go along
// unrelated directions; each must be what differences along its own give.
#include "rgtest.h"
#include <math.h>
#include <stdlib.h>

extern int enzyme_const, enzyme_dup, enzyme_dupnoneed, enzyme_dupv, enzyme_dupnoneedv;
extern int enzyme_width, enzyme_primal_return;

enum { Lanes = 3, N = 5 };
typedef struct { double v[Lanes]; } Three;
typedef struct { float v[Lanes]; } ThreeFloats;
typedef struct { double primal; double v[Lanes]; } PrimalAndThree;
typedef struct { double x, y; } Pair;
typedef struct { Pair v[Lanes]; } ThreePairs;
typedef struct { double a[4]; int n; } Big;
typedef struct { Big v[Lanes]; } ThreeBigs;
Three __enzyme_fwddiff_three(void *, ...);
ThreeFloats __enzyme_fwddiff_floats(void *, ...);
PrimalAndThree __enzyme_fwddiff_primal(void *, ...);
ThreePairs __enzyme_fwddiff_pairs(void *, ...);
ThreeBigs __enzyme_fwddiff_bigs(void *, ...);
void __enzyme_fwddiff_void(void *, ...);

static double product(double x, double y) { return x * sin(y) + x * x / y; }
static float single(float x, double y) { return x * (float)exp(y) - x * x; }

static const double direction[Lanes][N] = {
    {1, 0, 0.5, -1, 2}, {0, 1, -0.25, 0, 0.125}, {0.3, -0.7, 0, 1, -2}};

// d EXPR along direction[L] of x, by differences of a number t.
#define ALONG(GOT, EXPR, L)                                                    \
  do {                                                                         \
    double t = 0, at[N];                                                       \
    for (int i = 0; i < N; ++i)                                                \
      at[i] = x[i];                                                            \
    RG_GRAD(GOT, (moveTo(x, at, t, L), (EXPR)), t);                            \
    moveTo(x, at, 0, L);                                                       \
  } while (0)
static void moveTo(double *x, const double *at, double t, int lane) {
  for (int i = 0; i < N; ++i)
    x[i] = at[i] + t * direction[lane][i];
}

static void scalars(void) {
  double x = 1.25, y = 0.75;
  Three r = __enzyme_fwddiff_three((void *)product, enzyme_width, 3, enzyme_dup, x, 1.0, 0.0, 2.0,
                                   enzyme_dup, y, 0.0, 1.0, -1.0);
  double byX = sin(y) + 2 * x / y, byY = x * cos(y) - x * x / (y * y);
  RG_NEAR(r.v[0], byX);
  RG_NEAR(r.v[1], byY);
  RG_NEAR(r.v[2], 2 * byX - byY);
  // Numbers are dup when nothing is said, and the width may stand anywhere.
  r = __enzyme_fwddiff_three((void *)product, x, 1.0, 0.0, 2.0, enzyme_width, 3, enzyme_const, y);
  RG_NEAR(r.v[0], byX);
  RG_NEAR(r.v[1], 0);
  RG_NEAR(r.v[2], 2 * byX);
  PrimalAndThree p = __enzyme_fwddiff_primal((void *)product, enzyme_primal_return, enzyme_width, 3,
                                             enzyme_dup, x, 1.0, 0.0, 2.0, enzyme_const, y);
  RG_NEAR(p.primal, product(x, y));
  RG_NEAR(p.v[2], 2 * byX);
  float f = 0.5f;
  ThreeFloats s = __enzyme_fwddiff_floats((void *)single, enzyme_width, 3, f, 1.0f, 0.0f, 1.0f, y,
                                          0.0, 1.0, 1.0);
  RG_NEARF(s.v[0], exp(y) - 2 * f);
  RG_NEARF(s.v[1], f * exp(y));
  RG_NEARF(s.v[2], exp(y) - 2 * f + f * exp(y));
}

// Loops, memory of its own, a callee that stays one, recursion.
__attribute__((noinline)) static double total(const double *t, int n) {
  double s = 0.25;
  for (int i = 0; i < n; ++i)
    s += t[i] * t[i] * cos(s);
  return s;
}
__attribute__((noinline)) static double fold(const double *t, int n) {
  return n == 1 ? t[0] : t[n - 1] * fold(t, n - 1) + t[0];
}
static void vectors(const double *x, double *out, int n) {
  double *t = malloc(2 * sizeof(double));
  int have = 0;
  for (int i = 0; i < n; ++i) {
    if (i >= 2)
      t = realloc(t, (i + 1) * sizeof(double));
    t[i] = x[i] * x[(i + 1) % n];
    ++have;
  }
  double copy[N];
  memcpy(copy, t, have * sizeof(double));
  double s = total(t, have), r = fold(copy, n);
  for (int i = 0; i < n; ++i)
    out[i] = (i & 1 ? s : r) * copy[n - 1 - i] + (x[i] > 0 ? x[i] : -x[i]);
  free(t);
}
static double one(double *x, int i) {
  double out[N];
  vectors(x, out, N);
  return out[i];
}
static void arrays(void) {
  double x[N] = {0.4, -0.3, 0.9, 1.1, 0.2}, out[N];
  double dx[Lanes][N], dout[Lanes][N];
  for (int strided = 0; strided < 2; ++strided) {
    memcpy(dx, direction, sizeof dx);
    for (int l = 0; l < Lanes; ++l)
      for (int i = 0; i < N; ++i)
        dout[l][i] = 777;
    if (strided)
      __enzyme_fwddiff_void((void *)vectors, enzyme_width, 3, enzyme_dupv, sizeof dx[0], x, dx,
                            enzyme_dupnoneedv, sizeof dout[0], out, dout, N);
    else
      __enzyme_fwddiff_void((void *)vectors, enzyme_width, 3, enzyme_dup, x, dx[0], dx[1], dx[2],
                            enzyme_dupnoneed, out, dout[0], dout[1], dout[2], enzyme_const, N);
    for (int l = 0; l < Lanes; ++l)
      for (int i = 0; i < N; ++i)
        ALONG(dout[l][i], one(x, i), l);
  }
}

// Pointers to pointers, lists, and a pointer that leads to constants by turns.
static double rows(double **m, const double *c, int n) {
  double s = 1;
  for (int i = 0; i < n; ++i) {
    const double *row = i & 1 ? c : m[i];
    double *swapped = m[i];
    m[i] = m[0];
    m[0] = swapped;
    s = s * row[0] + m[0][0] * row[1];
  }
  return s;
}
typedef struct node { double value; struct node *next; } Node;
static double walk(const Node *n) { return n ? n->value * n->value + 0.5 * walk(n->next) : 0; }
static double build(double x, int n) {
  Node *head = 0;
  for (int i = 0; i < n; ++i) {
    Node *next = malloc(sizeof(Node));
    next->value = x * (i + 1);
    next->next = head;
    head = next;
  }
  double s = walk(head);
  while (head) {
    Node *next = head->next;
    free(head);
    head = next;
  }
  return s;
}
static void pointers(void) {
  double a[2] = {0.5, 1.5}, b[2] = {-0.75, 2}, c[2] = {1.25, 0.5};
  double da[Lanes][2] = {{1, 0}, {0, 1}, {2, -1}}, db[Lanes][2] = {{0, 0}, {1, 1}, {0.5, 0}};
  double *m[2] = {a, b}, *dm[Lanes][2];
  for (int l = 0; l < Lanes; ++l) {
    dm[l][0] = da[l];
    dm[l][1] = db[l];
  }
  Three r = __enzyme_fwddiff_three((void *)rows, enzyme_width, 3, enzyme_dup, m, dm[0], dm[1], dm[2],
                                   enzyme_const, c, 2);
  for (int l = 0; l < Lanes; ++l) {
    double t = 0;
#define ROWS                                                                   \
  (m[0] = a, m[1] = b, a[0] = 0.5 + t * da[l][0], a[1] = 1.5 + t * da[l][1],   \
   b[0] = -0.75 + t * db[l][0], b[1] = 2 + t * db[l][1], rows(m, c, 2))
    RG_GRAD(r.v[l], ROWS, t);
  }
  Node last = {0.5, 0}, first = {1.5, &last}, dlast[Lanes], dfirst[Lanes];
  for (int l = 0; l < Lanes; ++l) {
    dlast[l] = (Node){l, 0};
    dfirst[l] = (Node){1 - l, &dlast[l]};
  }
  r = __enzyme_fwddiff_three((void *)walk, enzyme_width, 3, enzyme_dup, &first, &dfirst[0],
                             &dfirst[1], &dfirst[2]);
  for (int l = 0; l < Lanes; ++l)
    RG_NEAR(r.v[l], 2 * 1.5 * (1 - l) + 0.5 * 2 * 0.5 * l);
  r = __enzyme_fwddiff_three((void *)build, enzyme_width, 3, 0.5, 1.0, 0.0, -3.0, 3);
  double x = 0.5;
  RG_GRAD(r.v[0], build(x, 3), x);
  RG_NEAR(r.v[1], 0);
  RG_NEAR(r.v[2], -3 * r.v[0]);
}

// Structs by value: in registers, in memory, returned both ways.
static Pair turned(Pair p, double by) {
  Pair r = {p.x * cos(by) - p.y * sin(by), p.x * sin(by) + p.y * cos(by)};
  return r;
}
static Big scaled(Big b, double by) {
  for (int i = 0; i < b.n; ++i)
    b.a[i] *= by * (i + 1);
  return b;
}
static void structs(void) {
  Pair p = {1, 2}, dp[Lanes] = {{1, 0}, {0, 1}, {0, 0}};
  ThreePairs r = __enzyme_fwddiff_pairs((void *)turned, enzyme_width, 3, enzyme_dup, p, dp[0], dp[1],
                                        dp[2], enzyme_dup, 0.5, 0.0, 0.0, 1.0);
  RG_NEAR(r.v[0].x, cos(0.5));
  RG_NEAR(r.v[1].x, -sin(0.5));
  RG_NEAR(r.v[1].y, cos(0.5));
  RG_NEAR(r.v[2].x, -sin(0.5) - 2 * cos(0.5));
  Big b = {{1, 2, 3, 4}, 4}, db[Lanes] = {{{1}, 0}, {{0, 1}, 0}, {{0}, 0}};
  ThreeBigs s = __enzyme_fwddiff_bigs((void *)scaled, enzyme_width, 3, enzyme_dup, b, db[0], db[1],
                                      db[2], enzyme_dup, 3.0, 0.0, 0.0, 1.0);
  RG_NEAR(s.v[0].a[0], 3);
  RG_NEAR(s.v[0].a[1], 0);
  RG_NEAR(s.v[1].a[1], 6);
  for (int i = 0; i < 4; ++i)
    RG_NEAR(s.v[2].a[i], b.a[i] * (i + 1));
}

// Globals have a shadow per lane, which is zero when the derivative starts.
static double kept[2];
double shared;
__attribute__((noinline)) static void remember(double x) {
  kept[1] += x * x;
  shared = shared * x + kept[1];
}
static double throughGlobals(double x, int n) {
  kept[0] = kept[1] = x;
  shared = 1;
  for (int i = 0; i < n; ++i)
    remember(x + i);
  return shared + kept[0];
}
static void globals(void) {
  for (int again = 0; again < 2; ++again) {
    Three r = __enzyme_fwddiff_three((void *)throughGlobals, enzyme_width, 3, 0.5, 1.0, 2.0, 0.0, 3);
    double x = 0.5;
    RG_GRAD(r.v[0], throughGlobals(x, 3), x);
    RG_NEAR(r.v[1], 2 * r.v[0]);
    RG_NEAR(r.v[2], 0);
  }
}

int main(void) {
  scalars();
  arrays();
  pointers();
  structs();
  globals();
  return rgReport();
}
