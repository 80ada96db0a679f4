; Of two differences in opposite directions, the second is made of the first: 0 - (a - b) is b - a to the last bit, also
; where both are zero. Where the first need not have run, and where zeros have signs of another rounding mode, both stay.
; RUN: %loadopt '-passes=print<rg-primal>' -disable-output %s 2>&1 | FileCheck %s
; RUN: %loadopt '-passes=print<rg-primal>' -rg-disable=opposite-differences -disable-output %s 2>&1 | FileCheck %s --check-prefix=OFF

; CHECK-LABEL: @rg.primal.f(
; CHECK: %d = fsub double %a, %b
; CHECK: %e = fsub double 0.000000e+00, %d
; OFF-LABEL: @rg.primal.f(
; OFF: %e = fsub double %b, %a
define double @f(double %a, double %b) {
  %d = fsub double %a, %b
  %e = fsub double %b, %a
  %s = fdiv double %d, %e
  %r = fmul double %s, %e
  ret double %r
}

; CHECK-LABEL: @rg.primal.g(
; CHECK: %d = fsub double %a, %b
; CHECK: %e = fsub double %b, %a
define double @g(double %a, double %b, i1 %c) {
  br i1 %c, label %then, label %else
then:
  %d = fsub double %a, %b
  %s = fmul double %d, %d
  %x = call double @llvm.exp.f64(double %s)
  br label %out
else:
  %e = fsub double %b, %a
  %t = fmul double %e, %a
  %y = call double @llvm.sin.f64(double %t)
  br label %out
out:
  %r = phi double [ %x, %then ], [ %y, %else ]
  ret double %r
}
declare double @llvm.exp.f64(double)
declare double @llvm.sin.f64(double)
