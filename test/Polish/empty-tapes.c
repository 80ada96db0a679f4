// The frames of a linear recursion hold nothing but each other, so that none is made (lib/Polish/EmptyTapes.cpp). One that keeps a number
// holds the frames that lead to it as well. That it is right is tested in Execute/C/empty-tapes.c.
// RUN: %rgcc -O2 -S -emit-llvm -mllvm -rg-print-after=empty-tapes %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=STEP
// RUN: %rgcc -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rgcc -O2 -S -emit-llvm -mllvm -rg-disable=empty-tapes %s -o - | FileCheck %s --check-prefix=OFF
void __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const;

// STEP: empty-tapes

// CHECK-LABEL: define internal {{.*}}@rg.butterflies.aug
// CHECK-NOT: rg_tape_alloc
// CHECK: {{^}}}
// CHECK-LABEL: define internal {{.*}}@rg.butterflies.rev
// CHECK-NOT: load ptr
// CHECK: {{^}}}
// OFF-LABEL: define internal {{.*}}@rg.butterflies.aug
// OFF: call ptr @rg_tape_alloc
// OFF: {{^}}}
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
// CHECK-LABEL: define internal {{.*}}@rg.keeps.aug
// CHECK: call ptr @rg_tape_alloc
// CHECK: {{^}}}
__attribute__((noinline)) static double keeps(int n, double x) { return n ? x * keeps(n - 1, 0.5 * x) : x; }
void transform(const double *in, double *din, double *out, double *dout, int n) {
  __enzyme_autodiff((void *)butterflies, enzyme_const, n, enzyme_const, 1, enzyme_dup, in, din, enzyme_dup, out, dout);
  __enzyme_autodiff((void *)keeps, enzyme_const, n, in[0]);
}
