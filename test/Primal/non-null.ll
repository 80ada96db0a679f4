; Accesses through a pointer that is null where the memory has no bytes get a pointer of their own; comparisons,
; calls and copies, which may be of no bytes, keep the other one.
; RUN: %loadopt '-passes=print<rg-primal>' -disable-output %s 2>&1 | FileCheck %s
; RUN: %loadopt '-passes=print<rg-primal>' -rg-disable=non-null -disable-output %s 2>&1 | FileCheck %s --check-prefix=OFF

declare noalias nonnull ptr @_Znwm(i64)
declare void @_ZdlPv(ptr)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

; CHECK-LABEL: @rg.primal.f(
; CHECK-DAG: phi ptr [ %x, %a ], [ poison, %0 ]
; CHECK-DAG: phi ptr [ %x, %a ], [ null, %0 ]
; CHECK: %l = load double
; CHECK-NOT: load double
; CHECK: call void @_ZdlPv(ptr %p)
; OFF-LABEL: @rg.primal.f(
; OFF-NOT: poison
; OFF-COUNT-2: load double
define double @f(i64 %n, i64 %i, i64 %j) {
  %c = icmp eq i64 %n, 0
  br i1 %c, label %b, label %a
a:
  %x = call noalias nonnull ptr @_Znwm(i64 %n)
  %y = call noalias nonnull ptr @_Znwm(i64 %n)
  call void @llvm.memset.p0.i64(ptr %x, i8 0, i64 %n, i1 false)
  br label %b
b:
  %p = phi ptr [ %x, %a ], [ null, %0 ]
  %q = phi ptr [ %y, %a ], [ null, %0 ]
  %d = icmp slt i64 %i, %n
  br i1 %d, label %in, label %out
in:
  %g = getelementptr inbounds double, ptr %p, i64 %i
  %h = getelementptr inbounds double, ptr %q, i64 %j
  %l = load double, ptr %g
  store double 1.0, ptr %h
  %m = load double, ptr %g
  %s = fadd double %l, %m
  br label %out
out:
  %r = phi double [ %s, %in ], [ 0.0, %b ]
  call void @_ZdlPv(ptr %p)
  ret double %r
}
