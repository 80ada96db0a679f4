// Patterns are sets of bits in forward mode, with which no user's rule can compute.
// RUN: not %rgcc -O1 -c %s -o %t.o 2>&1 | FileCheck %s
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_pattern;

double given(double x);
struct two { double primal, tangent; };
struct two givenForward(double x, double dx);
void *__enzyme_register_derivative_given[] = {(void *)given, (void *)givenForward};

double f(double x) { return given(x) * x; }
double sink;
void test(double x) {
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: error: instruction 'call' cannot be differentiated here: the rule of 'given' does not tell what depends on what [RG2002]
  sink = __enzyme_fwddiff((void *)f, enzyme_pattern, x, x);
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: error: marker 'enzyme_pattern' has no meaning in a call of '__enzyme_autodiff' [RG1044]
  sink = __enzyme_autodiff((void *)f, enzyme_pattern, x);
}
