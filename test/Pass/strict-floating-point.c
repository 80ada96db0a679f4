// A derivative of a strict function is strict: its floating-point operations are constrained,
// with the rounding mode and the exceptions of the primal's, and its calls are marked.
//
// RUN: %rgcc -O1 -frounding-math -S -emit-llvm -o - %s | FileCheck %s --check-prefix=ROUND --implicit-check-not=' fmul ' --implicit-check-not=' fadd ' --implicit-check-not=' fdiv ' --implicit-check-not=' fpext ' --implicit-check-not=' fptrunc '
// RUN: %rgcc -O1 -ftrapping-math -S -emit-llvm -o - %s | FileCheck %s --check-prefix=TRAP
//
// ROUND-LABEL: define internal void @rg.f.grad(
// ROUND: call double @llvm.experimental.constrained.cos.f64({{.*}}metadata !"round.dynamic", metadata !"fpexcept.ignore")
// ROUND-LABEL: define internal {{.*}} @rg.f.fwd(
// ROUND: call double @llvm.experimental.constrained.cos.f64({{.*}}metadata !"round.dynamic", metadata !"fpexcept.ignore")
// TRAP-LABEL: define internal void @rg.f.grad(
// TRAP: call double @llvm.experimental.constrained.cos.f64({{.*}}metadata !"round.tonearest", metadata !"fpexcept.strict")
// TRAP-LABEL: define internal {{.*}} @rg.f.fwd(
// TRAP: call double @llvm.experimental.constrained.cos.f64({{.*}}metadata !"round.tonearest", metadata !"fpexcept.strict")
void __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

static double f(const double *x) {
  float a = (float)x[0];
  return __builtin_elementwise_sin(x[0]) * x[1] / (double)a + __builtin_sqrt(x[1]);
}

void gradient(const double *x, double *d) { __enzyme_autodiff((void *)f, x, d); }
double tangent(const double *x, const double *v) { return __enzyme_fwddiff((void *)f, x, v); }
