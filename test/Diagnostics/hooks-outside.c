// Hooks that nothing in this file can be, called where they are set: they may change variables that others see.
// RUN: not %rgcc -O0 -c %s -o /dev/null 2>&1 | FileCheck %s
// RUN: not %rgcc -O2 -c %s -o /dev/null 2>&1 | FileCheck %s
// RUN: not %rgcc -O2 -DTEXT -c %s -o /dev/null 2>&1 | FileCheck %s
// CHECK: error: a call through a pointer that derivatives flow through cannot be differentiated yet{{.*}} [RG2003]
extern int enzyme_dup, enzyme_const;
double __enzyme_autodiff(void *, ...);
double level;
#ifdef TEXT
extern void (*tick)(const char *);
#define TICK tick("step")
#else
extern void (*tick)(void);
#define TICK tick()
#endif
double f(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    level = x[i];
    if (tick)
      TICK;
    s += level * x[i];
  }
  return s;
}
void g(double *x, double *dx, int n) { __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_const, n); }
