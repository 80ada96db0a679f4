// What has another order in each run is refused where the same bits are asked for, and a right gradient without.
// RUN: %rgcc -O2 -fopenmp -DCRITICAL -DATOMIC -DTASK %s -o /dev/null
// RUN: not %rgcc -O2 -fopenmp -g -mllvm -rg-deterministic -DCRITICAL %s -o /dev/null 2>&1 | FileCheck --check-prefix=CRITICAL %s
// RUN: not %rgcc -O2 -fopenmp -g -mllvm -rg-deterministic -DATOMIC %s -o /dev/null 2>&1 | FileCheck --check-prefix=ATOMIC %s
// RUN: not %rgcc -O2 -fopenmp -g -mllvm -rg-deterministic -DTASK %s -o /dev/null 2>&1 | FileCheck --check-prefix=TASK %s
double __enzyme_autodiff(void *, ...);
double f(double *x, int n) {
  double s = 0;
#pragma omp parallel
  {
#ifdef CRITICAL
// CRITICAL: this parallel construct cannot be differentiated: -rg-deterministic was given, and each run has another order of a critical {{.*}}[RG2202]
// CRITICAL: deterministic.c:[[@LINE+1]]:{{.*}} it is here
#pragma omp critical
    s += x[0] * x[1];
#endif
#ifdef ATOMIC
#pragma omp for
    for (int i = 0; i < n; ++i)
// ATOMIC: each run has another order of {{.*}}atomic {{.*}}; use a reduction{{.*}}[RG2202]
// ATOMIC: deterministic.c:[[@LINE+2]]:{{.*}} it is here
#pragma omp atomic
      s += x[i] * x[i];
#endif
#ifdef TASK
// TASK: each run has another order of {{a task|a thread or task}}{{.*}}[RG2202]
#pragma omp single
#pragma omp task
    s += x[0] * x[1];
#endif
  }
  return s;
}
int main(void) {
  double x[2] = {1, 2}, d[2] = {0, 0};
  __enzyme_autodiff((void *)f, x, d, 2);
}
