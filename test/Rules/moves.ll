; The rules of moves: bits of a number that go over an integer, and a copy whose length only the running program knows.
; Forward, the shadows are moved alike. In reverse, the target's shadow is added to the source's and cleared.
; RUN: %loadopt -passes=retrograd -rg-print-derivative -disable-output %s 2>&1 | FileCheck %s

declare void @__enzyme_autodiff(ptr, ...)
declare void @__enzyme_fwddiff(ptr, ...)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @f(ptr noalias %x, ptr noalias %y, i64 %bytes) {
  %v = load double, ptr %x
  %bits = load i64, ptr %x
  %behind = getelementptr double, ptr %y, i64 1
  store i64 %bits, ptr %behind
  call void @llvm.memcpy.p0.p0.i64(ptr %y, ptr %x, i64 %bytes, i1 false)
  %sq = fmul double %v, %v
  %first = load double, ptr %y
  %r = fadd double %sq, %first
  store double %r, ptr %x
  ret void
}
define void @use(ptr %x, ptr %dx, ptr %y, ptr %dy, i64 %n) {
  call void (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %x, ptr %dx, ptr %y, ptr %dy, i64 %n)
  call void (ptr, ...) @__enzyme_fwddiff(ptr @f, ptr %x, ptr %dx, ptr %y, ptr %dy, i64 %n)
  ret void
}

; CHECK-LABEL: @rg.f.grad(
; CHECK:         call void @llvm.memcpy.p0.p0.i64(ptr align 1 %y, ptr nonnull align 1 %x, i64 %bytes, i1 false)
; CHECK:       rev.:
; CHECK:         call void @rg_adjoint_move_f64(ptr %y.sh, ptr null, ptr %x.sh, ptr null, i64 %bytes, i64 0, i64 0, i64 %bytes)
; The integer's store is a store of the number.
; CHECK:         %[[AT:behind.sh.*]] = getelementptr i8, ptr %y.sh, i64 8
; CHECK-NEXT:    load double, ptr %[[AT]]
; CHECK-NEXT:    store double 0.000000e+00, ptr %[[AT]]
; CHECK:         store double %{{.*}}, ptr %v.adj
; CHECK:         %[[X:.*]] = load double, ptr %x.sh
; CHECK-NEXT:    %[[SUM:.*]] = fadd reassoc double %[[X]], %
; CHECK-NEXT:    store double %[[SUM]], ptr %x.sh
; CHECK-NEXT:    ret void

; CHECK-LABEL: @rg.f.fwd(
; CHECK:         %v.t = load double, ptr %x.sh
; CHECK:         %[[T:.*]] = getelementptr i8, ptr %y.sh, i64 8
; CHECK:         store double %v.t, ptr %[[T]]
; CHECK:         call void @llvm.memcpy.p0.p0.i64(ptr align 1 %y.sh, ptr align 1 %x.sh, i64 %bytes, i1 false)
