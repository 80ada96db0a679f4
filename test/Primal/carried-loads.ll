; What an iteration has read for the next one is read again by it: integers, by even steps, where nothing may write in
; between. Numbers stay where they are, since their adjoints stay in registers.
; RUN: %loadopt '-passes=print<rg-primal>' -disable-output %s 2>&1 | FileCheck %s
; RUN: %loadopt '-passes=print<rg-primal>' -rg-disable=carried-loads -disable-output %s 2>&1 | FileCheck %s --check-prefix=OFF

; CHECK-LABEL: @rg.primal.rows(
; CHECK: rows:
; CHECK-NEXT: %i = phi i64
; CHECK-NEXT: [[AT:%.*]] = getelementptr i32, ptr %first, i64 %i
; CHECK-NEXT: %begin = load i32, ptr [[AT]], align 4
; OFF-LABEL: @rg.primal.rows(
; OFF: %begin = phi i32
define double @rows(ptr noalias %first, ptr noalias %a, ptr noalias %y, i64 %n) {
entry:
  %begin0 = load i32, ptr %first, align 4
  br label %rows
rows:
  %i = phi i64 [ 0, %entry ], [ %next, %rows ]
  %begin = phi i32 [ %begin0, %entry ], [ %end, %rows ]
  %next = add nuw nsw i64 %i, 1
  %at.end = getelementptr inbounds i32, ptr %first, i64 %next
  %end = load i32, ptr %at.end, align 4
  %length = sub i32 %end, %begin
  %number = sitofp i32 %length to double
  %at = getelementptr inbounds double, ptr %a, i64 %i
  %v = load double, ptr %at, align 8
  %p = fmul double %v, %number
  %to = getelementptr inbounds double, ptr %y, i64 %i
  store double %p, ptr %to, align 8
  %more = icmp slt i64 %next, %n
  br i1 %more, label %rows, label %out
out:
  ret double %p
}

; What the loop itself may write, and what lies in other steps.
; CHECK-LABEL: @rg.primal.written(
; CHECK: %begin = phi i32
define double @written(ptr %first, ptr %a, ptr %y, i64 %n) {
entry:
  %begin0 = load i32, ptr %first, align 4
  br label %rows
rows:
  %i = phi i64 [ 0, %entry ], [ %next, %rows ]
  %begin = phi i32 [ %begin0, %entry ], [ %end, %rows ]
  %next = add nuw nsw i64 %i, 1
  %at.end = getelementptr inbounds i32, ptr %first, i64 %next
  %end = load i32, ptr %at.end, align 4
  %length = sub i32 %end, %begin
  %number = sitofp i32 %length to double
  %to = getelementptr inbounds double, ptr %y, i64 %i
  store double %number, ptr %to, align 8
  %more = icmp slt i64 %next, %n
  br i1 %more, label %rows, label %out
out:
  ret double %number
}

; CHECK-LABEL: @rg.primal.elsewhere(
; CHECK: %begin = phi i32
define double @elsewhere(ptr noalias %first, ptr noalias %a, i64 %n) {
entry:
  %begin0 = load i32, ptr %first, align 4
  br label %rows
rows:
  %i = phi i64 [ 0, %entry ], [ %next, %rows ]
  %begin = phi i32 [ %begin0, %entry ], [ %end, %rows ]
  %s = phi double [ 0.0, %entry ], [ %t, %rows ]
  %next = add nuw nsw i64 %i, 1
  %from = add nuw nsw i64 %i, 2
  %at.end = getelementptr inbounds i32, ptr %first, i64 %from
  %end = load i32, ptr %at.end, align 4
  %length = sub i32 %end, %begin
  %number = sitofp i32 %length to double
  %at = getelementptr inbounds double, ptr %a, i64 %i
  %v = load double, ptr %at, align 8
  %p = fmul double %v, %number
  %t = fadd double %s, %p
  %more = icmp slt i64 %next, %n
  br i1 %more, label %rows, label %out
out:
  ret double %t
}
