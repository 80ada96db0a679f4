// Markers as programs declare them: extern, defined, static, inline, in a
// namespace, members, of other integer types, through templates by value and by
// reference, and through variadic templates of the entry calls themselves.
// RG-LEVELS: O0 O1 O2 O3
#include "rgtest.h"
#include <utility>
extern int enzyme_const;
int enzyme_dup;
static int enzyme_out;
inline int enzyme_dupnoneed = 0;
namespace markers {
extern int enzyme_const;
int enzyme_dup = 1;
static int enzyme_out = 2;
} // namespace markers
struct Markers {
  static int enzyme_const;
  static inline int enzyme_out = 5;
};
namespace wide {
extern long enzyme_const;
extern unsigned char enzyme_dup;
} // namespace wide

template <class R, class... T> R __enzyme_autodiff(void *, T...);
template <class R, class... T> R __enzyme_fwddiff(T &&...);
extern "C" double __enzyme_autodiff_c(void *, ...);
double __enzyme_autodiff_three(double (*)(const double *, double, int), int, const double *, double *, int,
                               double, int, int);

static double f(const double *p, double x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += p[i] * x * x;
  return s;
}
template <class... A> __attribute__((always_inline)) static double forwarded(A &&...a) {
  return __enzyme_autodiff<double>(reinterpret_cast<void *>(f), std::forward<A>(a)...);
}
template <class... A> __attribute__((always_inline)) static double tangent(A &&...a) {
  return __enzyme_fwddiff<double>(reinterpret_cast<void *>(f), std::forward<A>(a)...);
}

int main() {
  double p[2] = {1, 2}, d[2] = {}, t[2] = {1, 0};
  void *F = reinterpret_cast<void *>(f);
  RG_NEAR(__enzyme_autodiff_c(F, enzyme_dup, p, d, enzyme_out, 3.0, enzyme_const, 2), 18);
  RG_NEAR(d[1], 9);
  RG_NEAR(__enzyme_autodiff_c(F, enzyme_dupnoneed, p, d, 3.0, 2), 18);
  RG_NEAR(__enzyme_autodiff_c(F, markers::enzyme_dup, p, d, markers::enzyme_out, 3.0, markers::enzyme_const, 2), 18);
  RG_NEAR(__enzyme_autodiff_c(F, Markers::enzyme_const, p, Markers::enzyme_out, 3.0, 2), 18);
  RG_NEAR(__enzyme_autodiff_c(F, wide::enzyme_dup, p, d, 3.0, wide::enzyme_const, 2), 18);
  RG_NEAR(__enzyme_autodiff_three(f, enzyme_dup, p, d, enzyme_out, 3.0, enzyme_const, 2), 18);
  d[0] = d[1] = 0;
  RG_NEAR(__enzyme_autodiff<double>(F, enzyme_dup, p, d, enzyme_out, 3.0, enzyme_const, 2), 18);
  RG_NEAR(d[0], 9);
  RG_NEAR(forwarded(enzyme_const, p, enzyme_out, 3.0, enzyme_const, 2), 18);
  double x = 3, xt = 0;
  int n = 2;
  RG_NEAR(tangent(enzyme_dup, (const double *)p, (const double *)t, enzyme_dup, x, xt, enzyme_const, n), 9);
  RG_NEAR(__enzyme_fwddiff<double>((void *)f, enzyme_const, (const double *)p, enzyme_dup, 3.0, 1.0, enzyme_const, 2), 18);
  return rgReport();
}
