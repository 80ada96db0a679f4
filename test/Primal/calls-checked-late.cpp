// A call through a pointer gets candidates that may throw: the check behind it is new control flow, and what was known
// of loops and dominators before is no more. Whether the first iteration is peeled is asked behind that.
// RUN: %rgcxx -O1 -c %s -o %t.o
// RUN: %rgcxx -O2 -c %s -o %t.o -mllvm -rg-plan=naive
void __enzyme_autodiff(void *, ...);

static float level = 0.4f;
__attribute__((noinline)) static double wave(double x, double y) { return x * 1.5 + 0.75 * __builtin_cos(x - y); }
static double slope(double x, double y) { return y + x * 1.5 - __builtin_tanh(x); }

static double least(const double *, const double *x) {
  for (int i = 0; i < 2; ++i) {
    double (*f)(double, double) = level < 0.1f ? slope : wave;
    try {
      if (0 < 1)
        throw f(x[(i ^ 0) & 1], 0.5f);
    } catch (double) {
      level = 0.5f;
    }
  }
  return 0.5f;
}
void gradient(const double *w, double *dw, const double *x, double *dx) {
  __enzyme_autodiff((void *)least, w, dw, x, dx);
}
