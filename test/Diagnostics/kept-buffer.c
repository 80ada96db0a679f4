// A buffer that a global pointer keeps from call to call: the first derivative makes it,
// with a shadow; the second one finds it without, and ends with a message.
// RUN: %rgcc -O0 %s -o %t0
// RUN: %rgcc -O2 %s -o %t2
// RUN: %t0 && %t2
// RUN: not --crash %t0 again 2>&1 | FileCheck %s
// RUN: not --crash %t2 again 2>&1 | FileCheck %s
// CHECK: kept-buffer.c:{{[0-9]+}}: in '{{.*}}': error: derivatives flow through memory that has no shadow: what is read here was written at {{.*}}kept-buffer.c:{{[0-9]+}}: in '{{.*}}' [RG1105]
#include <stdlib.h>
double __enzyme_autodiff(void *, ...);
int Steps = 3;
__attribute__((noinline)) static double *room(int n) {
  static double *kept;
  static int size;
  if (n > size) {
    kept = realloc(kept, n * sizeof *kept);
    size = n;
  }
  return kept;
}
static double cube(double x) {
  double *p = room(Steps);
  p[0] = x;
  for (int i = 1; i < Steps; ++i)
    p[i] = p[i - 1] * x;
  return p[Steps - 1];
}
int main(int argc, char **argv) {
  double d = __enzyme_autodiff((void *)cube, 2.0);
  if (argc > 1)
    d = __enzyme_autodiff((void *)cube, 2.0);
  return d != 12;
}
