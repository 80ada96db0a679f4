; What emission writes for a loop that carries a number. The primal sweep keeps it per iteration and counts;
; the reverse sweep begins at the last iteration, hands the phi's adjoint to the iteration before, and ends behind the first.
; RUN: %loadopt -passes=retrograd -rg-print-derivative -disable-output %s 2>&1 | FileCheck %s

declare void @__enzyme_autodiff(ptr, ...)
declare double @__enzyme_fwddiff(ptr, ...)
define double @product(ptr noalias %x, i64 %n) {
entry:
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %s = phi double [ 1.0, %entry ], [ %p, %body ]
  %at = getelementptr inbounds double, ptr %x, i64 %i
  %v = load double, ptr %at
  %p = fmul double %s, %v
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %body, label %exit
exit:
  ret double %p
}
define void @use(ptr %x, ptr %dx, i64 %n) {
  call void (ptr, ...) @__enzyme_autodiff(ptr @product, ptr %x, ptr %dx, i64 %n)
  %t = call double (ptr, ...) @__enzyme_fwddiff(ptr @product, ptr %x, ptr %dx, i64 %n)
  ret void
}

; CHECK-LABEL: define internal void @rg.product.grad(
; CHECK:         %arena = call ptr @rg_tape_begin()
; CHECK:         call ptr @rg_tape_alloc(ptr %arena,
; CHECK:       body:
; CHECK:         %rg.iter = phi i64 [ 0, %entry ], [ %rg.next, %body ]
; CHECK:         %s = phi double
; CHECK:         %[[SLOT:.*]] = getelementptr inbounds double, ptr %{{.*}}, i64 %rg.iter
; CHECK-NEXT:    store double %s, ptr %[[SLOT]]
; CHECK:       rg.exit:
; CHECK-NEXT:    store i64 %rg.iter, ptr %[[LAST:slot.*]], align

; CHECK:       rev.entry:
; CHECK-NEXT:    call void @rg_tape_end(ptr %arena)

; CHECK:       rev.body:
; CHECK:         %[[P:.*]] = load double, ptr %p.adj
; CHECK-NEXT:    store double -0.000000e+00, ptr %p.adj
; The factor that memory still has, and the one on the tape.
; CHECK:         %v.re = load double
; CHECK-NEXT:    fmul double %[[P]], %v.re
; CHECK:         store double %{{.*}}, ptr %s.adj
; CHECK:         %[[KEPT:.*]] = load double, ptr %{{.*}}, align 8, !alias.scope
; CHECK-NEXT:    fmul double %[[P]], %[[KEPT]]
; CHECK:         %[[S:.*]] = load double, ptr %s.adj
; CHECK-NEXT:    store double -0.000000e+00, ptr %s.adj
; CHECK:         %rg.first = icmp eq i64 %{{.*}}, 0
; CHECK-NEXT:    br i1 %rg.first, label %[[OUT:.*]], label %[[BEFORE:.*]]

; CHECK:       rev.exit:
; CHECK:         fadd reassoc double %{{.*}}, %seed
; CHECK:         br label %[[IN:.*]]
; CHECK:       [[BEFORE]]:
; CHECK:         fadd reassoc double %{{.*}}, %[[S]]
; CHECK-NEXT:    store double %{{.*}}, ptr %p.adj
; CHECK:         add i64 %{{.*}}, -1
; CHECK:         br label %rev.body
; CHECK:       [[OUT]]:
; CHECK-NEXT:    br label %rev.entry
; CHECK:       [[IN]]:
; CHECK:         %[[COUNT:.*]] = load i64, ptr %[[LAST]],
; CHECK-NEXT:    store i64 %[[COUNT]], ptr %rg.iter.rev
; CHECK-NEXT:    br label %rev.body

; CHECK-LABEL: @rg.product.fwd(
; CHECK:       body:
; CHECK:         %s.t = phi double [ 0.000000e+00, %entry ], [ %[[NEXT:.*]], %body ]
; CHECK:         %v.t = load double, ptr %at.t
; CHECK:         %[[L:.*]] = fmul double %s.t, %v
; CHECK-NEXT:    %[[R:.*]] = fmul double %v.t, %s
; CHECK-NEXT:    %[[NEXT]] = fadd double %[[L]], %[[R]]
; CHECK:       exit:
; CHECK-NEXT:    %p.lcssa.t = phi double [ %[[NEXT]], %body ]
