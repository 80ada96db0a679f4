// What of oneTBB has no derivative is named.
// REQUIRES: tbb
// RUN: not %rgcxx -O1 -g1 -DENQUEUE -c %s -o %t.o 2>&1 | FileCheck --check-prefix=ENQUEUE %s
// RUN: not %rgcxx -O1 -g1 -DOWN -c %s -o %t.o 2>&1 | FileCheck --check-prefix=OWN %s
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
void __enzyme_autodiff(void *, ...);
thread_local double own;
static double f(const double *x, int n) {
  double y[8];
#if defined(ENQUEUE)
  // ENQUEUE: error: this parallel construct cannot be differentiated: a task of oneTBB that goes on by itself, {{.*}} [RG2202]
  tbb::task_arena arena;
  arena.enqueue([&] { y[0] = x[0] * x[1]; });
#else
  // OWN: error: this parallel construct cannot be differentiated: the threadprivate or thread_local variable 'own' holds active numbers{{.*}} [RG2202]
  tbb::parallel_for(0, n, [&](int i) {
    own = own * x[i];
    y[i] = own;
  });
#endif
  return y[0];
}
void gradient(const double *x, double *d) { __enzyme_autodiff((void *)f, x, d, 8); }
