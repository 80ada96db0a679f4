; Rules and marks as the IR's own metadata and attributes.
; RUN: %loadopt -passes=retrograd -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
declare double @__enzyme_autodiff(ptr, ...)
declare double @__enzyme_fwddiff(ptr, ...)

declare !enzyme_augment !0 !enzyme_gradient !1 !enzyme_derivative !2 double @f(double)
declare double @f.aug(double)
declare double @f.rev(double, double)
declare double @f.fwd(double, double)
declare double @quiet(double) #0
declare double @mylog(double) #1
!0 = !{ptr @f.aug}
!1 = !{ptr @f.rev}
!2 = !{ptr @f.fwd}
attributes #0 = { "enzyme_inactive" }
attributes #1 = { "enzyme_math"="log" }

define double @user(double %x) {
  %a = call double @f(double %x)
  %q = call double @quiet(double %x)
  %l = call double @mylog(double %x)
  %m = fmul double %a, %q, !enzyme_inactive !{}
  %s = fadd double %l, %m
  %t = fadd double %s, %a
  ret double %t
}
; CHECK-DAG: call double @f.rev(double
; CHECK-DAG: call double @f.fwd(double
; CHECK-NOT: rg.constant
define double @test(double %x) {
  %r = call double (ptr, ...) @__enzyme_autodiff(ptr @user, double %x)
  %t = call double (ptr, ...) @__enzyme_fwddiff(ptr @user, double %x, double 1.0)
  %s = fadd double %r, %t
  ret double %s
}
