; The rules of vectors. Forward, tangents take the way of the lanes; in reverse, each lane's adjoint goes back to where the
; lane came from, and an undefined lane's goes nowhere.
; RUN: %loadopt -passes=retrograd -rg-print-derivative -disable-output %s 2>&1 | FileCheck %s

declare void @__enzyme_autodiff(ptr, ...)
declare void @__enzyme_fwddiff(ptr, ...)
define void @f(ptr noalias %x, ptr noalias %y, i64 %lane) {
  %v = load <2 x double>, ptr %x, align 16
  %turned = shufflevector <2 x double> %v, <2 x double> poison, <2 x i32> <i32 1, i32 poison>
  %one = extractelement <2 x double> %v, i64 %lane
  %w = insertelement <2 x double> %turned, double %one, i64 1
  store <2 x double> %w, ptr %y, align 16
  ret void
}
define void @use(ptr %x, ptr %dx, ptr %y, ptr %dy, i64 %lane) {
  call void (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %x, ptr %dx, ptr %y, ptr %dy, i64 %lane)
  call void (ptr, ...) @__enzyme_fwddiff(ptr @f, ptr %x, ptr %dx, ptr %y, ptr %dy, i64 %lane)
  ret void
}

; CHECK-LABEL: @rg.f.grad(
; CHECK:       rev.:
; CHECK:         store <2 x double> %{{.*}}, ptr %w.adj
; CHECK-NEXT:    %[[W:.*]] = load <2 x double>, ptr %w.adj
; CHECK-NEXT:    store <2 x double> splat (double -0.000000e+00), ptr %w.adj
; The element that was inserted, and the lanes around it.
; CHECK-NEXT:    extractelement <2 x double> %[[W]], i64 1
; CHECK:         store double %{{.*}}, ptr %one.adj
; CHECK:         insertelement <2 x double> %[[W]], double -0.000000e+00, i64 1
; CHECK:         store <2 x double> %{{.*}}, ptr %turned.adj
; The element that was taken.
; CHECK:         %[[ONE:.*]] = load double, ptr %one.adj
; CHECK:         insertelement <2 x double> splat (double -0.000000e+00), double %[[ONE]], i64 %lane
; CHECK:         store <2 x double> %{{.*}}, ptr %v.adj
; Lane 0 came from lane 1.
; CHECK:         %[[T:.*]] = load <2 x double>, ptr %turned.adj
; CHECK:         %[[L:.*]] = extractelement <2 x double> %[[T]], i64 0
; CHECK-NEXT:    insertelement <2 x double> splat (double -0.000000e+00), double %[[L]], i64 1
; CHECK-NOT:     extractelement

; CHECK-LABEL: @rg.f.fwd(
; CHECK:         %turned.t = shufflevector <2 x double> %v.t, <2 x double> zeroinitializer, <2 x i32> <i32 1, i32 poison>
; CHECK:         %one.t = extractelement <2 x double> %v.t, i64 %lane
; CHECK:         %w.t = insertelement <2 x double> %turned.t, double %one.t, i64 1
; CHECK:         store <2 x double> %w.t, ptr %y.sh
