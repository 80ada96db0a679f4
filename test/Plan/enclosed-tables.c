// A table of the module's own, to which no pointer from elsewhere can lead: stores through a parameter leave it alone, and
// what a called function reads there is read again (lib/Analysis/README.md). Where the module gives its address away, or
// asks for a derivative with it, the parameter may be the table.
// RUN: %rgcc -O2 -fno-discard-value-names -c %s -o /dev/null -mllvm -rg-print-overwrite 2>&1 | FileCheck %s
void __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const;
double sin(double);
enum { N = 8 };

static int own[N], kept[N], passed[N];
void fill(int n) {
  for (int i = 0; i < N; ++i)
    own[i] = kept[i] = passed[i] = i * n % N;
  __builtin_memset(own, 0, 2 * sizeof *own);
}
void give(void (*to)(int *)) { to(kept); }

// CHECK-LABEL: overwrite in rg.primal.byOwn (split):
// CHECK: repeatable {{.*}} load i32, ptr %{{.*}}
// CHECK-LABEL: overwrite in rg.primal.byKept (split):
// CHECK: overwritten {{.*}} load i32
// CHECK-LABEL: overwrite in rg.primal.byPassed (split):
// CHECK: overwritten {{.*}} load i32
#define STEP(NAME, TABLE)                                                                                                 \
  __attribute__((noinline)) static void NAME(double *a, int n) {                                                          \
    for (int i = 0; i < n; ++i)                                                                                           \
      a[i] += sin(a[TABLE[i]]);                                                                                           \
  }                                                                                                                       \
  static double NAME##s(double *a, int *at, int n) {                                                                      \
    double s = 0;                                                                                                         \
    for (int t = 0; t < 3; ++t) {                                                                                         \
      NAME(a, n);                                                                                                         \
      for (int i = 0; i < n; ++i)                                                                                         \
        at[i] = (at[i] + 1) % n, s += a[i];                                                                               \
    }                                                                                                                     \
    return s;                                                                                                             \
  }
STEP(byOwn, own)
STEP(byKept, kept)
STEP(byPassed, passed)
void ownGradient(double *a, double *da, int *at, int n) {
  __enzyme_autodiff((void *)byOwns, enzyme_dup, a, da, enzyme_const, at, enzyme_const, n);
}
void keptGradient(double *a, double *da, int *at, int n) {
  __enzyme_autodiff((void *)byKepts, enzyme_dup, a, da, enzyme_const, at, enzyme_const, n);
}
void passedGradient(double *a, double *da, int n) {
  __enzyme_autodiff((void *)byPasseds, enzyme_dup, a, da, enzyme_const, passed, enzyme_const, n);
}
