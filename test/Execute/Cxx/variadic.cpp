// Variable arguments of methods, of recursive functions and functions that throw; lists that are read twice.
// RG-LEVELS: O0 O1 O2 O3
#include "rgtest.h"
#include <cstdarg>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
extern int enzyme_dup, enzyme_const;
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
// recursion, stores through pointers that are passed, class methods, throw, many arguments in a loop, va_list restarted
__attribute__((noinline)) static double rec(int n, ...) { va_list a; va_start(a, n); double x = va_arg(a, double), y = va_arg(a, double); va_end(a); if (n < 0) throw std::runtime_error("n"); return n == 0 ? x * y : rec(n - 1, y, x * sin(y)); }
static void outs(double s, ...) { va_list a; va_start(a, s); while (double *p = va_arg(a, double *)) *p += s * s; va_end(a); }
struct Poly { double k; double at(double x, int n, ...) const { va_list a; double s = 0; for (int pass = 0; pass < 2; pass++) { va_start(a, n); double p = k; for (int i = 0; i < n; i++, p *= x) s += p * va_arg(a, double); va_end(a); } return s; } };
static double f1(double x) { double s = 0; for (int i = 1; i < 4; i++) try { s += rec(i, x, x + i) + (i == 3 ? rec(-1, x, x) : 0); } catch (std::runtime_error &e) { s += x; } return s; }
static double f2(double x) { double u = x, v = 1; outs(x, &u, &v, (double *)nullptr); outs(u * v, &u, (double *)nullptr); return u * v; }
static double f3(double x) { Poly p{x}; return p.at(x, 9, 1., x, 2., 3., 4., 5., 6., 7., 8. * x) ; }
static double logged(double x, const char *fmt, ...) { char b[64]; va_list a; va_start(a, fmt); vsnprintf(b, sizeof b, fmt, a); va_end(a); return x * x * (b[0] == 'i' ? 2 : 1); }
static double f4(double x) { return logged(x, "i%d", 3) * x; }
static double avg(double *x, int n) { extern double many(int, ...); return n > 2 ? many(3, x[0], x[1], x[2]) : 0; }
double many(int n, ...) { va_list a; va_start(a, n); double m = -1e300, s = 0; while (n--) { double v = va_arg(a, double); m = fmax(m, v); s += v * v; } va_end(a); return m * s; }
typedef double F(double);
int main() {
  double x = .8;
  RG_GRAD(__enzyme_autodiff((void *)f1, x), f1(x), x);
  RG_GRAD(__enzyme_autodiff((void *)f2, x), f2(x), x);
  RG_GRAD(__enzyme_autodiff((void *)f3, x), f3(x), x);
  RG_GRAD(__enzyme_autodiff((void *)f4, x), f4(x), x);
  RG_GRAD(__enzyme_fwddiff((void *)f1, x, 1.), f1(x), x);
  RG_GRAD(__enzyme_fwddiff((void *)f2, x, 1.), f2(x), x);
  RG_GRAD(__enzyme_fwddiff((void *)f3, x, 1.), f3(x), x);
  RG_GRAD(__enzyme_fwddiff((void *)f4, x, 1.), f4(x), x);
  double v[3] = {1, 3, 2}, g[3] = {};
  __enzyme_autodiff((void *)avg, enzyme_dup, v, g, enzyme_const, 3);
  RG_NEAR(g[0], 6);
  RG_NEAR(g[1], 32);
  RG_NEAR(g[2], 12);
  return rgReport();
}
