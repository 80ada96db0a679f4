; The journal of TypeAnalysis: two parameters are one object since one instruction chooses between them.
; RUN: %loadopt -passes='print<rg-merges>' -disable-output %s 2>&1 | FileCheck %s

declare void @__enzyme_autodiff(ptr, ...)
define double @f(ptr %a, ptr %b, i1 %c) {
  %either = select i1 %c, ptr %a, ptr %b
  %v = load double, ptr %either
  %r = fmul double %v, %v
  ret double %r
}
define void @use(ptr %a, ptr %da, ptr %b, ptr %db, i1 %c) {
  call void (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %a, ptr %da, ptr %b, ptr %db, i1 %c)
  ret void
}

; CHECK:      merges of @rg.primal.f:
; CHECK-NEXT:   1. %b+0 (1) is %a+0 (1): flow, %either = select i1 %c, ptr %a, ptr %b in @rg.primal.f
; CHECK-NOT:    {{.}}
