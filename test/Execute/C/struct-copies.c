// RG-LEVELS: O0 O1 O2 O3 Os fast g
// Struct assignment, which is a memcpy of mixed content at -O0 and anything from
// scalar moves to vector moves above: whole structs, nested ones, through
// pointers, swapped, and in arrays.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
int enzyme_dup, enzyme_const;

typedef struct { int tag; double x; float y; double *p; } Mixed;
typedef struct { Mixed a, b; double w; } Pair;

static double f(const Mixed *in, int n) {
  Mixed local[4];
  for (int i = 0; i < n; ++i)
    local[i] = in[i];
  Mixed t = local[0];
  local[0] = local[n - 1];
  local[n - 1] = t;
  Pair pair = {local[0], local[1], 2.0}, copy;
  copy = pair;
  copy.a.x *= copy.w;
  pair.b = copy.a;
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += local[i].x * local[i].x * (local[i].tag + i) * *local[i].p;
  return s + pair.b.x * copy.b.x + pair.a.y;
}
static double zeroed(double x) {
  Mixed m, z;
  memset(&m, 0, sizeof m);
  m.x = x;
  m.tag = 3;
  z = m;
  m = (Mixed){0};
  return z.x * z.x * z.tag + m.x + z.y;
}

int main(void) {
  double p[3] = {1, 2, 3}, dp[3] = {0};
  Mixed m[3] = {{1, 0.5, 1, &p[0]}, {2, 1.5, 2, &p[1]}, {3, -2, 3, &p[2]}};
  Mixed d[3] = {{0, 0, 0, &dp[0]}, {0, 0, 0, &dp[1]}, {0, 0, 0, &dp[2]}};
  __enzyme_autodiff((void *)f, m, d, 3);
  for (int i = 0; i < 3; ++i) {
    RG_GRAD(d[i].x, f(m, 3), m[i].x);
    RG_TRUE(d[i].tag == 0 && d[i].p == &dp[i]);
  }
  RG_NEARF(d[2].y, 1);
  RG_GRADS(dp, f(m, 3), p, 3);
  RG_UNARY(zeroed, 1.5);
  return rgReport();
}
