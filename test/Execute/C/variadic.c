// Numbers in variable arguments: lists that are copied, handed on, kept in a struct; integers, pointers, structs
// in registers and in memory, long double; more of them than there are registers.
// RG-LEVELS: O0 O1 O2 O3
#include "rgtest.h"
#include <complex.h>
#include <stdarg.h>
#include <math.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
double sum(int n, ...) { va_list a; va_start(a, n); double s = 0; for (int i = 0; i < n; i++) { double x = va_arg(a, double); s += x * x; } va_end(a); return s; }
double f(double x) { return sum(2, x, x * x); }
static double vdot(int n, va_list a) { double s = 1; for (int i = 0; i < n; i++) s *= va_arg(a, double); return s; }
double prod(int n, ...) { va_list a, b; va_start(a, n); va_copy(b, a); double s = vdot(n, a) + va_arg(b, double); va_end(a); va_end(b); return s; }
double g(double x) { return prod(3, x, sin(x), 2.0) + prod(10, x, x, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, x); }
struct P { double a, b; }; struct Q { double a[4]; int k; };
double mixed(const char *kinds, ...) { va_list a; va_start(a, kinds); double s = 0;
  for (; *kinds; kinds++) switch (*kinds) { case 'd': s += va_arg(a, double) * 2; break; case 'i': s *= va_arg(a, int); break; case 'p': { double *p = va_arg(a, double *); s += p[0] * p[1]; break; }
    case 's': { struct P p = va_arg(a, struct P); s += p.a * p.b; break; } case 'q': { struct Q q = va_arg(a, struct Q); s += q.a[1] * q.a[3] * q.k; break; } case 'L': s += (double)va_arg(a, long double); break; }
  va_end(a); return s; }
double h(double x) { double p[2] = {x, x * x}; struct P s = {x, 3}; struct Q q = {{0, x, 0, x * x}, 2}; return mixed("dipsqL", x, 3, p, s, q, (long double)(x * x)); }
#include <stdio.h>
__attribute__((noinline)) static double sumf(int n, ...) { va_list a; va_start(a, n); double s = 0; struct F2 { float x, y; }; for (int i = 0; i < n; i++) { struct F2 v = va_arg(a, struct F2); s += v.x * v.y; } double _Complex c = va_arg(a, double _Complex); s += creal(c * c) ; va_end(a); return s; }
double f2(double x) { struct F2 { float x, y; } a = {x, 2 * x}, b = {3, x * x}; return sumf(2, a, b, x + 2 * x * I); }
// 10 doubles, interleaved ints over the number of registers
double mix(int n, ...) { va_list a; va_start(a, n); double s = 0; for (int i = 0; i < n; i++) { int k = va_arg(a, int); double v = va_arg(a, double); s += k * v * v; } va_end(a); return s; }
double g2(double x) { return mix(10, 1, x, 2, 2 * x, 3, 1.0, 4, x * x, 5, x, 6, x, 7, x, 8, x, 9, 2.0, 10, sin(x)); }
// a list in a struct
struct L { va_list a; int left; };
static double next(struct L *l) { return l->left-- > 0 ? va_arg(l->a, double) : 1; }
double st(int n, ...) { struct L l; l.left = n; va_start(l.a, n); double p = 1; for (int i = 0; i < 5; i++) p *= next(&l); va_end(l.a); return p; }
double h2(double x) { return st(3, x, x, cos(x)); }
// Printed, too.
static double logged(double x, const char *format, ...) {
  char text[64];
  va_list a;
  va_start(a, format);
  vsnprintf(text, sizeof text, format, a);
  va_end(a);
  return x * x * (text[0] == 'x' ? 2 : 1);
}
double k(double x) { return logged(x, "x = %g", x) * x; }
// Of a report that is told numbers and where they are, sometimes nothing.
struct state { double at; int reports; };
__attribute__((noinline)) static void report(struct state *s, const char *format, ...) {
  char text[64];
  va_list a;
  va_start(a, format);
  vsnprintf(text, sizeof text, format, a);
  va_end(a);
  s->reports += text[0] == 'x';
  if (s->reports > 100)
    report(s, "too many");
}
double m(double x) {
  struct state s = {x, 0};
  report(&s, "begin");
  for (int i = 0; i < 3; i++) {
    s.at *= sin(s.at) + x;
    report(&s, "x is %g in step %d", x, i);
  }
  report(&s, "end");
  return s.at * s.reports;
}
int main(void) {
  double x = 1.3;
  RG_GRAD(__enzyme_autodiff((void *)f, x), f(x), x);
  RG_GRAD(__enzyme_autodiff((void *)g, x), g(x), x);
  RG_GRAD(__enzyme_autodiff((void *)h, x), h(x), x);
  RG_GRAD(__enzyme_autodiff((void *)g2, x), g2(x), x);
  RG_GRAD(__enzyme_autodiff((void *)h2, x), h2(x), x);
  RG_GRAD(__enzyme_autodiff((void *)k, x), k(x), x);
  RG_GRAD(__enzyme_autodiff((void *)m, x), m(x), x);
  RG_GRAD(__enzyme_fwddiff((void *)m, x, 1.0), m(x), x);
  RG_GRAD(__enzyme_fwddiff((void *)f, x, 1.0), f(x), x);
  RG_GRAD(__enzyme_fwddiff((void *)g, x, 1.0), g(x), x);
  RG_GRAD(__enzyme_fwddiff((void *)h, x, 1.0), h(x), x);
  RG_GRAD(__enzyme_fwddiff((void *)g2, x, 1.0), g2(x), x);
  RG_GRAD(__enzyme_fwddiff((void *)h2, x, 1.0), h2(x), x);
  RG_GRAD(__enzyme_fwddiff((void *)k, x, 1.0), k(x), x);
  RG_WITHIN(__enzyme_autodiff((void *)f2, x), 4 * x, 1e-5); // floats inside
  RG_WITHIN(__enzyme_fwddiff((void *)f2, x, 1.0), 4 * x, 1e-5);
  return rgReport();
}
