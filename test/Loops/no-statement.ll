; A nest in which nothing is computed, as the reverse of loops can be before clean-up, is left as it is.
; RUN: %loadopt -passes=rg-loops -pass-remarks-missed=rg-loops -disable-output %s 2>&1 | FileCheck %s
; CHECK: loop nest left as it is: nothing is computed in it
define void @f(i64 %n, i64 %m) {
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %i.next, %latch ]
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  %j.next = add nuw nsw i64 %j, 1
  %more = icmp slt i64 %j.next, %m
  br i1 %more, label %inner, label %latch
latch:
  %i.next = add nuw nsw i64 %i, 1
  %again = icmp slt i64 %i.next, %n
  br i1 %again, label %outer, label %exit
exit:
  ret void
}
