; Lifetimes, assumptions and marks of tail calls have served the simplification, and mean nothing to a derivative. An alias
; scope that is declared in a loop is another one in each iteration: its facts go with it. Those of the function stay.
; RUN: %loadopt '-passes=print<rg-primal>' -rg-print-after=drop-markers -disable-output %s 2>&1 | FileCheck %s

declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.lifetime.end.p0(ptr)
declare void @llvm.assume(i1)
declare void @llvm.experimental.noalias.scope.decl(metadata)
declare double @g(ptr)
declare void @use(ptr)

; CHECK: ; after drop-markers
; CHECK-LABEL: @rg.primal.f(
; CHECK-NOT: @llvm.lifetime
; CHECK-NOT: @llvm.assume
; CHECK-NOT: tail call
; CHECK: load double, ptr %p, align 8, !alias.scope
; CHECK-NOT: @llvm.experimental.noalias.scope.decl
; CHECK: %v = load double, ptr %a, align 8{{$}}
; CHECK: store double %v, ptr %to, align 8{{$}}
; CHECK: ret double
define double @f(ptr %x, ptr %y, i64 %n) {
entry:
  %t = alloca double
  call void @llvm.lifetime.start.p0(ptr %t)
  call void @use(ptr %t)
  call void @llvm.experimental.noalias.scope.decl(metadata !0)
  %some = icmp sgt i64 %n, 0
  call void @llvm.assume(i1 %some)
  %p = getelementptr double, ptr %x, i64 %n
  %last = load double, ptr %p, align 8, !alias.scope !0
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi double [ %last, %entry ], [ %sum, %loop ]
  call void @llvm.experimental.noalias.scope.decl(metadata !3)
  %a = getelementptr double, ptr %x, i64 %i
  %v = load double, ptr %a, align 8, !alias.scope !3
  %to = getelementptr double, ptr %y, i64 %i
  store double %v, ptr %to, align 8, !noalias !3
  %w = tail call double @g(ptr %t)
  %more = fmul double %v, %w
  %sum = fadd double %s, %more
  %next = add i64 %i, 1
  %again = icmp slt i64 %next, %n
  br i1 %again, label %loop, label %out
out:
  call void @llvm.lifetime.end.p0(ptr %t)
  ret double %sum
}

declare double @__enzyme_autodiff(ptr, ...)
define void @ask(ptr %x, ptr %dx, i64 %n) {
  %d = call double (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %x, ptr %dx, ptr %x, ptr %dx, i64 %n)
  ret void
}

!0 = !{!1}
!1 = distinct !{!1, !2}
!2 = distinct !{!2}
!3 = !{!4}
!4 = distinct !{!4, !2}
