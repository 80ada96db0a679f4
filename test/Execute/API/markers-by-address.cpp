// Markers given by their addresses and by reference, to templates over values, over references and over both: each argument is
// what its parameter's type says.
// RG-LEVELS: O0 O1 O2 O3
#include "rgtest.h"
#include <vector>

extern int enzyme_dup, enzyme_const, enzyme_out;
static int enzyme_width;
inline int enzyme_dupnoneed;
template <typename R, typename... A> R __enzyme_autodiff(A...);
template <typename R, typename... A> R __enzyme_autodiff_ref(void *, A &&...);
template <typename R, typename... A> R __enzyme_fwddiff(void *, A...);
template <typename R, typename... A> R __enzyme_fwddiff_mixed(void *, int *, double *&, double *, A &&...);

struct Node {
  Node *next;
  double v;
};
static double squares(Node *n) {
  double s = 0;
  for (; n; n = n->next)
    s += n->v * n->v;
  return s;
}
static double dot(const double *x, const double *y, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += x[i] * y[i];
  return s;
}
static double norm(const std::vector<double> &x) {
  double s = 0;
  for (double e : x)
    s += e * e;
  return s;
}
struct Pair {
  double a, b;
};
static double weigh(Pair p, const double *w) { return p.a * w[0] + p.b * w[1]; }
struct Two {
  double a, b;
};

int main() {
  Node c{nullptr, 5}, b{&c, 4}, a{&b, 3}, dc{nullptr, 0}, db{&dc, 0}, da{&db, 0};
  Node *at = &a, *dat = &da;
  auto Check = [&] {
    RG_NEAR(da.v, 6);
    RG_NEAR(db.v, 8);
    RG_NEAR(dc.v, 10);
    da.v = db.v = dc.v = 0;
  };
  __enzyme_autodiff<void>(squares, &enzyme_dup, &a, &da);
  Check();
  __enzyme_autodiff<void>(squares, enzyme_dup, at, dat);
  Check();
  __enzyme_autodiff_ref<void>((void *)squares, enzyme_dup, at, dat); // all by reference
  Check();
  __enzyme_autodiff_ref<void>((void *)squares, &enzyme_dup, &a, &da); // references to temporaries
  Check();
  __enzyme_autodiff<void>(squares, &enzyme_dupnoneed, at, dat);
  Check();

  double x[2] = {1, 2}, y[2] = {3, 4}, dx[2] = {0, 0}, t[2] = {1, 10};
  double *px = x, *pt = t;
  __enzyme_autodiff<void>((void *)dot, &enzyme_dup, x, dx, &enzyme_const, y, &enzyme_const, 2);
  RG_NEAR(dx[1], 4);
  dx[0] = dx[1] = 0;
  __enzyme_autodiff_ref<void>((void *)dot, enzyme_dup, x, dx, enzyme_const, y, 2); // arrays by reference
  RG_NEAR(dx[1], 4);
  RG_NEAR(__enzyme_fwddiff<double>((void *)dot, &enzyme_dup, px, pt, &enzyme_const, y, 2), 43);
  RG_NEAR(__enzyme_fwddiff_mixed<double>((void *)dot, &enzyme_dup, px, pt, enzyme_const, y, 2), 43);
  Two two = __enzyme_fwddiff<Two>((void *)dot, &enzyme_width, 2, &enzyme_dup, px, pt, y, &enzyme_const, y, 2);
  RG_NEAR(two.a, 43);
  RG_NEAR(two.b, 25);

  std::vector<double> v{1, 2}, dv{0, 0};
  __enzyme_autodiff<void>((void *)norm, &enzyme_dup, &v, &dv); // a reference is an address
  RG_NEAR(dv[1], 4);
  __enzyme_autodiff_ref<void>((void *)norm, enzyme_dup, v, dv);
  RG_NEAR(dv[1], 8);

  Pair p{5, 6};
  double w[2] = {7, 8}, dw[2] = {0, 0};
  Pair dp = __enzyme_autodiff<Pair>((void *)weigh, &enzyme_out, p, &enzyme_dup, w, dw);
  RG_NEAR(dp.b, 8);
  RG_NEAR(dw[0], 5);
  return 0;
}
