/* One fault per kind of instrumentation, so that a test which sees none proves something. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef PLANT_TAPE
/* A derivative that is left by longjmp: nobody ends its tape, and the thread's end does not, either. */
#include <pthread.h>
#include <setjmp.h>
static jmp_buf away;
__attribute__((annotate("enzyme_inactive"), noinline)) static void leave(int n) {
  if (n > 1)
    longjmp(away, 1);
}
#endif
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
#ifdef PLANT_TAPE
  for (double t = s; t < n * 1e3; t += exp(sin(t)))
    s += sin(t * x);
  leave(n);
#endif
  return s * x;
}
#ifdef PLANT_TAPE
static void *run(void *n) {
  if (!setjmp(away))
    __enzyme_autodiff((void *)f, 0.5, *(int *)n);
  return NULL;
}
int main(int argc, char **argv) {
  pthread_t thread;
  ++argc;
  pthread_create(&thread, NULL, run, &argc);
  return pthread_join(thread, NULL);
}
#else
int main(int argc, char **argv) {
  printf("%g\n", __enzyme_autodiff((void *)f, 0.5, argc + 1));
  return 0;
}
#endif
