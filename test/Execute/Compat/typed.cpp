// <enzyme/enzyme>: modes, return activities, wrappers, callables.
// RG-LEVELS: O0 O1 O2 O3
#include "rgtest.h"
#include <array>
#include <cmath>
#include <enzyme/enzyme>
#include <memory>
#include <vector>

#if ENZYME_VERSION_MAJOR != 0 || !defined(ENZYME_VERSION_MINOR) || !defined(ENZYME_VERSION_PATCH)
#error "version macros"
#endif

static double cube(double x) { return x * x * x; }
static double product(double x, double y) { return x * x * y; }
static float single(float x) { return x * std::sin(x); }
static double byReference(const double &x, double &y) {
  y *= x;
  return y * y;
}
static double sumOfSquares(const double *v, std::size_t n) {
  double s = 0;
  for (std::size_t i = 0; i < n; ++i)
    s += v[i] * v[i];
  return s;
}
static void scale(double *out, const double *in, int n, double a) {
  for (int i = 0; i < n; ++i)
    out[i] = a * in[i] * in[i];
}
static double ofVector(const std::vector<double> &v) {
  double s = 0;
  for (double x : v)
    s += x * x * x;
  return s;
}
static std::vector<double> squares(const std::vector<double> &v) {
  std::vector<double> r(v.size());
  for (std::size_t i = 0; i < v.size(); ++i)
    r[i] = v[i] * v[i];
  return r;
}
static std::vector<double> fixed(const std::vector<double> &) { return {1, 2}; }
struct Pair {
  double a, b;
};
static double ofPair(Pair p) { return p.a * p.b * p.b; }
static Pair toPair(double x) { return {x * x, std::exp(x)}; }
static int rounded(double x) { return static_cast<int>(x + 0.5); }
static double ofOwner(std::unique_ptr<double> p) { return *p * *p; }
struct Polynomial {
  double c;
  double operator()(double x) const { return c * x * x; }
  double value(double x) const { return c * x * x * x; }
};
struct Overloaded {
  double operator()(double x) { return 10 * x; }
  float operator()(float x) { return 2 * x; }
};
struct State {
  double k;
  double energy(double x) { return k * x * x; }
  virtual double power(double x) const { return k * x * x * x; }
  virtual ~State() = default;
};
template <class T> T generic(T x) { return x / (1 + x); }

int main() {
  using namespace enzyme;
  // Reverse.
  Active<double> x1{2};
  tuple<tuple<double>> r1 = autodiff<Reverse>(cube, x1);
  RG_NEAR(get<0>(get<0>(r1)), 12);
  tuple<tuple<double>, double> r2 = autodiff<ReverseWithPrimal, Active<double>>(cube, x1);
  RG_NEAR(get<0>(get<0>(r2)), 12);
  RG_NEAR(get<1>(r2), 8);
  auto [dx, dy] = get<0>(autodiff<Reverse>(product, Active{3.0}, Active<double>(2.0)));
  RG_NEAR(dx, 12);
  RG_NEAR(dy, 9);
  auto r3 = autodiff<ReverseWithPrimal>(product, Const{3.0}, Active{2.0});
  static_assert(std::is_same_v<decltype(r3), tuple<tuple<double>, double>>);
  RG_NEAR(get<0>(get<0>(r3)), 9);
  RG_NEAR(get<1>(r3), 18);
  RG_NEARF(get<0>(get<0>(autodiff<Reverse>(single, Active<float>(2.0f)))),
           std::sin(2.0) + 2 * std::cos(2.0));
  tuple<tuple<>> none = autodiff<Reverse, Const<double>>(cube, Const{2.0});
  (void)none;
  auto silent = autodiff<ReverseWithPrimal, Const<double>>(cube, Active{2.0});
  RG_NEAR(get<0>(get<0>(silent)), 0);
  RG_NEAR(get<1>(silent), 8);
  RG_TRUE(get<1>(autodiff<ReverseWithPrimal>(rounded, Active{2.0})) == 2);

  Pair p{2, 3};
  Pair dp = get<0>(get<0>(autodiff<Reverse>(ofPair, Active<Pair>{p})));
  RG_NEAR(dp.a, 9);
  RG_NEAR(dp.b, 12);

  // References and pointers.
  double x = 2, y = 3, gx = 0, gy = 0;
  autodiff<Reverse>(byReference, Duplicated<const double &>{x, gx}, Duplicated<double &>{y, gy});
  RG_NEAR(gx, 2 * 2 * 9);
  RG_NEAR(gy, 2 * 3 * 4);
  RG_NEAR(y, 6);
  const double v[3] = {1, 2, 3};
  double dv[3] = {};
  autodiff<Reverse>(sumOfSquares, DuplicatedNoNeed<const double *>{v, dv}, Const{sizeof v / sizeof *v});
  RG_NEAR(dv[0], 2);
  RG_NEAR(dv[2], 6);
  double out[3] = {}, dout[3] = {1, 1, 1}, in[3] = {1, 2, 3}, din[3] = {};
  auto ga = autodiff<Reverse>(scale, Duplicated<double *>{out, dout}, Duplicated(in, din), Const<int>(3),
                              Active{5.0});
  RG_NEAR(out[2], 45);
  RG_NEAR(din[1], 20);
  RG_NEAR(get<0>(get<0>(ga)), 14);
  const Duplicated<const double *> named{v, dv};
  autodiff<Reverse>(sumOfSquares, named, Const<std::size_t>{3});
  RG_NEAR(dv[2], 12);
  std::vector<double> w{1, 2}, dw(2);
  autodiff<Reverse>(ofVector, Duplicated<const std::vector<double> &>{w, dw});
  RG_NEAR(dw[1], 12);
  RG_NEAR(ofVector(w), 9);

  // Forward.
  tuple<double, double> f1 = autodiff<Forward, Duplicated<double>>(cube, Duplicated<double>(2.0, 1.0));
  RG_NEAR(get<0>(f1), 8);
  RG_NEAR(get<1>(f1), 12);
  tuple<double> f2 = autodiff<Forward, DuplicatedNoNeed<double>>(cube, Duplicated{2.0, 1.0});
  RG_NEAR(get<0>(f2), 12);
  tuple<double> f3 = autodiff<Forward>(cube, Duplicated{2.0, 2.0});
  RG_NEAR(get<0>(f3), 24);
  tuple<double> f4 = autodiff<Forward, Const<double>>(cube, Duplicated{2.0, 2.0});
  RG_NEAR(get<0>(f4), 8);
  RG_NEAR(get<0>(autodiff<Forward>(product, Duplicated{3.0, 1.0}, Const{2.0})), 12);
  double xt = 1, yt = 0;
  y = 3;
  RG_NEAR(get<0>(autodiff<Forward>(byReference, Duplicated<double &>{x, xt}, Duplicated<double &>{y, yt})),
          2 * 2 * 9);
  RG_NEAR(yt, 3);
  double outT[3] = {}, inT[3] = {0, 1, 0};
  tuple<> nothing = autodiff<Forward>(scale, DuplicatedNoNeed<double *>{out, outT},
                                      Duplicated<const double *>{in, inT}, Const{3}, Duplicated{5.0, 1.0});
  (void)nothing;
  RG_NEAR(outT[0], 1);
  RG_NEAR(outT[1], 4 + 20);
  std::vector<double> wt{1, 1};
  auto t1 = autodiff<Forward, DuplicatedNoNeed<std::vector<double>>>(
      squares, Duplicated<const std::vector<double> &>(w, wt));
  RG_NEAR(get<0>(t1)[1], 4);
  auto t2 = autodiff<Forward, Duplicated<std::vector<double>>>(
      squares, Duplicated<const std::vector<double> &>(w, wt));
  RG_NEAR(get<0>(t2)[1], 4);
  RG_NEAR(get<1>(t2)[0], 2);
  auto t3 = get<0>(autodiff<Forward, DuplicatedNoNeed<std::vector<double>>>(
      fixed, Duplicated<const std::vector<double> &>(w, wt)));
  RG_TRUE(t3.size() == 2);
  RG_NEAR(t3[1], 0);
  auto t4 = autodiff<Forward, Duplicated<Pair>>(toPair, Duplicated{2.0, 1.0});
  RG_NEAR(get<0>(t4).a, 4);
  RG_NEAR(get<1>(t4).b, std::exp(2.0));

  // Callables.
  double captured = 3;
  auto lambda = [&](double z) { return captured * z * z; };
  RG_NEAR(get<0>(get<0>(autodiff<Reverse>(lambda, Active{2.0}))), 12);
  RG_NEAR(get<0>(autodiff<Forward>([](auto z) { return z * z; }, Duplicated{2.0, 1.0})), 4);
  RG_NEAR(get<0>(autodiff<Forward>(+[](double z) { return z * z; }, Duplicated{2.0, 1.0})), 4);
  RG_NEAR(get<0>(get<0>(autodiff<Reverse>(Polynomial{3}, Active{2.0}))), 12);
  RG_NEAR(get<0>(get<0>(autodiff<Reverse>(Overloaded{}, Active{2.0}))), 10);
  RG_NEAR(get<0>(get<0>(autodiff<Reverse>(Overloaded{}, Active{2.0f}))), 2);
  RG_NEAR(get<0>(get<0>(autodiff<Reverse>(generic<double>, Active{1.0}))), 0.25);
  RG_NEAR(get<0>(get<0>(autodiff<Reverse>(&generic<double>, Active{1.0}))), 0.25);
  State s, ds;
  s.k = 2;
  ds.k = 0;
  RG_NEAR(get<0>(get<0>(autodiff<Reverse>(&State::energy, Const<State *>{&s}, Active{3.0}))), 12);
  RG_NEAR(get<0>(get<0>(autodiff<Reverse>(&State::energy, Duplicated<State &>{s, ds}, Active{3.0}))), 12);
  RG_NEAR(ds.k, 9);
  const Polynomial poly{2};
  RG_NEAR(get<0>(get<0>(autodiff<Reverse>(&Polynomial::value, Const<const Polynomial &>{poly}, Active{2.0}))),
          24);

  // The templates beside it.
  auto [z1, z2] = __enzyme_autodiff<Pair>((void *)product, enzyme_out, 3.0, enzyme_out, 2.0);
  RG_NEAR(z1, 12);
  RG_NEAR(z2, 9);
  RG_NEAR(__enzyme_fwddiff<double>((void *)cube, enzyme_dup, 2.0, 1.0), 12);
  (void)ofOwner;
  return rgReport();
}
