// Where threads share memory, additions to adjoints are plain if no two threads can meet; where
// the run tells whether they do, threads compare; else they are atomic. A remark at the line
// says why.
// RUN: %rgcc -O2 -g1 -fopenmp -Rpass=retrograd -c %s -o /dev/null 2>&1 | grep "adds to" | FileCheck %s
double __enzyme_autodiff(void *, ...);
int enzyme_const;

// CHECK-DAG: accumulation.c:[[@LINE+4]]:{{.*}} without atomic operations, because no two iterations of the shared loop read the same place
void apart(double *x, double *y, int n) {
#pragma omp parallel for schedule(dynamic, 4)
  for (int i = 0; i < n; ++i)
    y[2 * i] = x[2 * i] * x[2 * i + 1];
}
// CHECK-DAG: accumulation.c:[[@LINE+4]]:{{.*}} without atomic operations: where several threads read a place, each adds to its own copy
void neighbours(double *x, double *y, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    y[i] = x[i] * x[i + 1];
}
// CHECK-DAG: accumulation.c:[[@LINE+6]]:{{.*}} without atomic operations: where several threads read a place, each adds to its own copy
void rounds(double *x, double *y, int n) {
#pragma omp parallel
  for (int t = 0; t < n; ++t)
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < n; ++i)
      y[t * n + i] = x[i] * x[i];
}
// CHECK-DAG: accumulation.c:[[@LINE+6]]:{{.*}} without atomic operations, because no two iterations
void roundsThatWait(double *x, double *y, int n) {
#pragma omp parallel
  for (int t = 0; t < n; ++t) {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < n; ++i)
      y[t * n + i] = x[i] * x[i];
  }
}
// CHECK-DAG: accumulation.c:[[@LINE+4]]:{{.*}} without atomic operations, because the thread writes there itself
void inPlace(double *x, double *y, const int *at, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    x[at[i]] = x[at[i]] * y[0];
}
// CHECK-DAG: accumulation.c:[[@LINE+4]]:{{.*}} without atomic operations: where several threads read a place, each adds to its own copy
void gathered(double *x, double *y, const int *at, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    y[i] = x[at[i]] * 2;
}
// Each thread of the outer team has a team that reads all of x.
// CHECK-DAG: accumulation.c:[[@LINE+6]]:{{.*}} atomically, because other threads may read the same place
void nested(double *x, double *y, int n) {
#pragma omp parallel for
  for (int j = 0; j < 4; ++j)
#pragma omp parallel for
    for (int i = 0; i < n; ++i)
      y[j * n + i] = x[i] * x[i];
}
// A callee that stays reads x, too, and does not tell where.
__attribute__((noinline)) static double square(const double *x, int i) { return x[i] * x[i]; }
// CHECK-DAG: accumulation.c:[[@LINE+4]]:{{.*}} atomically, because other threads may read the same place
void called(double *x, double *y, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    y[i] = x[i + 1] + square(x, i);
}
// A task adds to a copy of its own where it waits for nobody; one that does may be waited for.
// CHECK-DAG: accumulation.c:[[@LINE+6]]:{{.*}} each adds to its own copy, because the work waits for nobody before its end
void tasks(double *x, double *y, int n) {
#pragma omp parallel
#pragma omp single
#pragma omp taskloop
  for (int i = 0; i < n; ++i)
    y[i] = x[0] * x[1];
}
// CHECK-DAG: accumulation.c:[[@LINE+9]]:{{.*}} atomically, because other threads may read the same place
void tasksThatWait(double *x, double *y, int n) {
#pragma omp parallel
#pragma omp single
#pragma omp taskloop
  for (int i = 0; i < n; ++i)
#pragma omp critical
  {
    int k = i % 2;
    y[k] += x[n + i];
  }
}
void all(double *x, double *dx, double *y, double *dy, const int *at, int n) {
  __enzyme_autodiff((void *)apart, x, dx, y, dy, n);
  __enzyme_autodiff((void *)neighbours, x, dx, y, dy, n);
  __enzyme_autodiff((void *)rounds, x, dx, y, dy, n);
  __enzyme_autodiff((void *)roundsThatWait, x, dx, y, dy, n);
  __enzyme_autodiff((void *)inPlace, x, dx, y, dy, enzyme_const, at, n);
  __enzyme_autodiff((void *)gathered, x, dx, y, dy, enzyme_const, at, n);
  __enzyme_autodiff((void *)called, x, dx, y, dy, n);
  __enzyme_autodiff((void *)nested, x, dx, y, dy, n);
  __enzyme_autodiff((void *)tasks, x, dx, y, dy, n);
  __enzyme_autodiff((void *)tasksThatWait, x, dx, y, dy, n);
}
