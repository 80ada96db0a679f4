// -rg-nan=report|trap: the first adjoint that stops being finite, with the line, the operation and what it read.
// RUN: %rgcc -O2 -mllvm -rg-nan=report %s -lm -o %t && %t 2>&1 | FileCheck %s
// RUN: %rgcc -O0 -g -mllvm -rg-nan=report -mllvm -rg-plan=naive %s -lm -o %t && %t 2>&1 | FileCheck %s
// RUN: %rgcc -O2 -ffast-math -fno-math-errno -mllvm -rg-nan=report %s -lm -o %t && %t 2>&1 | FileCheck --check-prefix=FAST %s
// RUN: %rgcc -O2 -mllvm -rg-nan=trap -DALONE=1 %s -lm -o %t && not --crash %t 2>&1 | FileCheck --check-prefix=TRAP %s
// RUN: %rgcc -O2 -mllvm -rg-nan=trap -DALONE=0 %s -lm -o %t && %t 2>&1 | FileCheck --check-prefix=NONE %s
// RUN: %rgcc -O2 -DALONE=1 %s -lm -o %t && %t 2>&1 | FileCheck --check-prefix=OFF %s
#include <math.h>
#include <pthread.h>
#include <stdio.h>
extern int enzyme_const; double __enzyme_autodiff(void *, ...);

__attribute__((noinline)) static double norm(const double *v, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += v[i] * v[i];
  return sqrt(s); // line 17: not differentiable where the sum is zero
}
static double length(double x, int n) {
  double v[4];
  for (int i = 0; i < n; ++i)
    v[i] = x * i;
  return norm(v, n) + sin(x);
}
static double quotient(double a, double b) {
  double small = b * b - b;
  return a / small; // line 27
}
static double power(double x, double y) {
  return pow(x, y); // line 30
}
static double inLoop(double x) {
  double s = x;
  for (int i = 0; i < 5; ++i) {
    s = s * s - 2;
    s += log(4 - i * 1.0 + 0 * s); // line 36: log(0) for i = 4
  }
  return s;
}
static float narrow(float x) { return sqrtf(x * x) * 2; }

struct job { double x; int which; };
static void *run(void *p) {
  struct job *j = (struct job *)p;
  double d = 0;
  switch (j->which) {
  case 0: d = __enzyme_autodiff((void *)length, j->x + 1, 4); break; // nothing to say
  case 1: d = __enzyme_autodiff((void *)length, j->x, 4); break;
  case 2: d = __enzyme_autodiff((void *)quotient, enzyme_const, 1.0, j->x + 1); break;
  case 3: d = __enzyme_autodiff((void *)power, j->x, enzyme_const, 0.5); break;
  case 4: d = __enzyme_autodiff((void *)inLoop, j->x + 1.5); break;
  }
  printf("%d: %s\n", j->which, d - d == 0 ? "finite" : "not finite");
  return 0;
}
int main(void) {
#ifdef ALONE
  struct job alone = {0, ALONE};
  run(&alone);
  return 0;
#endif
  // Each on a thread of its own: the first one of a thread is named.
  for (int k = 0; k < 5; ++k) {
    struct job j = {0, k};
    pthread_t t;
    pthread_create(&t, 0, run, &j);
    pthread_join(t, 0);
  }
  return 0;
}
// CHECK: 0: finite
// CHECK-NEXT: nan-origin.c:17:10: in 'norm': {{.*}}sqrt{{.*}}: the adjoint of operand 1 became inf: adjoint of the result 1, {{.*}}= 0 [rg-nan]
// CHECK-NEXT: 1: not finite
// CHECK: nan-origin.c:27:12: in 'quotient': fdiv: the adjoint of operand {{[12]}} became {{-?}}{{inf|nan}}: adjoint of the result 1, {{.*}}operand 2 = 0{{.*}} [rg-nan]
// CHECK: nan-origin.c:30:10: in 'power': {{.*}}pow{{.*}}: the adjoint of operand {{[12]}} became {{-?}}{{inf|nan}}: adjoint of the result 1, operand 1 = 0, operand 2 = 0.5{{.*}} [rg-nan]
// CHECK: nan-origin.c:36:{{[0-9]+}}: in 'inLoop': {{.*}}log{{.*}}: the adjoint of operand 1 became inf: adjoint of the result 1, operand 1 = 0 [rg-nan]
// FAST: nan-origin.c:17:10: in 'norm': {{.*}}sqrt
// TRAP: nan-origin.c:17:10: in 'norm'
// TRAP-NOT: finite
// NONE-NOT: rg-nan
// NONE: 0: finite
// OFF-NOT: rg-nan
// OFF: 1: not finite
