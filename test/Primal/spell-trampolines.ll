; The trampoline of an internal procedure becomes a record: code, the procedure, and a word for each procedure that has one in the
; module, of which its own holds the variables of its host. What calls through it reads the record.
; RUN: %loadopt '-passes=print<rg-primal>' -rg-print-after=spell-trampolines,dispatch-calls -disable-output %s 2>&1 | FileCheck %s

; CHECK: ; after spell-trampolines
; CHECK-LABEL: @rg.primal.f(
; CHECK: [[RECORD:%.*]] = alloca [40 x i8], align 8
; CHECK: store i64 {{-?[0-9]+}}, ptr [[RECORD]]
; CHECK: [[PROCEDURE:%.*]] = getelementptr {{.*}} [[RECORD]], i64 16
; CHECK: store ptr @second, ptr [[PROCEDURE]]
; CHECK: [[CLOSURE:%.*]] = getelementptr {{.*}} [[RECORD]], i64 32
; CHECK: store ptr %host, ptr [[CLOSURE]]
; CHECK: call double @go(ptr {{.*}}[[RECORD]], i32 2)

; CHECK-LABEL: @rg.primal.rg.dispatch.0(
; CHECK: [[AT:%.*]] = getelementptr i8, ptr %callee, i64 16
; CHECK: [[P:%.*]] = load ptr, ptr [[AT]], align 1
; CHECK: icmp eq ptr [[P]], @first
; CHECK: getelementptr i8, ptr %callee, i64 24
; CHECK: call double @first(ptr {{.*}}nest
; CHECK: icmp eq ptr [[P]], @second
; CHECK: getelementptr i8, ptr %callee, i64 32
; CHECK: call double @second(ptr {{.*}}nest
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

define internal double @first(ptr nest %host) noinline {
  %x = load double, ptr %host
  ret double %x
}
define internal double @second(ptr nest %host) noinline {
  %x = load double, ptr %host
  %y = fmul double %x, %x
  ret double %y
}
define internal double @go(ptr %g, i32 %n) noinline {
  %end = icmp eq i32 %n, 0
  br i1 %end, label %last, label %more
more:
  %less = sub i32 %n, 1
  %deep = call double @go(ptr %g, i32 %less)
  ret double %deep
last:
  %r = call double %g()
  ret double %r
}

define double @f(double %x) {
  %host = alloca double
  %code = alloca [32 x i8]
  store double %x, ptr %host
  call void @llvm.init.trampoline(ptr %code, ptr @second, ptr %host)
  %g = call ptr @llvm.adjust.trampoline(ptr %code)
  %r = call double @go(ptr %g, i32 2)
  ret double %r
}
define double @other(double %x) {
  %host = alloca double
  %code = alloca [32 x i8]
  store double %x, ptr %host
  call void @llvm.init.trampoline(ptr %code, ptr @first, ptr %host)
  %g = call ptr @llvm.adjust.trampoline(ptr %code)
  %r = call double @go(ptr %g, i32 2)
  ret double %r
}

declare double @__enzyme_autodiff(ptr, ...)
define double @ask(double %x) {
  %d = call double (ptr, ...) @__enzyme_autodiff(ptr @f, double %x)
  ret double %d
}
