// A loop whose results nobody asks for runs in the reverse sweep, if its iterations may
// run from the last to the first; and only then.
// RUN: %rgcc -O2 -fno-discard-value-names -mllvm -rg-print-plan -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %rgcc -O2 -fno-discard-value-names -mllvm -rg-print-plan -mllvm -rg-disable=defer-loops -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=OFF
// OFF-NOT: runs in the reverse sweep
#include <math.h>
#include <stdlib.h>
void __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const;

// One array of an iteration, which all iterations use.
// CHECK-LABEL: plan for rg.primal.rows
// CHECK: loop %[[L:.*]] runs in the reverse sweep
// CHECK: scope %[[L]]: {{.*}} bytes of one iteration
// CHECK: scope %{{.*}}: 8 bytes per iteration, arrays, used again
static double rows(const double *x, int n, int m) {
  double *t = malloc(m * sizeof *t), sum = 0;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < m; ++j)
      t[j] = sin(x[i] * (j + 1));
    double s = 0;
    for (int j = 0; j < m; ++j)
      s += t[j] * t[j];
    sum += exp(-s);
  }
  free(t);
  return sum;
}

// An inner loop whose count varies: its array is an iteration's own.
// CHECK-LABEL: plan for rg.primal.triangle
// CHECK: runs in the reverse sweep
// CHECK-NOT: used again
// CHECK: need
static double triangle(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    double s = 1;
    for (int j = 0; j < i; ++j)
      s += sin(s * x[j]);
    sum += s;
  }
  return sum;
}

// The sum is needed for the derivative of its square root.
// CHECK-LABEL: plan for rg.primal.norm
// CHECK-NOT: runs in the reverse sweep
static double norm(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += exp(x[i]);
  return sqrt(sum);
}

// What the iteration before wrote stays as it is, and is not there yet when iterations
// run backwards.
// CHECK-LABEL: plan for rg.primal.chain
// CHECK-NOT: runs in the reverse sweep
static double chain(const double *x, int n) {
  double t[64], sum = 0;
  t[0] = x[0];
  for (int i = 1; i < n; ++i) {
    t[i] = sin(x[i]);
    sum += t[i] * t[i] * t[i - 1];
  }
  return sum;
}

// Not all that is read was written in the same iteration.
// CHECK-LABEL: plan for rg.primal.carried
// CHECK-NOT: runs in the reverse sweep
static double carried(const double *x, int n, int m) {
  double *t = calloc(m, sizeof *t), sum = 0;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < m - 1; ++j)
      t[j] = sin(x[i] * (j + 1)) + t[j + 1];
    for (int j = 0; j < m; ++j)
      sum += t[j] * t[j];
    t[m - 1] = x[i];
  }
  free(t);
  return sum;
}

// A result in the caller's memory.
// CHECK-LABEL: plan for rg.primal.gathers
// CHECK-NOT: runs in the reverse sweep
static double gathers(const double *x, double *out, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    double e = exp(x[i]);
    out[i] = e;
    sum += e * e;
  }
  return sum;
}

// The number of the chosen iteration, instead of what each of them chose.
// CHECK-LABEL: plan for rg.primal.least
// CHECK: last choice of
// CHECK-NOT: i8
static double least(const double *x, int n) {
  double best = x[0];
  for (int i = 1; i < n; ++i)
    if (sin(x[i]) < best)
      best = sin(x[i]);
  return best;
}

// CHECK-LABEL: plan for rg.primal.bestSoFar
// CHECK-NOT: last choice of
static double bestSoFar(const double *x, int n) {
  double best = x[0], sum = 0;
  for (int i = 1; i < n; ++i) {
    sum += best * x[i];
    if (x[i] < best)
      best = x[i];
  }
  return sum + best;
}

// Its results are asked for when the reverse sweep is over: the loop hands them on.
// CHECK-LABEL: plan for rg.primal.stored
// CHECK: loop %{{.*}} runs in the reverse sweep and carries its results
static void stored(const double *restrict x, int n, int m, double *restrict out) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    double p = 1;
    for (int j = 0; j < m; ++j)
      p = sin(p + x[i]);
    sum += p;
  }
  out[0] = sum;
}

// Somebody looks at the stored result before that.
// CHECK-LABEL: plan for rg.primal.readAgain
// CHECK-NOT: runs in the reverse sweep
static void readAgain(const double *restrict x, int n, int m, double *restrict out, int k) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    double p = 1;
    for (int j = 0; j < m; ++j)
      p = sin(p + x[i]);
    sum += p;
  }
  out[0] = sum;
  out[1] = 2 * out[k];
}

// Each iteration's adjoint depends on those behind it: no sum.
// CHECK-LABEL: plan for rg.primal.recurrence
// CHECK-NOT: runs in the reverse sweep
static void recurrence(const double *restrict x, int n, int m, double *restrict out) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    double p = 1;
    for (int j = 0; j < m; ++j)
      p = sin(p + x[i]);
    sum = 0.5 * sum + p;
  }
  out[0] = sum;
}

void all(const double *x, double *d, int n, int m, double *out, double *dout) {
  __enzyme_autodiff((void *)rows, enzyme_dup, x, d, enzyme_const, n, enzyme_const, m);
  __enzyme_autodiff((void *)triangle, enzyme_dup, x, d, enzyme_const, n);
  __enzyme_autodiff((void *)norm, enzyme_dup, x, d, enzyme_const, n);
  __enzyme_autodiff((void *)chain, enzyme_dup, x, d, enzyme_const, n);
  __enzyme_autodiff((void *)carried, enzyme_dup, x, d, enzyme_const, n, enzyme_const, m);
  __enzyme_autodiff((void *)gathers, enzyme_dup, x, d, enzyme_dup, out, dout, enzyme_const, n);
  __enzyme_autodiff((void *)least, enzyme_dup, x, d, enzyme_const, n);
  __enzyme_autodiff((void *)bestSoFar, enzyme_dup, x, d, enzyme_const, n);
  __enzyme_autodiff((void *)stored, enzyme_dup, x, d, enzyme_const, n, enzyme_const, m, enzyme_dup, out, dout);
  __enzyme_autodiff((void *)readAgain, enzyme_dup, x, d, enzyme_const, n, enzyme_const, m, enzyme_dup, out, dout, n);
  __enzyme_autodiff((void *)recurrence, enzyme_dup, x, d, enzyme_const, n, enzyme_const, m, enzyme_dup, out, dout);
}
