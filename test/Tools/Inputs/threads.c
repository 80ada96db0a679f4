#include <omp.h>
static double leaf(const double *x, int n) {
  if (n < 2)
    return x[0] * x[0] * x[0];
  double a, b;
#pragma omp task shared(a)
  a = leaf(x, n / 2);
#pragma omp task shared(b)
  b = leaf(x + n / 2, n - n / 2);
#pragma omp taskwait
  return a + b + a * b;
}
double total(const double *x, int n) {
  double r = 0;
#pragma omp parallel
#pragma omp single
  r = leaf(x, n);
  return r;
}
/* A rule that holds for one thread is wrong for two. */
double weight(double v) { return omp_get_max_threads() * v; }
double weightAgain(double v) { return omp_get_max_threads() * v; }
double weightReverse(double v, double seed) { return (void)v, seed; }
double weightForward(double v, double dv) { return (void)v, dv; }
void *__enzyme_register_gradient_weight[] = {(void *)weight, (void *)weightAgain, (void *)weightReverse};
void *__enzyme_register_derivative_weight[] = {(void *)weight, (void *)weightForward};
double first(const double *x, int n) {
  double r = 0;
  for (int i = 0; i < n; ++i)
    r += weight(x[i]);
  return r;
}
