// Every job of a request is planned before the first is emitted (lib/Pass/DerivativeJobs.h): where one of them is refused,
// no derivative was written.
// RUN: %rgcc -O2 -c %s -o %t.o -mllvm -rg-stats 2>&1 | FileCheck %s
// RUN: not %rgcc -O2 -DREFUSED -c %s -o %t.o -mllvm -rg-stats 2>&1 | FileCheck --check-prefix=REFUSED %s
// Two requests, of which the second is refused: the first is answered.
// RUN: not %rgcc -O2 -DREFUSED -DBOTH -c %s -o %t.o -mllvm -rg-stats 2>&1 | FileCheck --check-prefix=BOTH %s
// CHECK: 3 jobs planned, 3 derivatives emitted
// REFUSED: jobs.c:{{[0-9]+}}:10: error: {{.*}}elsewhere{{.*}}[RG1101]
// REFUSED: 2 jobs planned, 0 derivatives emitted
// BOTH: [RG1101]
// BOTH: 3 jobs planned, 1 derivatives emitted
double __enzyme_autodiff(void *, ...);
double elsewhere(double);
__attribute__((noinline)) static double innermost(double x) {
#ifdef REFUSED
#define HERE elsewhere
#else
#define HERE
#endif
  return HERE(x) * x;
}
__attribute__((noinline)) static double inner(double x) { return innermost(x) * x; }
double outer(double x) { return inner(x) * 3; }
double alone(double x) { return x * x; }
double g(double x) {
#ifdef BOTH
  x = __enzyme_autodiff((void *)alone, x);
#endif
  return __enzyme_autodiff((void *)outer, x);
}
