; Simplification copies doubles and pointers as words. By the tags of the accesses they are copies of what lies there.
; RUN: %loadopt '-passes=print<rg-primal>' -rg-print-after=spell-word-copies -disable-output %s 2>&1 | FileCheck %s

; CHECK: ; after spell-word-copies
; CHECK-LABEL: @rg.primal.f(
; CHECK: [[NUMBER:%.*]] = load double, ptr %x
; CHECK: [[POINTER:%.*]] = load ptr, ptr %from
; CHECK: %c = load i64, ptr %n
; CHECK-DAG: store double [[NUMBER]], ptr %y
; CHECK-DAG: store ptr [[POINTER]], ptr %to
; CHECK-DAG: store i64 %c, ptr %m
define double @f(ptr noalias %x, ptr noalias %y, ptr noalias %from, ptr noalias %to, ptr noalias %n, ptr noalias %m, ptr noalias %other) {
  %a = load i64, ptr %x, !tbaa !2
  %b = load i64, ptr %from, !tbaa !4
  %c = load i64, ptr %n, !tbaa !6
  store i64 %a, ptr %y, !tbaa !2
  store i64 %b, ptr %to, !tbaa !4
  store i64 %c, ptr %m, !tbaa !6
  %v = load double, ptr %other
  ret double %v
}

declare double @__enzyme_autodiff(ptr, ...)
define void @ask(ptr %x, ptr %dx, ptr %n) {
  %d = call double (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %x, ptr %dx, ptr %x, ptr %dx, ptr %x, ptr %dx, ptr %x, ptr %dx, ptr %n, ptr %n, ptr %n, ptr %n, ptr %x, ptr %dx)
  ret void
}

!0 = !{!"Simple C/C++ TBAA"}
!1 = !{!"omnipotent char", !0, i64 0}
!2 = !{!3, !3, i64 0}
!3 = !{!"double", !1, i64 0}
!4 = !{!5, !5, i64 0}
!5 = !{!"any pointer", !1, i64 0}
!6 = !{!7, !7, i64 0}
!7 = !{!"long", !1, i64 0}
