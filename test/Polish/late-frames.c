// A call that keeps nothing has no frame: the end of a recursion (lib/Polish/LateFrames.cpp). That it is right is tested in
// Execute/C/recursive-transforms.c.
// RUN: %rgcc -O2 -S -emit-llvm -mllvm -rg-print-after=late-frames %s -o /dev/null 2>&1 | FileCheck %s
// RUN: %rgcc -O2 -S -emit-llvm -mllvm -rg-disable=late-frames %s -o - | FileCheck %s --check-prefix=OFF
void __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const;

// CHECK-LABEL: define internal {{.*}}@rg.butterflies.aug
// CHECK-NOT: rg_tape_alloc
// CHECK: br i1
// CHECK: call ptr @rg_tape_alloc(ptr {{.*}}, i64 {{[0-9]+}})
// CHECK: call {{.*}} @rg.butterflies.aug
// CHECK: phi ptr [ {{null|%.*}}, %{{.*}} ]{{.*}}null
// CHECK: {{^}}}
// OFF-LABEL: define internal {{.*}}@rg.butterflies.aug
// OFF: call ptr @rg_tape_alloc(ptr {{.*}}, i64 {{[0-9]+}})
// OFF: br i1
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
  out[0] *= out[half];
}
void transform(const double *in, double *din, double *out, double *dout, int n) {
  __enzyme_autodiff((void *)butterflies, enzyme_const, n, enzyme_const, 1, enzyme_dup, in, din, enzyme_dup, out, dout);
}
