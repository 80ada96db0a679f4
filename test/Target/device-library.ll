; Functions of the device library are known, whatever their bodies say, until
; derivatives are made; then they are inlined.
; RUN: opt -load-pass-plugin=%plugin -passes='default<O2>' -S %s | FileCheck %s
; RUN: opt -load-pass-plugin=%plugin -passes='default<O0>' -S %s | FileCheck %s
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-NOT: define {{.*}}@__nv_sin(
; CHECK: define {{.*}}@gradient
; CHECK-NOT: @__nv_sin(
; CHECK: call {{double @__nv_cos\(double|void @__nv_sincos\(double}}
; CHECK-NOT: @__nv_sin(
; CHECK: ret void
; CHECK: declare {{double @__nv_cos\(double|void @__nv_sincos\(double}}
define internal double @__nv_sin(double %x) alwaysinline {
  %y = fmul double %x, 3.0
  ret double %y
}
define void @f(ptr %x, ptr %y) {
  %a = load double, ptr %x
  %b = call double @__nv_sin(double %a)
  store double %b, ptr %y
  ret void
}
define ptx_kernel void @gradient(ptr %x, ptr %dx, ptr %y, ptr %dy) {
  call void @__enzyme_autodiff(ptr @f, ptr %x, ptr %dx, ptr %y, ptr %dy)
  ret void
}
declare void @__enzyme_autodiff(...)
