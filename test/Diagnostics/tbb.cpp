// What of oneTBB has no derivative is named.
// REQUIRES: tbb
// RUN: not %rgcxx -O1 -g1 -DGROUP -c %s -o %t.o 2>&1 | FileCheck --check-prefix=GROUP %s
// RUN: not %rgcxx -O1 -g1 -DCANCEL -c %s -o %t.o 2>&1 | FileCheck --check-prefix=CANCEL %s
// RUN: not %rgcxx -O1 -g1 -DOWN -c %s -o %t.o 2>&1 | FileCheck --check-prefix=OWN %s
#include <tbb/parallel_for.h>
#include <tbb/task_group.h>
void __enzyme_autodiff(void *, ...);
thread_local double own;
static double f(const double *x, int n) {
  double y[8];
#if defined(GROUP)
  // GROUP: error: this parallel construct cannot be differentiated: a task of oneTBB of a kind that is not known {{.*}} [RG2202]
  tbb::task_group group;
  group.run([&] { y[0] = x[0] * x[1]; });
  group.wait();
#elif defined(CANCEL)
  // CANCEL: error: this parallel construct cannot be differentiated: the end of a loop of oneTBB before all of it has run [RG2202]
  tbb::task_group_context context;
  tbb::parallel_for(
      0, n,
      [&](int i) {
        y[i] = x[i] * x[i];
        if (y[i] > 3)
          context.cancel_group_execution();
      },
      context);
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
