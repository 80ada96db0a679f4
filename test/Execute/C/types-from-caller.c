// RG-LEVELS: O0 O2 g
// Functions that only move bytes: what these are is known from what the caller
// passes, declares or does with it elsewhere.
#include "rgtest.h"
#include <stdlib.h>
void __enzyme_autodiff(void *, ...);

static void copyOne(const void *in, void *out) { memcpy(out, in, 8); }
static void copyMany(const void *in, void *out, int n) { memcpy(out, in, n); }
static void copyPair(const void *in, void *out) { memcpy(out, in, 8); }
static void copyHeap(const void *in, void *out) { memcpy(out, in, 16); }
static void copyFilled(const void *in, void *out) { memcpy(out, in, 16); }

struct item { double value; int count; double *more; };
static void copyItem(const void *in, void *out) { memcpy(out, in, sizeof(struct item)); }
struct view { void *data; long size; };
static void copyView(const struct view *in, const struct view *out) {
  memcpy(out->data, in->data, in->size);
}

__attribute__((noinline)) static void fill(double *x, int n) {
  for (int i = 0; i < n; ++i)
    x[i] = i + 1;
}


int main(void) {
  double x[3] = {1.5, 2, 3}, dx[3] = {1, 1, 1}, y[3] = {0}, dy[3] = {5, 6, 7};
  __enzyme_autodiff((void *)copyOne, x, dx, y, dy);
  RG_NEAR(y[0], 1.5);
  RG_NEAR(dx[0], 6);
  RG_NEAR(dy[0], 0);
  __enzyme_autodiff((void *)copyMany, x, dx, y, dy, (int)sizeof x);
  RG_NEAR(y[2], 3);
  RG_NEAR(dx[1], 7);
  RG_NEAR(dx[2], 8);

  // One element of an array, a number that is not at its start.
  double g[4] = {1, 2, 3, 4}, dg[4] = {0}, s = 0, ds = 2;
  int at = rgChecks % 3 + 1; // no constant
  __enzyme_autodiff((void *)copyOne, &g[at], &dg[at], &s, &ds);
  RG_NEAR(s, g[at]);
  RG_NEAR(dg[at], 2);

  // Eight bytes that are two floats.
  float f[2] = {1, 2}, df[2] = {0}, h[2], dh[2] = {3, 4};
  __enzyme_autodiff((void *)copyPair, f, df, h, dh);
  RG_NEARF(df[0], 3);
  RG_NEARF(df[1], 4);
  RG_NEARF(dh[1], 0);

  // A heap block has no type, but here are its elements in use ...
  double *p = malloc(16), *dp = calloc(2, 8), *q = malloc(16), *dq = malloc(16);
  p[0] = 1;
  p[1] = 2;
  dq[0] = 10;
  dq[1] = 20;
  __enzyme_autodiff((void *)copyHeap, p, dp, q, dq);
  RG_NEAR(q[1], 2);
  RG_NEAR(dp[0], 10);
  RG_NEAR(dp[1], 20);
  // ... and here another function uses them.
  fill(p, 2);
  fill(dp, 2);
  fill(dq, 2);
  __enzyme_autodiff((void *)copyFilled, p, dp, q, dq);
  RG_NEAR(dp[0], 2);
  RG_NEAR(dp[1], 4);

  // Numbers, a count and a pointer.
  struct item a = {1.5, 3, x}, da = {0, 0, dx}, b, db = {4, 0, dx};
  __enzyme_autodiff((void *)copyItem, &a, &da, &b, &db);
  RG_NEAR(da.value, 4);
  RG_NEAR(db.value, 0);
  RG_TRUE(b.count == 3 && b.more == x && db.more == dx && da.count == 0);

  // Behind pointers behind parameters.
  struct view from = {g, sizeof g}, to = {malloc(sizeof g), sizeof g};
  double seeds[4] = {1, 2, 3, 4}, gradient[4] = {0};
  struct view dfrom = {gradient, 0}, dto = {seeds, 0};
  __enzyme_autodiff((void *)copyView, &from, &dfrom, &to, &dto);
  for (int i = 0; i < 4; ++i) {
    RG_NEAR(((double *)to.data)[i], g[i]);
    RG_NEAR(gradient[i], i + 1);
    RG_NEAR(seeds[i], 0);
  }
  return rgReport();
}
