// A buffer that a global pointer keeps from call to call, as in kept-buffer.c, where one thread
// writes and another reads. With optimisation the buffer is none of the caller's any more.
// RUN: %rgcxx -std=c++20 -O0 -pthread -g %s -o %t0
// RUN: %rgcxx -std=c++20 -O2 -pthread -g %s -o %t2
// RUN: %t0 && %t2 && %t2 again
// RUN: not --crash %t0 again 2>&1 | FileCheck %s
// What was written in one derivative, and not read there, is a constant in the next.
// RUN: %t0 next derivative && %t2 next derivative
// CHECK: kept-buffer-threads.cpp:[[@LINE+21]]: in '{{.*}}': error: derivatives flow through memory that has no shadow: what is read here was written at {{.*}}kept-buffer-threads.cpp:[[@LINE+16]]: in '{{.*}}' [RG1105]
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <thread>
double __enzyme_autodiff(void *, ...);

static double *kept;
static bool constant, writesAlone;
static double square(const double *x) {
  if (!kept)
    kept = (double *)malloc(4 * sizeof(double));
  double s = 0;
  if (!constant)
    std::thread([x] {
      for (int i = 0; i < 4; ++i)
        kept[i] = x[i] * x[i];
    }).join();
  if (writesAlone)
    return x[0];
  for (int i = 0; i < 4; ++i)
    s += kept[i] * x[0];
  return s;
}
int main(int argc, char **argv) {
  double x[4] = {1, 2, 3, 4}, d[4] = {};
  if (argc == 3) {
    square(x);
    writesAlone = true;
    __enzyme_autodiff((void *)square, x, d);
    writesAlone = false;
    constant = true;
    __enzyme_autodiff((void *)square, x, d);
    return d[0] != 1 + 30;
  }
  __enzyme_autodiff((void *)square, x, d);
  if (argc > 1)
    memset(d, 0, sizeof d), __enzyme_autodiff((void *)square, x, d);
  return std::fabs(d[0] - 32) > 1e-12 || std::fabs(d[3] - 8) > 1e-12;
}
