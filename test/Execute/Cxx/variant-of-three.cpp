// Variants of a number, an integer and a string: the word that they share is any of three by turns.
// RG-LEVELS: O0 O1 O2
#include "rgtest.h"
#include <map>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>
extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

using Value = std::variant<double, int, std::string>;
double list(const double *x, int) {
  std::vector<Value> v;
  v.push_back(x[0]);
  v.push_back(3);
  v.push_back(std::string("a string that is too long to be short"));
  v.push_back(x[1] * x[2]);
  v.push_back(std::string("s"));
  double r = 0;
  for (auto &e : v)
    r += std::visit(
        [](auto &a) -> double {
          using T = std::decay_t<decltype(a)>;
          if constexpr (std::is_same_v<T, std::string>)
            return a.size();
          else
            return a * a;
        },
        e);
  if (auto *d = std::get_if<double>(&v[3]))
    r *= *d;
  return r;
}
double options(const double *x, int n) {
  std::map<std::string, Value> m;
  m["dt"] = x[0];
  m["steps"] = n + 1;
  m["method"] = std::string("midpoint");
  m["k"] = x[1];
  double y = x[2], dt = std::get<double>(m.at("dt")), k = std::get<double>(m["k"]);
  for (int i = 0; i < std::get<int>(m["steps"]); ++i)
    y -= std::get<std::string>(m["method"]) == "euler" ? dt * k * y : dt * k * (y - dt / 2 * k * y);
  return y * y;
}
#ifdef __OPTIMIZE__ // at -O0 a copy of four bytes has no type: RG1103
struct Idle {
  double energy;
};
struct Run {
  double speed, at;
  std::string label;
};
struct Fail {
  int code;
};
double machine(const double *x, int n) {
  std::variant<Idle, Run, Fail> s = Idle{x[0]};
  std::vector<std::variant<Idle, Run, Fail>> seen;
  for (int t = 0; t < 3 * n; ++t) {
    seen.push_back(s);
    if (auto *i = std::get_if<Idle>(&s)) {
      if (i->energy > 0.5)
        s = Run{i->energy * x[1], 0, "running fast and furiously"};
      else
        s = Idle{i->energy + x[2]};
    } else if (auto *r = std::get_if<Run>(&s)) {
      if (r->at > 2)
        s = Fail{3};
      else
        s = Run{r->speed * 0.9, r->at + r->speed, r->label};
    } else {
      s = Idle{x[2] * std::get<Fail>(s).code};
    }
  }
  double sum = 0;
  for (auto &h : seen)
    if (auto *i = std::get_if<Idle>(&h))
      sum += i->energy * i->energy;
    else if (auto *r = std::get_if<Run>(&h))
      sum += r->speed * r->at + r->label.size();
    else
      sum += std::get<Fail>(h).code;
  return sum;
}
#endif

#define CHECK(F)                                                                                   \
  do {                                                                                             \
    double d[3] = {0}, v[3] = {0.3, -0.6, 1}, along = 0;                                           \
    __enzyme_autodiff((void *)F, enzyme_dup, x, d, enzyme_const, 3);                               \
    RG_GRADS(d, F(x, 3), x, 3);                                                                    \
    for (int i = 0; i < 3; ++i)                                                                    \
      along += v[i] * d[i];                                                                        \
    RG_NEAR(__enzyme_fwddiff((void *)F, enzyme_dup, x, v, enzyme_const, 3), along);                \
  } while (0)
int main() {
  double x[] = {0.3, 1.3, 0.4};
  CHECK(list);
  CHECK(options);
#ifdef __OPTIMIZE__
  CHECK(machine);
#endif
  return rgReport();
}
int enzyme_dup, enzyme_const;
