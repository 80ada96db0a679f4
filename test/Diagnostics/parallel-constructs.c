// What of OpenMP has no derivative is named at its line.
// RUN: not %rgcc -O2 -fopenmp -g -DTASK %s -o /dev/null 2>&1 | FileCheck --check-prefix=TASK %s
// RUN: not %rgcc -O2 -fopenmp -g -DLONG %s -o /dev/null 2>&1 | FileCheck --check-prefix=LONG %s
// RUN: not %rgcc -O2 -fopenmp -g -DLIMIT %s -o /dev/null 2>&1 | FileCheck --check-prefix=LIMIT %s
// Whether regions are cancelled is known when the program runs.
// RUN: %rgcc -O1 -fopenmp -DCANCEL %s -o %t && %t && env OMP_CANCELLATION=true not --crash %t 2>&1 | FileCheck --check-prefix=CANCEL %s
// CANCEL: retrograd: a region is cancelled (OMP_CANCELLATION), which cannot be differentiated
// RUN: not %rgcc -O2 -fopenmp -g -DFLUSH %s -o /dev/null 2>&1 | FileCheck --check-prefix=FLUSH %s
// RUN: not %rgcc -O2 -fopenmp -g -DPRIVATE %s -o /dev/null 2>&1 | FileCheck --check-prefix=PRIVATE %s
// RUN: not %rgcc -O2 -fopenmp -g -DALLOCATOR %s -o /dev/null 2>&1 | FileCheck --check-prefix=ALLOCATOR %s
double __enzyme_autodiff(void *, ...);
#ifdef ALLOCATOR
#include <omp.h>
#endif
#ifdef PRIVATE
static double mine;
#pragma omp threadprivate(mine)
#endif

#ifdef TASK
__attribute__((noinline)) static void part(double *x, double *s) {
// TASK: this parallel construct cannot be differentiated: a reduction over tasks {{.*}}another function{{.*}} [RG2202]
// TASK: parallel-constructs.c:[[@LINE+2]]:{{.*}} it is here
#pragma omp task in_reduction(+ : s[0])
  s[0] += x[0] * x[1];
}
#endif

double f(double *x, int n) {
  double s = 0;
#ifdef TASK
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup task_reduction(+ : s)
    part(x, &s);
  }
#elif defined(ALLOCATOR)
  omp_allocator_handle_t own = omp_init_allocator(omp_default_mem_space, 0, 0);
  double *y = omp_alloc(n * sizeof *y, own);
  for (int i = 0; i < n; ++i)
    y[i] = x[i] * x[i];
  s = y[0] + y[n - 1];
  omp_free(y, own);
// ALLOCATOR: this parallel construct cannot be differentiated: the end of an allocator, {{.*}}outside of the differentiated function{{.*}} [RG2202]
// ALLOCATOR: parallel-constructs.c:[[@LINE+1]]:{{.*}} it is here
  omp_destroy_allocator(own);
#elif defined(CANCEL)
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < n; ++i) {
    s += x[i] * x[i];
#pragma omp cancel for if (x[i] > 2)
  }
#elif defined(LONG)
  long double big[4] = {x[0], x[1]};
  long double t = 0;
#pragma omp parallel for reduction(+ : t)
  for (int i = 0; i < n; ++i)
// LONG: this parallel construct cannot be differentiated: {{.*}}neither float nor double{{.*}} [RG2202]
// LONG: parallel-constructs.c:[[@LINE+1]]:{{.*}} it is here, in 'f (parallel region)'
    t += big[i % 2] * x[i];
  s = t;
#elif defined(PRIVATE)
#pragma omp parallel
  {
// PRIVATE: this parallel construct cannot be differentiated: the threadprivate or thread_local variable 'mine' {{.*}} with tasks {{.*}} [RG2202]
    mine = x[0] * x[1];
#pragma omp task
    x[2] = x[3];
#pragma omp critical
    s += mine;
  }
#pragma omp parallel reduction(+ : s)
  s += mine;
#elif defined(FLUSH)
  volatile int ready = 0;
#pragma omp parallel shared(ready)
  {
#pragma omp master
    x[0] = x[1] * x[2];
// FLUSH: this parallel construct cannot be differentiated: a flush: {{.*}} [RG2202]
#pragma omp flush
    ready = 1;
  }
  s = x[0];
#else
// LIMIT: this parallel construct cannot be differentiated: teams with a limit of threads{{.*}} [RG2202]
#pragma omp teams distribute parallel for thread_limit(2)
  for (int i = 1; i < n; ++i)
    x[i] *= x[0];
  s = x[n - 1];
#endif
  return s;
}
int main(void) {
  double x[4] = {1, 2, 3, 4}, d[4] = {0};
  __enzyme_autodiff((void *)f, x, d, 4);
}
