// Functions without a body that are given nothing: they may use variables that this file shares
// with others by name. Where such variables carry derivatives in and out, that is an error; not where one
// direction is missing, for what only this file knows, or for functions that leave memory alone.
// RUN: not %rgcc -O0 -DKIND=1 -c %s -o /dev/null 2>&1 | FileCheck --check-prefix=MOVE %s
// RUN: not %rgcc -O2 -DKIND=1 -c %s -o /dev/null 2>&1 | FileCheck --check-prefix=MOVE %s
// RUN: not %rgcc -O2 -DKIND=2 -c %s -o /dev/null 2>&1 | FileCheck --check-prefix=MOVE %s
// RUN: not %rgcc -O2 -DKIND=3 -c %s -o /dev/null 2>&1 | FileCheck --check-prefix=RESULT %s
// RUN: %rgcc -O2 -DKIND=0 -c %s -o %t.other.o
// RUN: %rgcc -O0 -DKIND=4 %s %t.other.o -o %t && %t
// RUN: %rgcc -O2 -DKIND=4 %s %t.other.o -o %t && %t
// MOVE: error: a call that derivatives flow through must have a body or a rule, and 'move' has neither [RG1101]
// RESULT: error: a call that derivatives flow through must have a body or a rule, and 'result' has neither [RG1101]
#include <retrograd/retrograd.h>
#include <math.h>

void move(void);
double result(void);
double progress(int step) __attribute__((const));

#if KIND == 0 // the other file
extern double from[4], to[4];
void move(void) { to[0] = from[0]; }
double result(void) { return from[0]; }
double progress(int step) { return step; }
#else
double from[4], to[4];
static double own[4];

#if KIND == 2
__attribute__((noinline)) static void step(void) { move(); }
#endif

static double f(const double *x) {
#if KIND == 1
  from[0] = x[0] * x[0];
  move();
  return to[0] * x[1];
#elif KIND == 2
  from[0] = x[0] * x[0];
  step();
  return to[0] * x[1];
#elif KIND == 3
  from[0] = x[0] * x[0];
  return result() * x[1];
#else
  own[0] = x[0] * x[0]; // nobody else has it
  from[0] = x[1];       // nobody reads it, or what may be made of it, here
  move();
  return own[0] * x[1] + progress(3);
#endif
}

int main(void) {
  double x[2] = {1.5, -0.7}, dx[2] = {0, 0};
  __enzyme_autodiff_void((void *)f, x, dx);
  return fabs(dx[0] - 2 * x[0] * x[1]) > 1e-12 || fabs(dx[1] - x[0] * x[0]) > 1e-12;
}
#endif
