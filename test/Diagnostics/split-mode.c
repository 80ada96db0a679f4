// What may be wrong with the two calls of split mode.
//
// RUN: not %rgcc -O0 -ferror-limit=0 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O2 -ferror-limit=0 -c %s -o %t.o 2>&1 | FileCheck %s
#include <stdlib.h>
extern int enzyme_const, enzyme_dup, enzyme_out, enzyme_width;
extern int enzyme_tape, enzyme_allocated, enzyme_nofree;
void *__enzyme_augmentfwd(void *, ...);
double __enzyme_reverse(void *, ...);
double __enzyme_autodiff(void *, ...);
struct three __enzyme_augmentfwdThree(void *, ...);

double square(double x) { return x * x; }
struct three { double a, b, c; };
struct three cube(double x) {
  struct three r = {x, x * x, x * x * x};
  return r;
}
struct mixed { double v; double *at; };
struct mixed both(double *x) {
  struct mixed r = {*x * *x, x};
  return r;
}
struct wide { double v, w; double *at; };
struct wide inMemory(double *x) {
  struct wide r = {*x * *x, *x, x};
  return r;
}

double sink;
void *tape;
void test(double x, double *p, double *dp, long n, struct three s) {
  // CHECK: split-mode.c:[[@LINE+1]]:{{[0-9]+}}: error: '__enzyme_reverse' of 'square' needs a tape [RG1050]
  sink = __enzyme_reverse((void *)square, x, 1.0);
  // CHECK: note: a reverse sweep takes the pointer that __enzyme_augmentfwd returned
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: '__enzyme_augmentfwd' of 'square' needs a tape [RG1050]
  tape = __enzyme_augmentfwd((void *)square, enzyme_allocated, 8, x);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: '__enzyme_augmentfwd' of 'square' needs a tape [RG1050]
  tape = __enzyme_augmentfwd((void *)square, enzyme_tape, p, x);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: the tape of '__enzyme_reverse' must be a pointer, and an integer of 64 bits is passed [RG1051]
  sink = __enzyme_reverse((void *)square, x, 1.0, n);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: the tape of '__enzyme_reverse' must be a pointer, and a double is passed [RG1051]
  sink = __enzyme_reverse((void *)square, x, enzyme_tape, 2.0);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: memory for a tape must have at least 8 bytes, and enzyme_allocated says 4 [RG1052]
  tape = __enzyme_augmentfwd((void *)square, enzyme_allocated, 4, enzyme_tape, p, x);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: memory for a tape must have at least 8 bytes, and enzyme_allocated says a pointer [RG1052]
  tape = __enzyme_augmentfwd((void *)square, enzyme_allocated, p, enzyme_tape, p, x);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: the tape of '__enzyme_augmentfwd' must be a pointer, and a struct (%struct.three) is passed [RG1051]
  tape = __enzyme_augmentfwd((void *)square, enzyme_allocated, 24, enzyme_tape, s, x);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: the declared result of '__enzyme_augmentfwdThree' must hold what the derivative of 'square' returns: a pointer, a double; it is declared to return a struct (%struct.three) [RG1016]
  s = __enzyme_augmentfwdThree((void *)square, x);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: the adjoint of the result of 'cube' must be passed
  sink = __enzyme_reverse((void *)cube, x, tape);
  // CHECK: [RG1053]
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: the adjoint of the result of 'square' must be passed: a double, once per lane [RG1053]
  sink = __enzyme_reverse((void *)square, enzyme_width, 2, x, 1.0, tape);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: the adjoint of the result of 'square' must be a double, and an integer of 32 bits is passed [RG1054]
  sink = __enzyme_reverse((void *)square, x, 1, tape);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: marker 'enzyme_tape' has no meaning in a call of '__enzyme_autodiff' [RG1044]
  sink = __enzyme_autodiff((void *)square, x, enzyme_tape, p);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: marker 'enzyme_tape' must be followed by the argument that it governs [RG1010]
  sink = __enzyme_reverse((void *)square, x, 1.0, enzyme_tape);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: an argument must have one activity marker: 'enzyme_tape' is followed by 'enzyme_tape' [RG1011]
  sink = __enzyme_reverse((void *)square, x, 1.0, enzyme_tape, p, enzyme_tape, p);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: a derivative call must pass only the parameters of 'square' and their shadows, and 1 more are passed [RG1005]
  sink = __enzyme_reverse((void *)square, x, 1.0, p, p);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}'both' returns a struct {{.*}} [RG1015]
  tape = __enzyme_augmentfwd((void *)both, p, dp);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}'inMemory' returns a struct {{.*}} [RG1015]
  tape = __enzyme_augmentfwd((void *)inMemory, p, dp);
}
int enzyme_const, enzyme_dup, enzyme_out, enzyme_width, enzyme_tape, enzyme_allocated, enzyme_nofree;
