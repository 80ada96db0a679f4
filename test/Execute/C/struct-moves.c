// RG-LEVELS: O0 O1 O2 O3
// Structs that are moved as bytes, of which only an array member is used, by an index of
// unknown range: what lies behind the array is no part of it. Callers know (and debug
// information does). Found by fuzz/run.py --seed camp9.
#include "rgtest.h"
#include <string.h>

void __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const;

struct Particle {
  double at[3];
  float mass, charge;
};
static void push(struct Particle *p, int axis, const double *v) {
  memmove(p + 1, p, sizeof *p);
  p[1].at[axis] = *v * *v;
}
static void masked(struct Particle *p, int i) {
  memcpy(p + 1, p, sizeof *p);
  p[1].at[(i ^ 1) & 3] = 0.5;
}
// No index at all, and no member but the array.
struct Row {
  double x[4];
};
static void shift(struct Row *r, int n, int i) {
  for (int k = n - 1; k > 0; --k)
    memmove(&r[k], &r[k - 1], sizeof *r);
  r[0].x[i] *= 2;
}
// The caller only hands on what it was given.
__attribute__((noinline)) static void through(struct Particle *p, struct Particle *d, int axis, double *v, double *dv) {
  __enzyme_autodiff((void *)push, enzyme_dup, p, d, enzyme_const, axis, enzyme_dup, v, dv);
}

static void seed(struct Particle *d) {
  for (int k = 0; k < 2; ++k) {
    for (int i = 0; i < 3; ++i)
      d[k].at[i] = 1 + k + 0.25 * i;
    d[k].mass = 0.5f + k, d[k].charge = 0.25f + k;
  }
}
static void checkParticles(const char *what, const struct Particle *d, int gone) {
  for (int i = 0; i < 3; ++i)
    rgCompare(__FILE__, __LINE__, what, d[0].at[i], 1 + 0.25 * i + (i == gone ? 0 : 2 + 0.25 * i), 1e-12);
  rgCompare(__FILE__, __LINE__, what, d[0].mass, 2, 1e-6);
  rgCompare(__FILE__, __LINE__, what, d[0].charge, 1.5, 1e-6);
  for (int i = 0; i < 3; ++i)
    rgCompare(__FILE__, __LINE__, what, d[1].at[i], 0, 0);
  rgCompare(__FILE__, __LINE__, what, d[1].mass, 0, 0);
  rgCompare(__FILE__, __LINE__, what, d[1].charge, 0, 0);
}

int main(int argc, char **argv) {
  struct Particle p[2] = {{{1, 2, 3}, 4, 5}, {{0}}}, d[2];
  double v = 3, dv = 0;
  seed(d);
  __enzyme_autodiff((void *)push, enzyme_dup, p, d, enzyme_const, argc, enzyme_dup, &v, &dv);
  checkParticles("push", d, 1);
  rgCompare(__FILE__, __LINE__, "push by v", dv, 6 * 2.25, 1e-12);
  seed(d), dv = 0;
  through(p, d, argc, &v, &dv);
  checkParticles("handed on", d, 1);
  seed(d);
  __enzyme_autodiff((void *)masked, enzyme_dup, p, d, enzyme_const, argc + 2);
  checkParticles("masked", d, 2);

  struct Row r[3] = {{{1, 2, 3, 4}}}, dr[3] = {{{1, 1, 1, 1}}, {{2, 2, 2, 2}}, {{3, 3, 3, 3}}};
  __enzyme_autodiff((void *)shift, enzyme_dup, r, dr, enzyme_const, 3, enzyme_const, argc);
  for (int i = 0; i < 4; ++i) {
    rgCompare(__FILE__, __LINE__, "shift", dr[0].x[i], (i == 1 ? 2 : 1) + 2, 1e-12);
    rgCompare(__FILE__, __LINE__, "shift", dr[1].x[i], 3, 1e-12);
    rgCompare(__FILE__, __LINE__, "shift", dr[2].x[i], 0, 0);
  }
  return rgReport();
}
