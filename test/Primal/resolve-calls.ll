; Calls by an alias are calls of the function, and calls of library functions that have a routine of the runtime are calls of
; that. Calls through pointers stay.
; RUN: %loadopt '-passes=print<rg-primal>' -rg-print-after=resolve-calls -disable-output %s 2>&1 | FileCheck %s

@square = internal alias double (double), ptr @original
define internal double @original(double %x) noinline {
  %r = fmul double %x, %x
  ret double %r
}
declare { double, double } @csqrt(double, double)

; CHECK: ; after resolve-calls
; CHECK-LABEL: @rg.primal.f(
; CHECK: %a = call double @original(double %x)
; CHECK: %b = call { double, double } @rg_{{.*}}(double %a, double %x)
; CHECK: %d = call double %p(double %c)
define double @f(double %x, ptr %p) {
  %a = call double @square(double %x)
  %b = call { double, double } @csqrt(double %a, double %x)
  %c = extractvalue { double, double } %b, 0
  %d = call double %p(double %c)
  ret double %d
}

declare double @__enzyme_autodiff(ptr, ...)
define double @ask(double %x, ptr %p) {
  %d = call double (ptr, ...) @__enzyme_autodiff(ptr @f, double %x, ptr %p)
  ret double %d
}
