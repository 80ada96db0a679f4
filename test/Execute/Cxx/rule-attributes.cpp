// RG-LEVELS: O0 O2 O3
// RG-FLAGS: -std=c++20
// Rules as attributes: functions, templates, methods, namespaces, declarations.
#include "rgtest.h"
#include <cmath>
extern "C" double __enzyme_autodiff(void *, ...);
extern "C" double __enzyme_fwddiff(void *, ...);
extern int enzyme_const;
int enzyme_const;

// Every rule here is wrong on purpose by a factor of its own, so that its use shows.
namespace solver {
double aug_root(double x) { return std::sqrt(x); }
double rev_root(double x, double seed) { return 11 * seed / std::sqrt(x); }
double fwd_root(double x, double dx) { return 13 * dx / std::sqrt(x); }
__attribute__((enzyme("augment", aug_root), enzyme("gradient", rev_root))) __attribute__((
    enzyme("derivative", fwd_root))) double
root(double x) {
  return std::sqrt(x);
}
} // namespace solver
double uses_root(double x) { return solver::root(x) * 2; }

// Overloads and templates: each instance has its own rule.
template <class T> T aug_scale(T x) { return 3 * x; }
template <class T> T rev_scale(T x, T seed) { return 17 * seed; }
template <class T>
[[enzyme::augment(&aug_scale<T>), enzyme::gradient(&rev_scale<T>)]] T scale(T x) {
  return 3 * x;
}
double uses_scale(double x) { return scale(x) + scale((float)x); }

// References, and a method.
void aug_add(const double &x, const double &dx, double &y, double &dy) { y += x; }
void rev_add(const double &x, double &dx, double &y, double &dy) { dx += 19 * dy; }
[[enzyme_augment(aug_add)]] [[enzyme_gradient(rev_add)]] void add(const double &x, double &y) {
  y += x;
}
double uses_add(double x) {
  double y = x;
  add(x, y);
  return y;
}
struct material {
  double e;
  static double aug(const material *m, const material *dm, double s) { return m->e * s; }
  static double rev(const material *m, material *dm, double s, double seed) {
    if (dm)
      dm->e += s * seed;
    return 23 * seed;
  }
  [[enzyme::augment(aug), enzyme::gradient(rev)]] double stress(double s) const { return e * s; }
};
double uses_method(double x) {
  material m{2};
  return m.stress(x);
}
double uses_active_method(double x) {
  material m{x};
  return m.stress(5);
}

// Without a body, and inactive.
extern "C" [[enzyme::inactive]] double count(double x);
__asm__(".globl count\n.type count,@function\ncount: addsd %xmm0, %xmm0\nret\n");
double uses_count(double x) { return count(x) * x; }
struct meter {
  double last = 0;
  __attribute__((enzyme_inactive)) void note(double x) { last = x; }
};
double uses_note(double x) {
  meter m;
  m.note(x);
  return x * x + (m.last > 100 ? 1 : 0);
}
[[enzyme::function_like("log1p")]] double my_log(double x) { return x - 1; }
double uses_log(double x) { return my_log(x) * my_log(x); }
__attribute__((annotate("enzyme_inactive"))) double seen(double x) { return x; }
double uses_seen(double x) { return seen(x) * x; }

int main() {
  double x = 1.7, s = std::sqrt(x);
  RG_NEAR(__enzyme_autodiff((void *)uses_root, x), 22 / s);
  RG_NEAR(__enzyme_fwddiff((void *)uses_root, x, 1.0), 26 / s);
  RG_NEAR(__enzyme_autodiff((void *)solver::root, x), 11 / s);
  RG_NEAR(__enzyme_autodiff((void *)uses_scale, x), 34);
  RG_NEAR(__enzyme_fwddiff((void *)uses_scale, x, 1.0), 6);
  RG_NEAR(__enzyme_autodiff((void *)uses_add, x), 20);
  RG_NEAR(__enzyme_autodiff((void *)uses_method, x), 23);
  RG_NEAR(__enzyme_autodiff((void *)uses_active_method, x), 5);
  RG_NEAR(__enzyme_fwddiff((void *)uses_active_method, x, 1.0), 5);
  RG_NEAR(__enzyme_autodiff((void *)uses_count, x), 2 * x);
  RG_NEAR(__enzyme_fwddiff((void *)uses_count, x, 1.0), 2 * x);
  RG_NEAR(__enzyme_autodiff((void *)uses_note, x), 2 * x);
  RG_NEAR(__enzyme_fwddiff((void *)uses_note, x, 1.0), 2 * x);
  RG_NEAR(__enzyme_autodiff((void *)uses_log, x), 2 * (x - 1) / (1 + x));
  RG_NEAR(__enzyme_fwddiff((void *)uses_log, x, 1.0), 2 * (x - 1) / (1 + x));
  RG_NEAR(__enzyme_autodiff((void *)uses_seen, x), x);
  RG_NEAR(__enzyme_fwddiff((void *)uses_seen, x, 1.0), x);
  return rgReport();
}
