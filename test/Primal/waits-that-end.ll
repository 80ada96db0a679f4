; A run that is reversed has returned, and with it every barrier, shuffle and mathematical function of the device.
; RUN: %loadopt '-passes=print<rg-primal>' -rg-print-after=waits-that-end -disable-output %s 2>&1 | FileCheck %s
; RUN: %loadopt '-passes=print<rg-primal>' -rg-disable=waits-that-end -rg-print-after=all -disable-output %s 2>&1 | FileCheck --check-prefix=OFF %s
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare double @__nv_sin(double)
declare void @unknown()

; CHECK: ; after waits-that-end
; CHECK-LABEL: @rg.primal.f(
; CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0) #[[ENDS:[0-9]+]]
; CHECK: call double @__nv_sin(double %x) #[[ENDS]]
; CHECK: call void @unknown(){{$}}
; OFF-NOT: ; after waits-that-end
; OFF: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0){{$}}
define double @f(double %x) {
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %s = call double @__nv_sin(double %x)
  call void @unknown()
  ret double %s
}

declare double @__enzyme_autodiff(ptr, ...)
define double @ask(double %x) {
  %d = call double (ptr, ...) @__enzyme_autodiff(ptr @f, double %x)
  ret double %d
}
