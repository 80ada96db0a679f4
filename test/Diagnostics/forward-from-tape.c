// Forward mode from a tape: what it cannot repeat, and tapes that are not its own.
//
// RUN: not %rgcc -O0 -ferror-limit=0 -DWRONG -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O2 -ferror-limit=0 -DWRONG -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %rgcc -O0 %s -o %t -lm && %t 0
// RUN: not --crash %t 1 2>&1 | FileCheck %s --check-prefix=TAPE
// RUN: not --crash %t 2 2>&1 | FileCheck %s --check-prefix=TAPE
// RUN: %rgcc -O2 %s -o %t -lm && %t 0
// RUN: not --crash %t 1 2>&1 | FileCheck %s --check-prefix=TAPE
// RUN: not --crash %t 2 2>&1 | FileCheck %s --check-prefix=TAPE
// TAPE: retrograd: forward mode of 'square' was given a tape that it cannot read: null, made by another function
// TAPE-NOT: number
#include <stdio.h>
#include <stdlib.h>
extern int enzyme_const, enzyme_dup, enzyme_out, enzyme_width, enzyme_primal_return;
void *__enzyme_augmentfwd(void *, ...);
double __enzyme_fwdsplit(void *, ...);
double __enzyme_reverse(void *, ...);
double square(double x) { return x * x; }
double cube(double x) { return x * x * x; }

#ifdef WRONG
struct two { double a, b; } __enzyme_fwdsplit_two(void *, ...);
struct three { double a, b, c; } __enzyme_fwdsplit_three(void *, ...);
double twice(double x) { return 2 * x; }
double wide(double x) { return 2 * x; }
struct three large(double x) { return (struct three){x, x * x, x * x * x}; }
double *active;
double through(double *x) {
  active = x;
  return active[0] * active[0];
}
double ours(double *x);
double run_ours(double *x, double *dx);
void *__enzyme_register_derivative_ours[] = {(void *)ours, (void *)run_ours};
double calls(double *x) { return ours(x) * 2; }
double sink;
void *kept;
void test(double x, double *p, double *d) {
  // CHECK: forward-from-tape.c:[[@LINE+1]]:{{[0-9]+}}: error: '__enzyme_fwdsplit' of 'square' needs a tape [RG1050]
  sink = __enzyme_fwdsplit((void *)square, x, 1.0);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: marker 'enzyme_primal_return' has no meaning in a call of '__enzyme_fwdsplit_three' [RG1044]
  sink = __enzyme_fwdsplit_three((void *)large, enzyme_primal_return, x, 1.0, kept).a;
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: the tape of a call must be read in one way, and this tape of 'twice' is read by __enzyme_reverse and by __enzyme_fwdsplit [RG1034]
  kept = __enzyme_augmentfwd((void *)twice, x);
  sink = __enzyme_reverse((void *)twice, x, 1.0, kept);
  sink = __enzyme_fwdsplit((void *)twice, x, 1.0, kept);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: the tape of a call must be read in one way, and this tape of 'wide' is read by two calls of __enzyme_fwdsplit that have different markers [RG1034]
  kept = __enzyme_augmentfwd((void *)wide, x);
  sink = __enzyme_fwdsplit((void *)wide, x, 1.0, kept);
  sink = __enzyme_fwdsplit_two((void *)wide, enzyme_width, 2, x, 1.0, 2.0, kept).a;
}
void test_bodies(double x, double *p, double *d) {
  // CHECK: error: 'through' cannot be differentiated in forward mode from a tape: the global variable 'active' points to active memory, and may point elsewhere when the tape is read [RG2113]
  kept = __enzyme_augmentfwd((void *)through, p, d);
  sink = __enzyme_fwdsplit((void *)through, p, d, kept);
  // CHECK: error: 'calls' cannot be differentiated in forward mode from a tape: 'ours' works on memory and has a rule that computes values and tangents together [RG2113]
  kept = __enzyme_augmentfwd((void *)calls, p, d);
  sink = __enzyme_fwdsplit((void *)calls, p, d, kept);
}
#endif

int main(int argc, char **argv) {
  int which = argc > 1 ? atoi(argv[1]) : 0;
  void *t = __enzyme_augmentfwd((void *)square, 3.0);
  void *u = __enzyme_augmentfwd((void *)cube, 3.0);
  void *given = which == 0 ? t : which == 1 ? u : NULL;
  double d = __enzyme_fwdsplit((void *)square, 3.0, 1.0, given);
  double e = __enzyme_fwdsplit((void *)cube, 3.0, 1.0, u);
  printf("a number: %g %g\n", d, e);
  return d != 6 || e != 27;
}
int enzyme_const, enzyme_dup, enzyme_out, enzyme_width, enzyme_primal_return;
