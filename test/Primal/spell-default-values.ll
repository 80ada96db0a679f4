; Default values of a derived type of Fortran, which flang copies to a new variable, are stores of its components.
; RUN: %loadopt '-passes=print<rg-primal>' -rg-print-after=spell-default-values -disable-output %s 2>&1 | FileCheck %s

; CHECK: ; after spell-default-values
; CHECK-LABEL: @rg.primal.f(
; CHECK-NOT: memcpy
; CHECK: store i32 3, ptr {{.*}}, align 8, !tbaa
; CHECK: store double 5.000000e-01
; CHECK: store ptr null
; CHECK: store double 1.000000e+00
; CHECK: store double 2.000000e+00
; CHECK: store i8 98
; A constant of another kind is copied.
; CHECK: call void @llvm.memcpy{{.*}}@other
%T = type { i32, double, ptr, [2 x double], [2 x i8] }
@_QQ_QMmTkindXDerivedInit = internal constant %T { i32 3, double 5.000000e-01, ptr null, [2 x double] [double 1.0, double 2.0], [2 x i8] c"ab" }
@other = internal constant %T { i32 3, double 5.000000e-01, ptr null, [2 x double] [double 1.0, double 2.0], [2 x i8] c"ab" }

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare double @__enzyme_autodiff(ptr, ...)

define double @f(double %x) {
  %a = alloca %T, align 8
  %b = alloca %T, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %a, ptr align 8 @_QQ_QMmTkindXDerivedInit, i64 48, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %b, ptr align 8 @other, i64 48, i1 false)
  %at = getelementptr i8, ptr %a, i64 8
  %v = load double, ptr %at
  %bt = getelementptr i8, ptr %b, i64 8
  %w = load double, ptr %bt
  %r = fmul double %x, %v
  %s = fmul double %r, %w
  ret double %s
}
define double @ask(double %x) {
  %d = call double (ptr, ...) @__enzyme_autodiff(ptr @f, double %x)
  ret double %d
}
