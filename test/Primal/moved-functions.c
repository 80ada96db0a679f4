// Functions that stand in tables only, and are copied from one member to another in ways that optimised code does not show: as words, through
// pointers to members, by other functions. They are candidates of calls of all members.
// RUN: %rgcc -O1 -DCOPY='memcpy(&a->f, &b->h, sizeof a->f)' -c %s -o %t.o -mllvm -rg-print-primal 2>&1 | FileCheck %s
// RUN: %rgcc -O1 -DCOPY='Fn *volatile q = &a->f; Fn *p = q; *p = b->h' -c %s -o %t.o -mllvm -rg-print-primal 2>&1 | FileCheck %s
// RUN: %rgcc -O1 -DCOPY='byPointers(&a->f, &b->h)' -c %s -o %t.o -mllvm -rg-print-primal 2>&1 | FileCheck %s
// RUN: %rgcc -O1 -DCOPY='byValue(&a->f, b->h)' -c %s -o %t.o -mllvm -rg-print-primal 2>&1 | FileCheck %s
// RUN: %rgcc -O1 -DCOPY='a->data = b->data' -c %s -o %t.o -mllvm -rg-print-primal 2>&1 | FileCheck %s --check-prefix=KEPT
// RUN: %rgcc -O1 -DCOPY='a->data = b->data' -DDATA -c %s -o %t.o -mllvm -rg-print-primal 2>&1 | FileCheck %s
// A table as words may be copied anywhere.
// RUN: %rgcc -O1 -DCOPY='((long *)a)[0] = ((const long *)b)[1]' -c %s -o %t.o -mllvm -rg-print-primal 2>&1 | FileCheck %s
// Calls, tests, and copies to the same member are no such uses.
// RUN: %rgcc -O1 -DCOPY='if (a->f && b->h(x) > 2 && !b->h) a->f = c->f' -c %s -o %t.o -mllvm -rg-print-primal 2>&1 | FileCheck %s --check-prefix=KEPT
// Nor is it known what another file does without the plugin.
// RUN: %rgcc -O1 -flto -DCOPY='' -c %s -o %t.o && %clang -O1 -flto -DPLAIN -c %s -o %t.plain.o && llvm-link-22 %t.o %t.plain.o -S -o - | FileCheck %s --check-prefix=FLAG
#include <string.h>
#ifdef PLAIN
double another(double x) { return x; }
#else
void __enzyme_autodiff(void *, ...);
int enzyme_const, enzyme_dup;

typedef double (*Fn)(double *);
typedef struct {
  Fn f, g;
  void *data;
} A;
typedef struct {
  void *data;
  Fn h, k;
} B;
__attribute__((noinline)) static double one(double *x) { return x[0] * x[1]; }
__attribute__((noinline)) static double two(double *x) { return x[0] + x[1]; }
__attribute__((noinline)) static double three(double *x) { return x[0] - x[1]; }
__attribute__((noinline)) static double four(double *x) { return x[0] / x[1]; }
const A TableA = {one, two, 0};
#ifdef DATA
const B TableB = {(void *)three, 0, four};
#else
const B TableB = {0, three, four};
#endif
__attribute__((noinline)) void byPointers(void *to, const void *from) { memcpy(to, from, sizeof(Fn)); }
__attribute__((noinline)) void byValue(Fn *to, Fn what) { *to = what; }
__attribute__((noinline)) void change(A *a, const B *b, const A *c, double *x) { COPY; }

// FLAG: !{i32 8, !"rg.members", i32 0}
// The call of f, of functions at 0; of g, at 8.
// CHECK-LABEL: define {{.*}}@rg.primal.rg.dispatch.0(
// CHECK: icmp eq ptr %{{.*}}, @one
// CHECK: icmp eq ptr %{{.*}}, @three
// CHECK: {{^}}}
// KEPT-LABEL: define {{.*}}@rg.primal.rg.dispatch.0(
// KEPT: icmp eq ptr %{{.*}}, @one
// KEPT-NOT: icmp eq ptr %{{.*}}, @three
// KEPT: {{^}}}
double stepped(const A *a, double *x) { return a->f(x); }

void ask(double *x, double *dx, int n) {
  __enzyme_autodiff((void *)stepped, enzyme_const, &TableA + n % 2, enzyme_dup, x, dx);
}
#endif
