; NVVM's intrinsics for atomicAdd_block, atomicExch_system and their kind become instructions of that scope.
; RUN: %loadopt '-passes=print<rg-primal>' -rg-print-after=spell-scoped-atomics -disable-output %s 2>&1 | FileCheck %s
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.atomic.add.gen.i.cta.i32.p0(ptr, i32)
declare float @llvm.nvvm.atomic.add.gen.f.cta.f32.p0(ptr, float)
declare i32 @llvm.nvvm.atomic.cas.gen.i.sys.i32.p0(ptr, i32, i32)

; CHECK: ; after spell-scoped-atomics
; CHECK-LABEL: @rg.primal.f(
; CHECK: atomicrmw add ptr %n, i32 1 syncscope("block") monotonic
; CHECK: atomicrmw fadd ptr %y, float %v syncscope("block") monotonic
; CHECK: cmpxchg ptr %n, i32 1, i32 2 monotonic monotonic
define float @f(ptr %x, ptr %y, ptr %n) {
  %v = load float, ptr %x
  %a = call i32 @llvm.nvvm.atomic.add.gen.i.cta.i32.p0(ptr %n, i32 1)
  %b = call float @llvm.nvvm.atomic.add.gen.f.cta.f32.p0(ptr %y, float %v)
  %c = call i32 @llvm.nvvm.atomic.cas.gen.i.sys.i32.p0(ptr %n, i32 1, i32 2)
  ret float %v
}

declare float @__enzyme_autodiff(ptr, ...)
define void @ask(ptr %x, ptr %dx, ptr %n) {
  %d = call float (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %x, ptr %dx, ptr %x, ptr %dx, ptr %n, ptr %n)
  ret void
}
