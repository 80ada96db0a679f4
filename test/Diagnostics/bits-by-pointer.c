// The bits of a number as members of a struct that lies in a union beside it, reached by a pointer: at -O0 too, where
// the type of the union is not to be seen in the code.
// RUN: not %rgcc -O0 -g %s -o /dev/null 2>&1 | FileCheck %s
// RUN: not %rgcc -O2 -g %s -o /dev/null 2>&1 | FileCheck %s
// CHECK: [RG2002]
// CHECK: bits-by-pointer.c:[[@LINE+11]]:{{.*}} it is here
double __enzyme_autodiff(void *, ...);
struct parts {
  unsigned low, high : 20, exponent : 11, negative : 1;
};
union number {
  double d;
  struct parts p;
};
__attribute__((noinline)) static double twice(union number *u) {
  int left = 1;
  u->p.exponent += left;
  return u->d;
}
static double f(const double *x, int n) {
  union number u[2];
  double s = 0;
  for (int i = 0; i < n; ++i) {
    u[i & 1].d = x[i] * x[i];
    s += twice(&u[i & 1]) * (i + 1);
  }
  return s;
}
int main(void) {
  double x[2] = {1, 2}, d[2] = {0, 0};
  __enzyme_autodiff((void *)f, x, d, 2);
}
