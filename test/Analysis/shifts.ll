; ShiftInvariance: values on which no result depends are not varied. The largest so far of a loop, %grown, is one, and so
; what it is made of is idle, since it is added to the logarithm at last.
; RUN: %loadopt -passes='print<rg-activity>' -disable-output %s 2>&1 | FileCheck %s

target triple = "nvptx64-nvidia-cuda" ; pivots are sought for kernels

declare void @__enzyme_autodiff(ptr, ...)
declare double @exp(double)
declare double @log(double)
declare double @fmax(double, double)
@enzyme_const = external global i32

; CHECK-LABEL: activity of {{.*}}f:
; CHECK-DAG: {{^}}  useful {{.*}}%m = phi
; CHECK-DAG: {{^}}  active {{.*}}%s = phi
; CHECK-DAG: {{^}}  - {{.*}}%grown = call
define double @f(ptr %x, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %m = phi double [ -1.0e30, %entry ], [ %grown, %loop ]
  %s = phi double [ 0.0, %entry ], [ %s1, %loop ]
  %p = getelementptr double, ptr %x, i64 %i
  %a = load double, ptr %p
  %grown = call double @fmax(double %m, double %a)
  %off = fsub double %m, %grown
  %old = call double @exp(double %off)
  %by = fsub double %a, %grown
  %now = call double @exp(double %by)
  %s0 = fmul double %s, %old
  %s1 = fadd double %s0, %now
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  %l = call double @log(double %s1)
  %r = fadd double %l, %grown
  ret double %r
}
define void @call(ptr %x, ptr %dx, i64 %n) {
  call void (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %x, ptr %dx, i64 %n)
  ret void
}
