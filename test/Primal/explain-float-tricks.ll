; Rounding by adding 2^52 moves in steps; a mantissa is the number times a power of two; a sign that is flipped by a mask
; is a choice.
; RUN: %loadopt '-passes=print<rg-primal>' -rg-print-after=explain-float-tricks -disable-output %s 2>&1 | FileCheck %s

; CHECK: ; after explain-float-tricks
; CHECK-LABEL: @rg.primal.rounded(
; CHECK: fadd double %up, 0xC330000000000000, !rg.steps
define double @rounded(double %x) {
  %up = fadd double %x, 0x4330000000000000
  %down = fsub double %up, 0x4330000000000000
  %r = fmul double %down, %x
  ret double %r
}

; CHECK: ; after explain-float-tricks
; CHECK-LABEL: @rg.primal.mantissa(
; CHECK: [[MULTIPLE:%.*]] = fmul double %x, %power
; CHECK: select i1 %{{.*}}, double [[MULTIPLE]]
define double @mantissa(double %x) {
  %bits = bitcast double %x to i64
  %without = and i64 %bits, -9218868437227405313
  %half = or i64 %without, 4602678819172646912
  %r = bitcast i64 %half to double
  ret double %r
}

; CHECK: ; after explain-float-tricks
; CHECK-LABEL: @rg.primal.flipped(
; CHECK: [[NEGATIVE:%.*]] = fneg double %x
; CHECK: select i1 %negative, double [[NEGATIVE]], double %x
define double @flipped(double %x, i64 %n) {
  %sign = shl i64 %n, 63
  %bits = bitcast double %x to i64
  %other = xor i64 %bits, %sign
  %r = bitcast i64 %other to double
  ret double %r
}

declare double @__enzyme_autodiff(ptr, ...)
define void @ask(double %x, i64 %n) {
  %1 = call double (ptr, ...) @__enzyme_autodiff(ptr @rounded, double %x)
  %2 = call double (ptr, ...) @__enzyme_autodiff(ptr @mantissa, double %x)
  %3 = call double (ptr, ...) @__enzyme_autodiff(ptr @flipped, double %x, i64 %n)
  ret void
}
