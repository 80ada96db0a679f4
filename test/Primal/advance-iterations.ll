; What a series of n terms is in its derivative: one of n + step terms.
; RUN: %loadopt '-passes=print<rg-primal>' -rg-print-after=advance-iterations -disable-output %s 2>&1 | FileCheck %s

declare i32 @rg_hint_iterations(i32, i32)
declare double @llvm.powi.f64.i32(double, i32)

; CHECK: ; after advance-iterations
; CHECK-LABEL: @rg.primal.f(
; CHECK: [[MORE:%.*]] = add i32 %n, 3
; CHECK: call i32 @rg_hint_iterations(i32 [[MORE]], i32 3)
define double @f(double %x, i32 %n) {
  %terms = call i32 @rg_hint_iterations(i32 %n, i32 3)
  %r = call double @llvm.powi.f64.i32(double %x, i32 %terms)
  ret double %r
}

declare double @__enzyme_autodiff(ptr, ...)
define double @ask(double %x, i32 %n) {
  %d = call double (ptr, ...) @__enzyme_autodiff(ptr @f, double %x, i32 %n)
  ret double %d
}
