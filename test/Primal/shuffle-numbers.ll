; A double that lanes exchange in two words, and a float in one, are exchanged as numbers. An integer stays one.
; RUN: %loadopt '-passes=print<rg-primal>' -rg-print-after=shuffle-numbers -disable-output %s 2>&1 | FileCheck %s
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.shfl.sync.down.i32(i32, i32, i32, i32)

; CHECK: ; after shuffle-numbers
; CHECK-LABEL: @rg.primal.halves(
; CHECK-NOT: call i32 @llvm.nvvm.shfl
; CHECK: call double @rg_shfl{{.*}}(
; CHECK-NOT: call i32 @llvm.nvvm.shfl
; CHECK: ret double
define double @halves(double %x) {
  %bits = bitcast double %x to i64
  %low = trunc i64 %bits to i32
  %shifted = lshr i64 %bits, 32
  %high = trunc i64 %shifted to i32
  %l = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 -1, i32 %low, i32 1, i32 31)
  %h = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 -1, i32 %high, i32 1, i32 31)
  %wl = zext i32 %l to i64
  %wh = zext i32 %h to i64
  %up = shl i64 %wh, 32
  %both = or i64 %up, %wl
  %r = bitcast i64 %both to double
  ret double %r
}

; CHECK: ; after shuffle-numbers
; CHECK-LABEL: @rg.primal.word(
; CHECK: call float @llvm.nvvm.shfl.sync.down.f32(i32 -1, float %{{.*}}, i32 1, i32 31)
; CHECK-NOT: @llvm.nvvm.shfl.sync.down.i32(i32 -1, i32 %bits
; CHECK: call i32 @llvm.nvvm.shfl.sync.down.i32(i32 -1, i32 %n, i32 1, i32 31)
define float @word(float %x, i32 %n) {
  %bits = bitcast float %x to i32
  %moved = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 -1, i32 %bits, i32 1, i32 31)
  %r = bitcast i32 %moved to float
  %m = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 -1, i32 %n, i32 1, i32 31)
  %f = sitofp i32 %m to float
  %s = fmul float %r, %f
  ret float %s
}

declare double @__enzyme_autodiff(ptr, ...)
declare float @__enzyme_autodifff(ptr, ...)
define void @ask(double %x, float %y, i32 %n) {
  %1 = call double (ptr, ...) @__enzyme_autodiff(ptr @halves, double %x)
  %2 = call float (ptr, ...) @__enzyme_autodifff(ptr @word, float %y, i32 %n)
  ret void
}
