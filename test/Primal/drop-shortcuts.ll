; A derivative that is differentiated again takes no shortcuts: its question whether it may is answered by no.
; RUN: %loadopt '-passes=print<rg-primal>' -rg-print-after=drop-shortcuts -disable-output %s 2>&1 | FileCheck %s

declare i1 @rg_unless_differentiated(i1)

; CHECK: ; after drop-shortcuts
; CHECK-LABEL: @rg.primal.f(
; CHECK-NOT: rg_unless_differentiated
; CHECK: select i1 false, double 0.000000e+00, double %square
define double @f(double %x) {
  %zero = fcmp oeq double %x, 0.0
  %short = call i1 @rg_unless_differentiated(i1 %zero)
  %square = fmul double %x, %x
  %r = select i1 %short, double 0.0, double %square
  ret double %r
}

declare double @__enzyme_autodiff(ptr, ...)
define double @ask(double %x) {
  %d = call double (ptr, ...) @__enzyme_autodiff(ptr @f, double %x)
  ret double %d
}
