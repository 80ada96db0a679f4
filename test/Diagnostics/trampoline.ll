; The trampoline of an internal procedure in memory that is no variable of the function: what it leads to is not followed.
; RUN: not %loadopt -passes=retrograd -disable-output %s 2>&1 | FileCheck %s
; CHECK: error: {{.*}}it makes the address of an internal procedure that reaches active variables of the procedure around it; put both procedures and these variables into a module [RG2002]
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@code = internal global [32 x i8] zeroinitializer

define internal double @inner(ptr nest %host) noinline {
  %x = load double, ptr %host
  ret double %x
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
  store double %x, ptr %host
  call void @llvm.init.trampoline(ptr @code, ptr @inner, ptr %host)
  %g = call ptr @llvm.adjust.trampoline(ptr @code)
  %r = call double @go(ptr %g, i32 2)
  ret double %r
}

declare double @__enzyme_autodiff(ptr, ...)
define double @ask(double %x) {
  %d = call double (ptr, ...) @__enzyme_autodiff(ptr @f, double %x)
  ret double %d
}
