; A load whose memory is written later is kept under both plans; a product of what
; is at hand is kept by the naive plan only. Arrays for loops with known trips.
; RUN: %loadopt -passes='print<rg-plan>' -rg-plan=naive -disable-output %s 2>&1 | FileCheck %s --check-prefixes=CHECK,NAIVE
; RUN: %loadopt -passes='print<rg-plan>' -rg-plan=mincut -disable-output %s 2>&1 | FileCheck %s --check-prefixes=CHECK,CUT
; RUN: %loadopt -passes='print<rg-overwrite>' -disable-output %s 2>&1 | FileCheck %s --check-prefix=OVER
; RUN: %loadopt -passes='print<rg-types>' -disable-output %s 2>&1 | FileCheck %s --check-prefix=TYPES
; RUN: %loadopt -passes='print<rg-activity>' -disable-output %s 2>&1 | FileCheck %s --check-prefix=ACT
; RUN: %loadopt -passes='print<rg-loops>' -disable-output %s 2>&1 | FileCheck %s --check-prefix=LOOPS
declare void @__enzyme_autodiff(ptr, ...)
define double @f(ptr noalias %p, ptr noalias %q, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi double [ 0.0, %entry ], [ %sum, %loop ]
  %at = getelementptr inbounds double, ptr %p, i64 %i
  %x = load double, ptr %at
  %from = getelementptr inbounds double, ptr %q, i64 %i
  %y = load double, ptr %from
  %xy = fmul double %x, %y
  %square = fmul double %xy, %xy
  %sum = fadd double %s, %square
  store double %square, ptr %at
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret double %sum
}
define void @test(ptr %p, ptr %dp, ptr %q, ptr %dq, i64 %n) {
  call void (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %p, ptr %dp, ptr %q, ptr %dq, i64 %n)
  ret void
}

; CHECK: plan for rg.primal.f (joint):
; NAIVE: scope %loop: 40 bytes per iteration, arrays
; NAIVE: need %y: keep
; NAIVE: need %xy: keep
; CUT: scope %loop: 8 bytes per iteration, arrays
; CUT-NEXT: +0 double %x
; CUT-DAG: need %y: recompute
; CUT-DAG: need %x: keep
; CUT-DAG: need %xy: recompute
; OVER: overwritten   %x = load
; OVER: repeatable    %y = load
; TYPES: types of @rg.primal.f
; TYPES: %at -> #[[O:[0-9]+]]+0 step 8
; TYPES: object #[[O]]:
; TYPES: +0 step 8: 8 x double
; ACT: shadow  ptr %p
; ACT: -         %i = phi i64
; ACT: active    %x = load double
; LOOPS: %loop backedges = {{.*}}, affine %i
