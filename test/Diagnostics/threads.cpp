// Threads inside of differentiated code are refused at the line that starts one.
// RUN: not %rgcxx -O2 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcxx -O0 -c %s -o %t.o 2>&1 | FileCheck %s
#include <thread>
void __enzyme_autodiff(void *, ...);
static double parallel(const double *x) {
  double r = 0;
  std::thread t([&] { r = x[0] * x[1]; });
  t.join();
  return r;
}
void test(double *x, double *dx) {
  // CHECK: threads.cpp:[[@LINE+2]]:{{[0-9]+}}: error: a call that derivatives flow through must have a body or a rule, and 'std::thread::_M_start_thread' has neither [RG1101]
  // CHECK: note: it is here, in {{.*}}thread
  __enzyme_autodiff((void *)parallel, x, dx);
}
