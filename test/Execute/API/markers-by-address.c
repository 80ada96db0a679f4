// Markers given by their addresses: what follows is passed as it stands, pointers to pointers and structs of pointers included.
// RG-LEVELS: O0 O1 O2 O3
#include "rgtest.h"

double __enzyme_autodiff(void *, ...), __enzyme_fwddiff(void *, ...);
void *__enzyme_augmentfwd(void *, ...), __enzyme_reverse(void *, ...);
extern int enzyme_dup, enzyme_out, enzyme_dupnoneed;
int enzyme_const, enzyme_width = 5; // defined here
static int enzyme_tape;
const int enzyme_primal_return = 1;

struct node {
  struct node *next;
  double v;
};
static double squares(struct node *n) {
  double s = 0;
  for (; n; n = n->next)
    s += n->v * n->v;
  return s;
}
static double rows(double **row, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < 2; ++k)
      s += row[i][k] * row[i][k] * (i + k);
  return s;
}
struct view {
  double *at;
  long n;
};
static double sum(struct view v) {
  double s = 0;
  for (long i = 0; i < v.n; ++i)
    s += v.at[i] * v.at[i];
  return s;
}
static double product(double x, double *y) { return x * x * *y; }

int main(void) {
  struct node c = {0, 5}, b = {&c, 4}, a = {&b, 3}, dc = {0, 0}, db = {&dc, 0}, da = {&db, 0};
  __enzyme_autodiff((void *)squares, &enzyme_dup, &a, &da);
  RG_NEAR(da.v, 6);
  RG_NEAR(db.v, 8);
  RG_NEAR(dc.v, 10);
  da.v = 1;
  db.v = 2;
  dc.v = 3;
  RG_NEAR(__enzyme_fwddiff((void *)squares, &enzyme_dup, &a, &da), 6 + 16 + 30);

  double at[4] = {1, 2, 3, 4}, d[4] = {0}, e[4] = {0};
  double *row[2] = {at, at + 2}, *drow[2] = {d, d + 2}, *erow[2] = {e, e + 2};
  __enzyme_autodiff((void *)rows, &enzyme_dupnoneed, row, drow, &enzyme_const, 2);
  RG_NEAR(d[1], 4);
  RG_NEAR(d[3], 16);
  void *tape = __enzyme_augmentfwd((void *)rows, &enzyme_dup, row, erow, &enzyme_const, 2);
  __enzyme_reverse((void *)rows, &enzyme_dup, row, erow, &enzyme_const, 2, 0.5, &enzyme_tape, tape);
  RG_NEAR(e[3], 8);

  struct view v = {at, 4}, dv = {d, 4};
  d[0] = d[1] = d[2] = d[3] = 0;
  __enzyme_autodiff((void *)sum, &enzyme_dup, v, dv);
  RG_NEAR(d[2], 6);

  double y = 3, dy = 0;
  RG_NEAR(__enzyme_autodiff((void *)product, &enzyme_out, 2.0, &enzyme_dup, &y, &dy), 12);
  RG_NEAR(dy, 4);
  dy = 0;
  __enzyme_autodiff((void *)product, &enzyme_const, 2.0, enzyme_dup, &y, &dy); // by address and by value
  RG_NEAR(dy, 4);
  struct two { double a, b; } __enzyme_fwddiff_both(void *, ...);
  double t[2] = {1, 10};
  struct two both = __enzyme_fwddiff_both((void *)product, &enzyme_width, 2, &enzyme_const, 2.0, &enzyme_dup, &y, t, t + 1);
  RG_NEAR(both.a, 4);
  RG_NEAR(both.b, 40);
  struct two again = __enzyme_fwddiff_both((void *)product, &enzyme_primal_return, &enzyme_const, 2.0, &enzyme_dup, &y, t);
  RG_NEAR(again.a, 12);
  RG_NEAR(again.b, 4);
  return rgReport();
}
