// Addresses that code computes as integers, in one function, and uses in another: nobody sees what
// is there, so that a derivative would silently miss it. Integers that stay addresses are followed.
// RUN: not %rgcc -O0 -DTAGGED -c %s -o /dev/null 2>&1 | FileCheck %s
// RUN: not %rgcc -O2 -DTAGGED -c %s -o /dev/null 2>&1 | FileCheck %s
// RUN: not %rgcc -O2 -DMASKED -c %s -o /dev/null 2>&1 | FileCheck %s
// RUN: %rgcc -O0 %s -o %t && %t
// RUN: %rgcc -O2 %s -o %t && %t
// CHECK: error: memory that derivatives flow through must have a shadow, and this has none: memory whose address was computed as an integer [RG1105]
#include <retrograd/retrograd.h>
#include <math.h>
#include <stdint.h>

#define APART __attribute__((noinline)) static
#ifdef TAGGED
struct node {
  double value;
  uintptr_t left, right; // the lowest bit is a flag
};
APART double sum(uintptr_t t) {
  struct node *n = (struct node *)(t & ~(uintptr_t)1);
  return n ? (t & 1 ? 2 : 1) * n->value * n->value + sum(n->left) + 3 * sum(n->right) : 0;
}
APART double f(const double *x) {
  struct node a = {x[0], 0, 0}, b = {x[1], (uintptr_t)&a | 1, (uintptr_t)&a};
  return sum((uintptr_t)&b);
}
#elif defined(MASKED)
uintptr_t mask = 0x5555;
APART uintptr_t hide(double *p) { return (uintptr_t)p ^ mask; }
APART double *show(uintptr_t h) { return (double *)(h ^ mask); }
APART double f(const double *x) {
  double t[2] = {x[0] * x[1], x[1]};
  double *p = show(hide(t));
  return p[0] * p[1];
}
#else
APART uintptr_t handle(double *p) { return (uintptr_t)p; }
APART double *memory(uintptr_t h) { return (double *)h; }
APART double f(const double *x) {
  double t[2] = {x[0] * x[1], x[1]};
  double *p = memory(handle(t));
  return p[0] * p[1]; // x0 x1^2
}
#endif
int main(void) {
  double x[2] = {1.5, -0.7}, dx[2] = {0, 0};
  __enzyme_autodiff_void((void *)f, x, dx);
  return fabs(dx[0] - x[1] * x[1]) > 1e-12 || fabs(dx[1] - 2 * x[0] * x[1]) > 1e-12;
}
