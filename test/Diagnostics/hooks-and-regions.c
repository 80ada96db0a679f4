// A hook that nothing in this file can be, and a derivative of a parallel region: what the derivative hands to its
// threads has the hook's type, but no pointer of the program leads there.
// RUN: not %rgcc -fopenmp -O0 -c %s -o /dev/null 2>&1 | FileCheck %s
// RUN: not %rgcc -fopenmp -O2 -c %s -o /dev/null 2>&1 | FileCheck %s
// CHECK: error: a call through a pointer that derivatives flow through cannot be differentiated yet: no function of its type has its address taken here [RG2003]
extern int enzyme_dup, enzyme_const;
double __enzyme_autodiff(void *, ...);
extern void (*watch)(double *, double *, double *, double *);
double energy(const double *x, int n, double a) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; i++)
    sum += x[i] * x[i] * a;
  return sum;
}
double watched(const double *x, double a) {
  double y[3] = {x[0] * a, x[1], x[2] * a}, sum = 0;
  if (watch)
    watch(y, y + 1, y + 2, &sum);
  return sum + y[0] * y[1] * y[2];
}
void gradients(const double *x, double *dx, int n) {
  __enzyme_autodiff((void *)energy, enzyme_dup, x, dx, enzyme_const, n, 2.0);
  __enzyme_autodiff((void *)watched, enzyme_dup, x, dx, 2.0);
}
