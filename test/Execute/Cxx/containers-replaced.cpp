// Containers of the caller's whose memory the function replaces: afterwards the
// derivatives lie where the numbers were before the call.
// RG-LEVELS: O0 O1 O2 O3
#include "rgtest.h"
#include <map>
#include <memory>
#include <utility>
#include <vector>
template <class... T> void __enzyme_autodiff(void *, T...);
template <class... T> double __enzyme_fwddiff(void *, T...);
template <class... T> void *__enzyme_augmentfwd(void *, T...);
template <class... T> void __enzyme_reverse(void *, T...);
int enzyme_dup;

using Numbers = std::vector<double>;
static double squares(const Numbers &v) {
  double s = 0;
  for (std::size_t i = 0; i < v.size(); ++i)
    s += double(i + 1) * v[i] * v[i];
  return s;
}
static double push(Numbers &v, double *x) {
  for (int i = 0; i < 20; ++i)
    v.push_back(*x * v[i] * 0.9);
  return squares(v) * v[1];
}
static double resize(Numbers &v, double *x) {
  v.resize(9, *x);
  v[3] *= v[0];
  return squares(v);
}
static double insert(Numbers &v, double *x) {
  v.insert(v.begin(), *x * v[1]);
  return squares(v);
}
static double assign(Numbers &v, double *x) {
  double s = squares(v);
  v.assign(12, s * *x);
  return squares(v) / 1e3;
}
static Numbers made(const Numbers &v, double x) {
  Numbers u(v.size() + 3, x);
  for (std::size_t i = 0; i < v.size(); ++i)
    u[i] += v[i] * v[i];
  return u;
}
static double move(Numbers &v, double *x) {
  v = made(v, *x);
  return squares(v);
}
static double copy(Numbers &v, double *x) {
  const Numbers u = made(v, *x);
  v = u;
  return squares(v);
}
static double swap(Numbers &v, double *x) {
  Numbers u = made(v, *x);
  v.swap(u);
  return squares(v);
}
static double shrink(Numbers &v, double *x) {
  v.reserve(20);
  v[0] *= *x;
  v.shrink_to_fit();
  return squares(v);
}
// The block goes to another vector, which replaces it; another one comes.
static double apart(Numbers &v, double *x) {
  Numbers t = std::move(v);
  t.push_back(*x);
  double s = squares(t);
  v = Numbers(7, *x);
  for (int i = 0; i < 3; ++i)
    v[i] *= t[i];
  return s + squares(v);
}
template <double (*F)(Numbers &, double *)> static void check() {
  const Numbers v{1.5, 0.5, -1, 2};
  double x = 0.7;
  for (std::size_t i = 0; i <= v.size(); ++i) {
    Numbers in(v), u(in), d(v.size());
    double &moved = i < v.size() ? in[i] : x, dx = 0;
    __enzyme_autodiff((void *)F, enzyme_dup, &u, &d, enzyme_dup, &x, &dx);
    auto f = [&] {
      Numbers w(in);
      return F(w, &x);
    };
    RG_GRAD(i < v.size() ? d[i] : dx, f(), moved);
    RG_TRUE(u.size() == d.size());
    u = Numbers(in);
    u.shrink_to_fit();
    d = Numbers(v.size());
    d.shrink_to_fit();
    dx = i == v.size();
    if (i < v.size())
      d[i] = 1;
    RG_GRAD(
        __enzyme_fwddiff((void *)F, enzyme_dup, &u, &d, enzyme_dup, &x, &dx),
        f(), moved);
  }
}

struct Record { // an array of them keeps its length in front
  double number = 0, weight = 0;
  long key = 3;
  ~Record() { key = -1; }
};
struct Table {
  Record *at;
  int count;
};
static double table(Table &t, double *x) {
  Record *r = new Record[2 * t.count];
  for (int i = 0; i < t.count; ++i) {
    r[i] = t.at[i];
    r[t.count + i].number = *x * t.at[i].number;
    r[t.count + i].weight = 2;
  }
  delete[] t.at;
  t.at = r;
  t.count *= 2;
  double s = 0;
  for (int i = 0; i < t.count; ++i)
    s += r[i].number * r[i].number * r[i].weight;
  return s;
}
static double box(std::unique_ptr<double[]> &p, double *x) {
  std::unique_ptr<double[]> q(new double[5]);
  for (int i = 0; i < 5; ++i)
    q[i] = i < 2 ? p[i] * *x : *x;
  p = std::move(q);
  double s = 0;
  for (int i = 0; i < 5; ++i)
    s += (i + 1) * p[i] * p[i];
  return s;
}
static double rows(std::vector<Numbers> &v, double *x) {
  v.push_back({*x, 2});
  v[0].push_back(*x * v[1][0]);
  v[1].insert(v[1].begin(), v[0][0]);
  double s = 0;
  for (auto &r : v)
    s += squares(r);
  return s;
}
static double floats(std::vector<float> &v, double *x) {
  for (int i = 0; i < 5; ++i)
    v.push_back(float(*x) * v[i]);
  double s = 0;
  for (float a : v)
    s += a * a;
  return s;
}
using Lists = std::map<int, Numbers>;
static double lists(Lists &m, double *x) {
  m[4].push_back(*x);
  m[1].push_back(*x * m[1][0]);
  double s = 0;
  for (auto &[k, v] : m)
    s += k * squares(v);
  return s;
}
// A row grows, and then all rows move.
static double grownRows(std::vector<Numbers> &v, double *x) {
  for (auto &r : v)
    r.push_back(*x * r[0]);
  v.push_back({*x, 2});
  double s = 0;
  for (auto &r : v)
    for (double a : r)
      s += a * a;
  return s;
}
// A row takes another's place, which is released, and grows there.
static double withoutFirst(std::vector<Numbers> &v, double *x) {
  double s = squares(v[0]);
  v.erase(v.begin());
  v[0].push_back(*x * v[0][0]);
  return s + squares(v[0]);
}
static void gradient(Numbers *v, Numbers *d, double *x, double *dx) {
  __enzyme_autodiff((void *)insert, enzyme_dup, v, d, enzyme_dup, x, dx);
}

int main() {
  check<push>();
  check<resize>();
  check<insert>();
  check<assign>();
  check<move>();
  check<copy>();
  check<swap>();
  check<shrink>();
  check<apart>();

  double x = 0.7, dx = 0;
  Table t{new Record[2], 2}, dt{new Record[2], 2};
  for (int i = 0; i < 2; ++i) {
    t.at[i].number = 2 + i;
    t.at[i].weight = 3;
  }
  __enzyme_autodiff((void *)table, enzyme_dup, &t, &dt, enzyme_dup, &x, &dx);
  for (int i = 0; i < 2; ++i) {
    RG_NEAR(dt.at[i].number, 2 * (2 + i) * (3 + 2 * 0.7 * 0.7));
    RG_NEAR(dt.at[i].weight, (2 + i) * (2 + i));
  }
  delete[] t.at;
  delete[] dt.at;

  std::unique_ptr<double[]> p(new double[2]{2, 3}), dp(new double[2]{});
  __enzyme_autodiff((void *)box, enzyme_dup, &p, &dp, enzyme_dup, &x, &dx);
  RG_NEAR(dp[0], 2 * 2 * 0.7 * 0.7);
  RG_NEAR(dp[1], 2 * 2 * 3 * 0.7 * 0.7);

  std::vector<Numbers> r{{2, 3}, {1, 2}}, dr{{0, 0}, {0, 0}};
  __enzyme_autodiff((void *)rows, enzyme_dup, &r, &dr, enzyme_dup, &x, &dx);
  RG_NEAR(dr[0][0], 2 * 2 + 2 * 2);
  RG_NEAR(dr[0][1], 2 * 2 * 3);
  RG_NEAR(dr[1][0], 2 * 2 * 1 + 2 * 3 * 0.7 * 0.7);
  RG_NEAR(dr[1][1], 2 * 3 * 2);

  r = std::vector<Numbers>{{2, 3}, {1}};
  dr = std::vector<Numbers>{{0, 0}, {0}};
  __enzyme_autodiff((void *)grownRows, enzyme_dup, &r, &dr, enzyme_dup, &x,
                    &dx);
  RG_NEAR(dr[0][0], 2 * 2 * (1 + 0.7 * 0.7));
  RG_NEAR(dr[0][1], 2 * 3);
  RG_NEAR(dr[1][0], 2 * (1 + 0.7 * 0.7));

  r = std::vector<Numbers>{{2, 3}, {1, 5}};
  dr = std::vector<Numbers>{{0, 0}, {0, 0}};
  __enzyme_autodiff((void *)withoutFirst, enzyme_dup, &r, &dr, enzyme_dup, &x,
                    &dx);
  RG_NEAR(dr[0][0], 2 + 2 * 3 * 0.7 * 0.7);
  RG_NEAR(dr[0][1], 2 * 2 * 5);

  std::vector<float> v{2, 3, 0, 1, 0.5f}, dv(5);
  const std::vector<float> before = v;
  __enzyme_autodiff((void *)floats, enzyme_dup, &v, &dv, enzyme_dup, &x, &dx);
  for (int i = 0; i < 5; ++i)
    RG_NEARF(dv[i], 2 * before[i] * (1 + 0.7 * 0.7));

  Lists m{{1, {2}}, {2, {3, 4}}}, dm{{1, {0}}, {2, {0, 0}}};
  __enzyme_autodiff((void *)lists, enzyme_dup, &m, &dm, enzyme_dup, &x, &dx);
  RG_NEAR(dm[1][0], 2 * 2 + 2 * 2 * 2 * 0.7 * 0.7);
  RG_NEAR(dm[2][0], 2 * 2 * 3);
  RG_NEAR(dm[2][1], 2 * 2 * 2 * 4);

  Numbers u{2, 3}, du{0, 0};
  dx = 0;
  void *tape = __enzyme_augmentfwd((void *)insert, enzyme_dup, &u, &du,
                                   enzyme_dup, &x, &dx);
  RG_TRUE(du.size() == 3);
  __enzyme_reverse((void *)insert, enzyme_dup, &u, &du, enzyme_dup, &x, &dx,
                   1.0, tape);
  RG_NEAR(du[0], 2 * 2 * 2);
  RG_NEAR(du[1], 2 * 3 * 3 + 2 * 3 * 0.7 * 0.7);
  RG_NEAR(du[2], 0);

  // Tangents of derivatives move with them.
  u = Numbers{2, 3};
  Numbers tu{0, 1}, tdu{0, 0};
  du = Numbers{0, 0};
  double tx = 0, tdx = 0;
  dx = 0;
  __enzyme_fwddiff((void *)gradient, enzyme_dup, &u, &tu, enzyme_dup, &du, &tdu,
                   enzyme_dup, &x, &tx, enzyme_dup, &dx, &tdx);
  RG_NEAR(du[1], 2 * 3 * 3 + 2 * 3 * 0.7 * 0.7);
  RG_NEAR(tdu[0], 0);
  RG_NEAR(tdu[1], 2 * 3 + 2 * 0.7 * 0.7);
  RG_NEAR(tdx, 2 * 2 * 3 * 0.7);
  return rgReport();
}
