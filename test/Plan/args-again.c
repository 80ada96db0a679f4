// A recursion whose arguments follow from its caller's: the reverse is given them again, and a frame holds none.
// RUN: %rgcc -O2 -mllvm -rg-print-plan -c %s -o /dev/null 2>&1 | FileCheck %s
// RUN: %rgcc -O2 -mllvm -rg-print-plan -mllvm -rg-disable=args-again -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=OFF
// RUN: %rgcc -O2 -mllvm -rg-print-plan -mllvm -rg-plan=naive -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=NAIVE
// NAIVE-NOT: arguments again
void __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const;

// CHECK-LABEL: plan for rg.primal.halves (split)
// CHECK: scope function: 32 bytes
// CHECK-NOT: shadow of
// CHECK: need
// CHECK: call augment with arguments again halves(dup, const, const) -> primal active
// OFF-LABEL: plan for rg.primal.halves (split)
// OFF: ptr shadow of
// OFF: call augment halves(dup, const, const) -> primal active
__attribute__((noinline)) static double halves(const double *x, int n, int step) {
  if (n == 1)
    return x[0];
  double a = halves(x, n / 2, 2 * step), b = halves(x + step, n - n / 2, 2 * step);
  return a * b + a;
}

// What comes from memory that is overwritten has to be kept, by whoever: the callee does, if it asks.
// CHECK-LABEL: plan for rg.primal.walk (split)
// CHECK: call augment walk(dup, const) -> primal active
struct node {
  double value;
  struct node *next;
};
__attribute__((noinline)) static double walk(struct node *list, int n) {
  struct node *next = list->next;
  list->next = 0;
  double v = list->value;
  return n ? v * walk(next, n - 1) + v : v;
}

// How often the loop ran, and which of three ways led to the return, follow from arguments: a frame holds the tapes of two calls.
// CHECK-LABEL: plan for rg.primal.butterflies (split)
// CHECK-NEXT: scope function: 16 bytes
// CHECK-NEXT: +0 ptr tape of
// CHECK-NEXT: +8 ptr tape of
// CHECK-NEXT: need
// CHECK-DAG: need predecessor of {{.*}}: recompute
// CHECK-DAG: need count of {{.*}}: recompute
// OFF-LABEL: plan for rg.primal.butterflies (split)
// OFF: i64 count of
// OFF: i8 predecessor of
__attribute__((noinline)) static void butterflies(int n, int stride, const double *in, double *out) {
  if (n == 1) {
    out[0] = in[0];
    return;
  }
  const int half = n / 2;
  butterflies(half, 2 * stride, in, out);
  butterflies(half, 2 * stride, in + stride, out + half);
  for (int k = 0; k < half; ++k) {
    double odd = out[k + half] * (0.5 + 0.1 * k);
    out[k + half] = out[k] - odd;
    out[k] += odd;
  }
}

void gradient(const double *x, double *dx, struct node *l, struct node *dl, int n) {
  __enzyme_autodiff((void *)halves, enzyme_dup, x, dx, enzyme_const, n, enzyme_const, 1);
  __enzyme_autodiff((void *)walk, enzyme_dup, l, dl, enzyme_const, n);
}
void transform(const double *in, double *din, double *out, double *dout, int n) {
  __enzyme_autodiff((void *)butterflies, enzyme_const, n, enzyme_const, 1, enzyme_dup, in, din, enzyme_dup, out, dout);
}
