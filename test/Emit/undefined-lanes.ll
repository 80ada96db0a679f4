; LLVM leaves lanes of constant factors undefined whose products nobody reads. In
; derivatives they are ones, in all modes: the adjoints of such lanes are zero, and stay so.
; RUN: %loadopt -passes=retrograd -rg-print-derivative -disable-output %s 2>&1 | FileCheck %s

@enzyme_dup = external global i32
declare void @__enzyme_autodiff(ptr, ...)
declare float @__enzyme_fwddiff(ptr, ...)
declare ptr @__enzyme_augmentfwd(ptr, ...)
declare float @__enzyme_fwdsplit(ptr, ...)
declare float @llvm.vector.reduce.fadd.v4f32(float, <4 x float>)
define float @f(ptr noalias %x) {
  %v = load <4 x float>, ptr %x
  %w = fmul <4 x float> %v, <float 5.000000e-01, float poison, float poison, float poison>
  %s = shufflevector <4 x float> %w, <4 x float> %v, <4 x i32> <i32 0, i32 4, i32 7, i32 5>
  %u = fmul <4 x float> %s, %s
  %b = call float @llvm.vector.reduce.fadd.v4f32(float 0.0, <4 x float> %u)
  ret float %b
}
; CHECK-LABEL: @rg.f.grad(
; CHECK: fmul {{.*}}<4 x float> {{.*}}, <float 5.000000e-01, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00>

; Tangents of such lanes are read by nobody, and are no numbers of a run all the same.
; CHECK-LABEL: @rg.f.fwd(
; CHECK: fmul {{.*}}<4 x float> %v, <float 5.000000e-01, float poison, float poison, float poison>
; CHECK: fmul {{.*}}<4 x float> %v.t, <float 5.000000e-01, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00>
; CHECK-LABEL: @rg.f.replay(
; CHECK: fmul {{.*}}<4 x float> %v.t, <float 5.000000e-01, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00>

define void @d(ptr %x, ptr %dx) {
  %dup = load i32, ptr @enzyme_dup
  call void (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %x, ptr %dx)
  %r = call float (ptr, ...) @__enzyme_fwddiff(ptr @f, ptr %x, ptr %dx)
  %t = call ptr (ptr, ...) @__enzyme_augmentfwd(ptr @f, i32 %dup, ptr %x, ptr %dx)
  %s = call float (ptr, ...) @__enzyme_fwdsplit(ptr @f, i32 %dup, ptr %x, ptr %dx, ptr %t)
  ret void
}
