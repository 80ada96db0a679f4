// Overlapping moves of records: numbers and pointers among other things, up and
// down, of known and of unknown length.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

struct record { int id; double a; double *link; float b; double c; };

static void fill(struct record *r, double *store, double x, int n) {
  for (int i = 0; i < n; ++i) {
    store[i] = x * (i + 1);
    r[i].id = i;
    r[i].a = x * x + i;
    r[i].link = &store[i];
    r[i].b = 2;
    r[i].c = i - x;
  }
}
static double sum(const struct record *r, double x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    s += r[i].a * r[i].c * (r[i].id + 1) * r[i].b + *r[i].link * x * (i + 3);
    *r[i].link *= 1.5;
  }
  return s;
}
static double up(double x) {
  struct record r[5];
  double store[5];
  fill(r, store, x, 5);
  memmove(r + 1, r, 4 * sizeof *r);
  return sum(r, x, 5);
}
static double down(double x) {
  struct record r[5];
  double store[5];
  fill(r, store, x, 5);
  memmove(r, r + 2, 3 * sizeof *r);
  return sum(r, x, 5);
}
static double any(double x, int n, int from, int to) {
  struct record r[8];
  double store[8];
  fill(r, store, x, 8);
  memmove(r + to, r + from, n * sizeof *r);
  return sum(r, x, 8);
}
// Pointers to what the caller has marked constant are moved as well.
static double mixed(double x, double *constant, int n, int up) {
  struct record r[6];
  double store[6];
  fill(r, store, x, 6);
  for (int i = 0; i < 6; i += 2)
    r[i].link = &constant[i];
  memmove(r + (up ? 1 : 0), r + (up ? 0 : 1), n * sizeof *r);
  double s = 0;
  for (int i = 0; i < 6; ++i)
    s += r[i].a * *r[i].link * (i + 1);
  return s;
}
int enzyme_const;

int main(void) {
  RG_UNARY(up, 1.25);
  RG_UNARY(down, 1.25);
  double x = 0.75;
  for (int to = 0; to < 4; ++to) {
    RG_GRAD(__enzyme_autodiff((void *)any, x, 5, 1, to), any(x, 5, 1, to), x);
    RG_GRAD(__enzyme_fwddiff((void *)any, x, 1.0, 5, 1, to), any(x, 5, 1, to), x);
  }
  double c[6] = {1, 2, 3, 4, 5, 6};
  for (int up = 0; up < 2; ++up) {
    RG_GRAD(__enzyme_autodiff((void *)mixed, x, enzyme_const, c, 5, up), mixed(x, c, 5, up), x);
    RG_GRAD(__enzyme_fwddiff((void *)mixed, x, 1.0, enzyme_const, c, 5, up),
            mixed(x, c, 5, up), x);
  }
  return rgReport();
}
