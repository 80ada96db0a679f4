; Where a number equals a constant, simplification puts the constant in its place, whose derivative is 0. A fence stands
; between the number and the comparison; comparisons with 0, and those that are no equalities, need none.
; RUN: %loadopt '-passes=print<rg-primal>' -rg-print-after=keep-equalities -disable-output %s 2>&1 | FileCheck %s

; CHECK: ; after keep-equalities
; CHECK-LABEL: @rg.primal.f(
; CHECK: [[FENCED:%.*]] = call double @llvm.arithmetic.fence.f64(double %x)
; CHECK: fcmp oeq double [[FENCED]], 2.000000e+00
; CHECK: fcmp oeq double %x, 0.000000e+00
; CHECK: fcmp olt double %x, 2.000000e+00
define double @f(double %x) {
  %two = fcmp oeq double %x, 2.0
  %zero = fcmp oeq double %x, 0.0
  %less = fcmp olt double %x, 2.0
  %square = fmul double %x, %x
  %a = select i1 %two, double %square, double 1.0
  %b = select i1 %zero, double %a, double %x
  %c = select i1 %less, double %b, double %a
  ret double %c
}

declare double @__enzyme_autodiff(ptr, ...)
define double @ask(double %x) {
  %d = call double (ptr, ...) @__enzyme_autodiff(ptr @f, double %x)
  ret double %d
}
