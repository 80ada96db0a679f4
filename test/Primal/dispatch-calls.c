// What is still called through a pointer when nothing more is inlined is called by a dispatcher, which compares the pointer.
// RUN: %rgcc -O2 -c %s -o %t.o -fno-discard-value-names -mllvm -rg-print-after=dispatch-calls -mllvm -rg-print-primal 2>&1 | FileCheck %s
typedef double Function(double);
double __enzyme_autodiff(void *, ...);
static double square(double x) { return x * x; }
static double cube(double x) { return x * x * x; }
Function *table[] = {square, cube};

// CHECK: ; after dispatch-calls
// CHECK-LABEL: @rg.primal.f(
// CHECK: [[CALLEE:%.*]] = load ptr, ptr %arrayidx
// CHECK-NEXT: call double @rg.dispatch.0(double %x, ptr [[CALLEE]])
static double f(double x, int n) { return table[n](x); }
double gradient(double x, int n) { return __enzyme_autodiff((void *)f, x, n); }
