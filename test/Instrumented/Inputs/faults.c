/* One fault per kind of instrumentation, so that a test which sees none proves something. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
double __enzyme_autodiff(void *, ...);
static double f(double x, int n) {
  double *p = (double *)malloc(n * sizeof(double));
  for (int i = 0; i < n; ++i)
    p[i] = sin(x + i);
#if defined(PLANT_ADDRESS) || defined(PLANT_VALGRIND)
  double s = p[n]; /* out of bounds, in the primal and its derivative */
#elif defined(PLANT_MEMORY)
  double *q = (double *)malloc(n * sizeof(double));
  for (int i = 0; i < n - 1; ++i)
    q[i] = x;
  double s = q[n - 1] > 0 ? p[0] : p[1]; /* never written */
  free(q);
#elif defined(PLANT_UNDEFINED)
  double s = p[0] * (n << (n + 30)); /* shifted too far */
#else
  double s = p[0];
#endif
#if !defined(PLANT_LEAK)
  free(p);
#endif
  return s * x;
}
int main(int argc, char **argv) {
  printf("%g\n", __enzyme_autodiff((void *)f, 0.5, argc + 1));
  return 0;
}
