; OverwriteAnalysis: the reverse sweep may read again what nothing writes behind the load. The loop writes what %old has read;
; %stays is other memory, and behind %last nothing is written.
; RUN: %loadopt -passes='print<rg-overwrite>' -disable-output %s 2>&1 | FileCheck %s

declare void @__enzyme_autodiff(ptr, ...)
declare double @sin(double)
define double @f(ptr noalias %x, ptr noalias %y, i64 %n) {
entry:
  %stays = load double, ptr %x
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %sum = phi double [ 0.0, %entry ], [ %s, %body ]
  %at = getelementptr inbounds double, ptr %y, i64 %i
  %old = load double, ptr %at
  %sq = fmul double %old, %old
  %new = fmul double %sq, %stays
  store double %new, ptr %at
  %again = load double, ptr %at
  %s = fadd double %sum, %again
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %body, label %exit
exit:
  %last = load double, ptr %y
  %t = call double @sin(double %last)
  %r = fmul double %t, %s
  ret double %r
}
define void @use(ptr %x, ptr %dx, ptr %y, ptr %dy, i64 %n) {
  call void (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %x, ptr %dx, ptr %y, ptr %dy, i64 %n)
  ret void
}

; CHECK-LABEL: overwrite in rg.primal.f:
; CHECK-NEXT:    repeatable    %stays = load
; CHECK-NEXT:    overwritten   %old = load
; CHECK-NEXT:                by:  store double %new, ptr %at
; CHECK-NEXT:    repeatable    %last = load
