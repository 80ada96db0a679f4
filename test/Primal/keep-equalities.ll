; Where a number equals a constant, simplification puts the constant in its place, whose derivative is 0. A fence stands
; between the number and comparisons for equality, of which either operand may be, or turn out to be, the constant. Two
; comparisons with one constant for more and for less are an equality; one of them alone needs no fence.
; RUN: %loadopt '-passes=print<rg-primal>' -rg-print-after=keep-equalities -disable-output %s 2>&1 | FileCheck %s

; CHECK: ; after keep-equalities
; CHECK-LABEL: @rg.primal.f(
; CHECK: [[FENCED:%.*]] = call double @llvm.arithmetic.fence.f64(double %x)
; CHECK: fcmp oeq double [[FENCED]], 2.000000e+00
; CHECK: [[FENCED:%.*]] = call double @llvm.arithmetic.fence.f64(double %x)
; CHECK: fcmp oeq double [[FENCED]], 0.000000e+00
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

; CHECK: ; after keep-equalities
; CHECK-LABEL: @rg.primal.g(
; CHECK: [[LEFT:%.*]] = call double @llvm.arithmetic.fence.f64(double %x)
; CHECK: fcmp une double 2.000000e+00, [[LEFT]]
; CHECK: [[ONE:%.*]] = call double @llvm.arithmetic.fence.f64(double %x)
; CHECK: fcmp oeq double [[ONE]], %y
; CHECK: [[MORE:%.*]] = call double @llvm.arithmetic.fence.f64(double %x)
; CHECK: fcmp oge double [[MORE]], 3.000000e+00
; CHECK: [[LESS:%.*]] = call double @llvm.arithmetic.fence.f64(double %x)
; CHECK: fcmp oge double 3.000000e+00, [[LESS]]
; CHECK: fcmp une double %x, %x
define double @g(double %x, double %y) {
  %two = fcmp une double 2.0, %x
  %same = fcmp oeq double %x, %y
  %more = fcmp oge double %x, 3.0
  %less = fcmp oge double 3.0, %x
  %nan = fcmp une double %x, %x
  %three = and i1 %more, %less
  %square = fmul double %x, %y
  %a = select i1 %two, double %x, double %square
  %b = select i1 %same, double %a, double %y
  %c = select i1 %three, double %square, double %b
  %d = select i1 %nan, double %y, double %c
  ret double %d
}
define double @askAgain(double %x, double %y) {
  %d = call double (ptr, ...) @__enzyme_autodiff(ptr @g, double %x, double %y)
  ret double %d
}
