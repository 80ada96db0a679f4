// RG-LEVELS: O0 O1 O2 O3
// Arrays side by side in one struct, used by indices of unknown range: what one of them may
// reach of the other is no reason to move the other's adjoints in the wrong format, or to
// drop them, when the struct is assigned.
#include "rgtest.h"
#include <string.h>
extern int enzyme_const, enzyme_dup;
double __enzyme_autodiff(void *, ...);

struct Long { // found by fuzz/run.py --seed camp12
  long double a;
  double b;
  long double c[2];
  double d[4];
  double w;
};
static double ofLong(struct Long *s, int n) {
  double x = (double)(s[1].d[(n ^ 2) & 3] * s[0].c[(n + 1) & 1]);
  s[0] = s[1];
  return x + (double)s[0].c[n & 1];
}

struct Numbered { // integers of eight bytes in front of floats of four
  long id[2];
  float v[4];
};
static double ofNumbered(struct Numbered *s, int n) {
  double x = s[1].v[(n ^ 2) & 3] * s[0].id[(n + 1) & 1];
  s[0] = s[1];
  return x + s[0].v[n & 3];
}

struct Records { // the records' integers have the longer stride
  struct {
    int id;
    double x;
  } r[2];
  double d[4];
};
static double ofRecords(struct Records *s, int n) {
  double x = s[1].d[(n ^ 2) & 3] * s[0].r[(n + 1) & 1].id;
  s[0] = s[1];
  return x + s[0].d[n & 3];
}

struct Inner {
  short tag;
  float f[3];
};
struct Mixed { // arrays of structs with arrays
  char name[3];
  struct Inner in[2];
  double d[3];
  int count[2];
  long double last[2];
};
static double ofMixed(struct Mixed *s, int n) {
  double x = s[n & 1].d[(n + 1) & 1] * s[0].in[n & 1].f[(n ^ 1) & 1];
  memmove(&s[0], &s[1], 2 * sizeof *s);
  struct Mixed t = s[2];
  s[2] = s[n & 1];
  s[n & 1] = t;
  memcpy(&s[0].in, &s[1].in, sizeof s[0].in);
  return x + s[0].in[n & 1].f[n & 1] * (double)s[1].last[n & 1] + s[2].d[n & 1] * s[1].count[n & 1];
}

static void fill(struct Mixed *s) {
  for (int e = 0; e < 3; ++e)
    for (int i = 0; i < 2; ++i) {
      s[e].count[i] = e + i + 1;
      s[e].last[i] = 0.5 * e - i;
      s[e].d[i] = s[e].d[2] = 1 + e + 0.25 * i;
      for (int k = 0; k < 3; ++k)
        s[e].in[i].f[k] = 2 - e + 0.5f * k - i;
    }
}

int main(int argc, char **argv) {
  int used = (argc ^ 2) & 3, read = argc & 3;
  struct Long s[2] = {{1, 2, {3, 4}, {5, 6, 7, 8}, 9}, {1, 2, {3, 4}, {5, 6, 7, 8}, 9}}, t[2] = {{0}};
  struct Numbered u[2] = {{{2, 3}, {1, 2, 3, 4}}, {{2, 3}, {5, 6, 7, 8}}}, v[2] = {{{0}}};
  struct Records y[2] = {{{{2, 1}, {2, 2}}, {1, 2, 3, 4}}, {{{2, 1}, {2, 2}}, {5, 6, 7, 8}}},
                 z[2] = {{{{0}}}};
  for (int i = 0; i < 4; ++i) {
    t[0].d[i] = v[0].v[i] = z[0].d[i] = 0.5 + i;
    t[1].d[i] = v[1].v[i] = z[1].d[i] = 0.25 * i;
  }
  __enzyme_autodiff((void *)ofLong, enzyme_dup, s, t, enzyme_const, argc);
  __enzyme_autodiff((void *)ofNumbered, enzyme_dup, u, v, enzyme_const, argc);
  __enzyme_autodiff((void *)ofRecords, enzyme_dup, y, z, enzyme_const, argc);
  for (int i = 0; i < 4; ++i) {
    double moved = 0.5 + i + 0.25 * i;
    RG_NEAR(t[0].d[i], 0);
    RG_NEAR(t[1].d[i], moved + (i == used ? 3 + ((argc + 1) & 1) : 0));
    RG_NEAR(v[0].v[i], 0);
    RG_NEAR(v[1].v[i], moved + (i == used ? 2 + ((argc + 1) & 1) : 0) + (i == read));
    RG_NEAR(z[0].d[i], 0);
    RG_NEAR(z[1].d[i], moved + (i == used ? 2 : 0) + (i == read));
  }

  struct Mixed m[3], dm[3], p[3];
  memset(m, 0, sizeof m);
  memset(dm, 0, sizeof dm);
  memset(p, 0, sizeof p);
  fill(m);
  __enzyme_autodiff((void *)ofMixed, enzyme_dup, m, dm, enzyme_const, argc);
#define DIFFERENCE(member, h)                                                                      \
  do {                                                                                             \
    fill(p), p[e].member += h;                                                                     \
    double up = ofMixed(p, argc);                                                                  \
    fill(p), p[e].member -= h;                                                                     \
    double down = ofMixed(p, argc);                                                                \
    RG_NEAR((double)dm[e].member, (up - down) / (2 * h));                                          \
  } while (0)
  for (int e = 0; e < 3; ++e) {
    for (int i = 0; i < 2; ++i) {
      for (int k = 0; k < 3; ++k)
        DIFFERENCE(in[i].f[k], 0.125);
      DIFFERENCE(last[i], 0.125);
    }
    for (int i = 0; i < 3; ++i)
      DIFFERENCE(d[i], 0.125);
  }
  return rgReport();
}
