; A call inside the function that another call differentiates comes first.
;
; RUN: %loadopt -passes='print<rg-requests>' -disable-output %s | FileCheck %s
declare double @__enzyme_autodiff(ptr, ...)
; CHECK: reverse f(out) -> active, asked in slope
; CHECK: reverse g(out) -> active, asked in curvature
; CHECK: reverse h(out) -> active, asked in top
define double @top(double %x) {
  %r = call double (ptr, ...) @__enzyme_autodiff(ptr @h, double %x)
  ret double %r
}
define double @h(double %x) {
  %r = call double @curvature(double %x)
  ret double %r
}
define double @curvature(double %x) {
  %r = call double (ptr, ...) @__enzyme_autodiff(ptr @g, double %x)
  ret double %r
}
define double @g(double %x) {
  %r = call double @slope(double %x)
  ret double %r
}
define double @slope(double %x) {
  %r = call double (ptr, ...) @__enzyme_autodiff(ptr @f, double %x)
  ret double %r
}
define double @f(double %x) {
  %r = fmul double %x, %x
  ret double %r
}
