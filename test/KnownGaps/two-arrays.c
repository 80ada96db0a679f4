// XFAIL: *
// RG-LEVELS: O2
// Two arrays of different floats in one struct, both used by indices of unknown range, and the
// struct assigned: which of them holds a place, the indices do not tell, and the assignment's
// adjoints are moved in the wrong format. Found by fuzz/run.py --seed camp12.
#include "rgtest.h"
extern int enzyme_const, enzyme_dup;
double __enzyme_autodiff(void *, ...);
struct S {
  long double a;
  double b;
  long double c[2];
  double d[4];
  double w;
};
static double f(struct S *s, int n) {
  double x = (double)(s[1].d[(n ^ 2) & 3] * s[0].c[(n + 1) & 1]);
  s[0] = s[1];
  return x + (double)s[0].c[n & 1];
}
int main(int argc, char **argv) {
  struct S s[2] = {{1, 2, {3, 4}, {5, 6, 7, 8}, 9}, {1, 2, {3, 4}, {5, 6, 7, 8}, 9}}, t[2] = {{0}};
  for (int i = 0; i < 4; ++i)
    t[0].d[i] = 0.5 + i, t[1].d[i] = 0.25 * i;
  __enzyme_autodiff((void *)f, enzyme_dup, s, t, enzyme_const, argc);
  int used = (argc ^ 2) & 3;
  for (int i = 0; i < 4; ++i) {
    RG_NEAR(t[0].d[i], 0);
    RG_NEAR(t[1].d[i], 0.5 + i + 0.25 * i + (i == used ? 3 + ((argc + 1) & 1) : 0));
  }
  return rgReport();
}
