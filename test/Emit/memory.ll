; What emission writes for loads, stores and branches. Reverse: a store hands the shadow on and
; clears it, a load adds to it, and a branch is taken backwards by the primal's condition.
; Forward: each line has its tangent behind it.
; RUN: %loadopt -passes=retrograd -rg-print-derivative -disable-output %s 2>&1 | FileCheck %s

declare void @__enzyme_autodiff(ptr, ...)
declare void @__enzyme_fwddiff(ptr, ...)
define void @f(ptr noalias %x, ptr noalias %y, i1 %c) {
entry:
  %a = load double, ptr %x
  br i1 %c, label %then, label %join
then:
  %square = fmul double %a, %a
  store double %square, ptr %y
  br label %join
join:
  %at = getelementptr inbounds double, ptr %y, i64 1
  store double %a, ptr %at
  ret void
}
define void @use(ptr %x, ptr %dx, ptr %y, ptr %dy, i1 %c) {
  call void (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %x, ptr %dx, ptr %y, ptr %dy, i1 %c)
  call void (ptr, ...) @__enzyme_fwddiff(ptr @f, ptr %x, ptr %dx, ptr %y, ptr %dy, i1 %c)
  ret void
}

; CHECK-LABEL: define internal void @rg.f.grad(
; The primal sweep is the primal.
; CHECK:       entry:
; CHECK:         %a = load double, ptr %x
; CHECK:       then:
; CHECK:         %square = fmul double %a, %a
; CHECK:         store double %square, ptr %y
; CHECK:       join:
; CHECK:         store double %a, ptr %at
; CHECK-NEXT:    br label %rev.join

; The load, last.
; CHECK:       rev.entry:
; CHECK:         %[[A:.*]] = load double, ptr %a.adj
; CHECK:         %[[WAS:.*]] = load double, ptr %x.sh
; CHECK:         %[[SUM:.*]] = fadd reassoc double %[[WAS]], %[[A]]
; CHECK:         store double %[[SUM]], ptr %x.sh
; CHECK:         ret void

; CHECK:       rev.then:
; CHECK:         %[[Y:.*]] = load double, ptr %y.sh
; CHECK-NEXT:    store double 0.000000e+00, ptr %y.sh
; CHECK-NEXT:    store double %[[Y]], ptr %[[OF:store.adj.*]], align
; CHECK:         load double, ptr %[[OF]],
; CHECK:         fadd reassoc
; CHECK:         store double %{{.*}}, ptr %square.adj
; What the product reads is read again.
; CHECK:         %a.re = load double, ptr %x
; CHECK:         fmul double %{{.*}}, %a.re
; CHECK:         fmul double %{{.*}}, %a.re
; CHECK:         store double %{{.*}}, ptr %a.adj
; CHECK:         br label %[[BACK:rev.edge.*]]

; The store that ran last comes first, and then the way that was taken.
; CHECK:       rev.join:
; CHECK:         %[[Y2:.*]] = load double, ptr %[[SHADOW:at.sh.*]], align
; CHECK-NEXT:    store double 0.000000e+00, ptr %[[SHADOW]],
; CHECK:         %[[WAY:.*]] = select i1 %c, i8 0, i8 1
; CHECK-NEXT:    switch i8 %[[WAY]], label %rev.edge.then [
; CHECK-NEXT:      i8 1, label %[[OTHER:rev.edge.entry.*]]
; CHECK:       [[BACK]]:
; CHECK-NEXT:    br label %rev.entry
; CHECK:       rev.edge.then:
; CHECK-NEXT:    br label %rev.then
; CHECK:       [[OTHER]]:
; CHECK-NEXT:    br label %rev.entry

; CHECK-LABEL: define internal void @rg.f.fwd(
; CHECK:         %a = load double, ptr %x
; CHECK-NEXT:    %a.t = load double, ptr %x.sh
; CHECK:       then:
; CHECK-NEXT:    %square = fmul double %a, %a
; CHECK-NEXT:    %[[L:.*]] = fmul double %a.t, %a
; CHECK-NEXT:    %[[R:.*]] = fmul double %a.t, %a
; CHECK-NEXT:    %[[T:.*]] = fadd double %[[L]], %[[R]]
; CHECK-NEXT:    store double %square, ptr %y
; CHECK-NEXT:    store double %[[T]], ptr %y.sh
; CHECK:       join:
; CHECK:         store double %a, ptr %at,
; CHECK-NEXT:    store double %a.t, ptr %at.t,
; CHECK-NEXT:    ret void
