; LoopShape: how often a loop goes round, as far as that is known in front of it, and which numbers count its rounds.
; RUN: %loadopt -passes='print<rg-loops>' -disable-output %s 2>&1 | FileCheck %s

declare void @__enzyme_autodiff(ptr, ...)
define double @f(ptr %x, i64 %n, i64 %m) {
entry:
  br label %rows
rows:
  %i = phi i64 [ 0, %entry ], [ %i.next, %rows.end ]
  %s0 = phi double [ 0.0, %entry ], [ %s.out, %rows.end ]
  br label %columns
columns:
  %j = phi i64 [ 0, %rows ], [ %j.next, %columns ]
  %s1 = phi double [ %s0, %rows ], [ %s2, %columns ]
  %at = getelementptr inbounds double, ptr %x, i64 %j
  %v = load double, ptr %at
  %s2 = fmul double %s1, %v
  %j.next = add nuw nsw i64 %j, 1
  %in = icmp ult i64 %j.next, %m
  br i1 %in, label %columns, label %rows.end
rows.end:
  %s.out = phi double [ %s2, %columns ]
  %i.next = add nuw nsw i64 %i, 1
  %on = icmp ult i64 %i.next, %n
  br i1 %on, label %rows, label %search
search:
  %k = phi i64 [ 0, %rows.end ], [ %k.next, %search ]
  %b = getelementptr inbounds double, ptr %x, i64 %k
  %w = load double, ptr %b
  %k.next = add nuw nsw i64 %k, 1
  %zero = fcmp oeq double %w, 0.0
  br i1 %zero, label %exit, label %search
exit:
  %r = fmul double %s.out, %w
  ret double %r
}
define void @use(ptr %x, ptr %dx, i64 %n, i64 %m) {
  call void (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %x, ptr %dx, i64 %n, i64 %m)
  ret void
}

; CHECK-LABEL: loops of rg.primal.f:
; CHECK-NEXT:    %rows backedges = (-1 + (1 umax %n)), affine %i
; CHECK-NEXT:    %columns backedges = (-1 + (1 umax %m)), affine %j
; CHECK-NEXT:    %search backedges unknown, affine %k
