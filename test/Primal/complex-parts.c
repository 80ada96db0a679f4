// A complex number travels in one vector, a pair or an array of floats, as the machine's ABI has it; the bodies of the
// runtime are used all the same. (Compiled for AArch64; test/Target/aarch64.test runs such programs.)
// RUN: %rgcc --target=aarch64-linux-gnu -O2 -S -emit-llvm %s -o - -mllvm -rg-print-primal 2>&1 | FileCheck %s
// CHECK: define internal float @rg.primal.f
// CHECK-NOT: @__mulsc3
// CHECK-NOT: @csqrtf
// CHECK: ret float
float _Complex csqrtf(float _Complex);
void __enzyme_autodiff(void *, ...);
float f(const float *x) {
  float _Complex z = __builtin_complex(x[0], x[1]);
  return __real__(csqrtf(z * z) * z);
}
void gradient(const float *x, float *dx) { __enzyme_autodiff((void *)f, x, dx); }
