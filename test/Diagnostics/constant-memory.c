// Memory that the user calls constant has no shadow: derivatives that would flow
// through it are refused, not lost. Writing what nobody reads back is fine.
// RUN: not %rgcc -O2 -c %s -o %t.o 2>&1 | FileCheck %s
double __enzyme_autodiff(void *, ...);
void __enzyme_autodiff_void(void *, ...);
extern int enzyme_dup, enzyme_const;
typedef struct {
  double *buffer;
  int n;
} Context;

__attribute__((noinline)) static void square(double x, double *t) { *t = x * x; }
static double through(double x, double *t) {
  square(x, t);
  return *t * x;
}
__attribute__((noinline)) static double sum(Context *c) {
  double s = 0;
  for (int i = 0; i < c->n; ++i)
    s += c->buffer[i] * c->buffer[i];
  return s;
}
static double hidden(double *x, Context *c) {
  c->buffer = x;
  return sum(c);
}
static double logged(double x, double *log) {
  *log = x * x;
  return x * x * x;
}
// A later trip reads what an earlier one has written.
static void repeated(double *restrict x, double *restrict p, int n) {
  for (int i = 0; i < n; ++i) {
    x[0] = x[0] * p[i];
    p[i + 2] = x[0] + i;
  }
}

double scratch(double x, double *t) {
  // CHECK: constant-memory.c:[[@LINE+1]]:{{[0-9]+}}: error: memory that derivatives flow through must have a shadow, and this has none: memory reached through a global pointer or a constant argument [RG1105]
  return __enzyme_autodiff((void *)through, x, enzyme_const, t);
}
void pointer(double *x, double *d, Context *c) {
  // CHECK: constant-memory.c:[[@LINE+1]]:{{[0-9]+}}: error: memory that derivatives flow through must have a shadow, and this has none: memory reached through a global pointer or a constant argument [RG1105]
  __enzyme_autodiff_void((void *)hidden, enzyme_dup, x, d, enzyme_const, c);
}
double output(double x, double *log) {
  return __enzyme_autodiff((void *)logged, x, enzyme_const, log);
}
void again(double *x, double *dx, double *p, int n) {
  // CHECK: constant-memory.c:[[@LINE+1]]:{{[0-9]+}}: error: memory that derivatives flow through must have a shadow{{.*}} [RG1105]
  __enzyme_autodiff_void((void *)repeated, enzyme_dup, x, dx, enzyme_const, p, n);
}
// CHECK: 3 errors generated
