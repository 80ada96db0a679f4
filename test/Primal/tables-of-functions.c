// Of two functions of one prototype in tables that the program writes, a call of a member reaches those that stand at that
// member in a table of any kind; also where structs have no name.
// RUN: %rgcc -O1 -c %s -o %t.o -mllvm -rg-print-primal 2>&1 | FileCheck %s
void __enzyme_autodiff(void *, ...);
int enzyme_const, enzyme_dup;

typedef struct {
  const char *Name;
  double (*Step)(double *);
  double (*Check)(double *);
} Method;
typedef struct {
  double (*Prepare)(double *);
  int Order;
  double Factor;
  double (*Solve)(double *);
} Solver;
__attribute__((noinline)) static double slow(double *x) { return x[0] * x[1]; }
__attribute__((noinline)) static double fast(double *x) { return x[0] + x[1]; }
__attribute__((noinline)) static double test(double *x) { return x[0] - x[1]; }
__attribute__((noinline)) static double prepare(double *x) { return x[0] / x[1]; }
__attribute__((noinline)) static double solve(double *x) { return x[1] / x[0]; }
const Method Methods[2] = {{"slow", slow, test}, {"fast", fast, test}};
const Solver Solvers[1] = {{prepare, 1, 0.5, solve}};

// CHECK-LABEL: define {{.*}}@rg.primal.rg.dispatch.0(
// CHECK-NOT: {{@test|@prepare|@solve}}
// CHECK: icmp eq ptr %{{.*}}, @slow
// CHECK: icmp eq ptr %{{.*}}, @fast
// CHECK-NOT: {{icmp eq .*(@test|@prepare|@solve)}}
// CHECK: {{^}}}
double stepped(const Method *m, double *x) { return m->Step(x); }

void ask(double *x, double *dx, int n) {
  __enzyme_autodiff((void *)stepped, enzyme_const, Methods + n % 2, enzyme_dup, x, dx);
}
