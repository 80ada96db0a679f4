; Rounding by adding 2^52 moves in steps; a mantissa is the number times a power of two; a sign that is flipped by a mask
; is a choice; constant masks of signs, of words that were loaded, clear, set and flip them, in some lanes.
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

; CHECK: ; after explain-float-tricks
; CHECK-LABEL: @rg.primal.masked(
; CHECK: [[X:%.*]] = bitcast <2 x i64> {{%.*}} to <2 x double>
; CHECK: [[CLEARED:%.*]] = call <2 x double> @llvm.fabs.v2f64(<2 x double> [[X]])
; CHECK: [[Y:%.*]] = bitcast <2 x i64> {{%.*}} to <2 x double>
; CHECK: [[FLIPPED:%.*]] = fneg <2 x double> [[Y]]
; CHECK: [[SECOND:%.*]] = select <2 x i1> <i1 false, i1 true>, <2 x double> [[FLIPPED]], <2 x double> [[Y]]
; CHECK: [[Z:%.*]] = bitcast <2 x i64> {{%.*}} to <4 x float>
; CHECK: [[SIZE:%.*]] = call <4 x float> @llvm.fabs.v4f32(<4 x float> [[Z]])
; CHECK: [[SET:%.*]] = fneg <4 x float> [[SIZE]]
; CHECK: and <2 x i64> {{%.*}}, splat (i64 4294967295)
define double @masked(ptr %p) {
  %a = load <2 x i64>, ptr %p
  %clear = and <2 x i64> %a, splat (i64 9223372036854775807)
  %cleared = bitcast <2 x i64> %clear to <2 x double>
  %q = getelementptr i8, ptr %p, i64 16
  %b = load <2 x i64>, ptr %q
  %flip = xor <2 x i64> %b, <i64 0, i64 -9223372036854775808>
  %flipped = bitcast <2 x i64> %flip to <2 x double>
  %r = getelementptr i8, ptr %p, i64 32
  %c = load <2 x i64>, ptr %r
  %set = or <2 x i64> %c, splat (i64 -9223372034707292160)
  %sets = bitcast <2 x i64> %set to <4 x float>
  %s = getelementptr i8, ptr %p, i64 48
  %d = load <2 x i64>, ptr %s
  %half = and <2 x i64> %d, splat (i64 4294967295)
  %halves = bitcast <2 x i64> %half to <4 x float>
  %1 = fmul <2 x double> %cleared, %flipped
  %2 = fmul <4 x float> %sets, %halves
  %3 = extractelement <2 x double> %1, i64 0
  %4 = extractelement <2 x double> %1, i64 1
  %5 = fmul double %3, %4
  %6 = call float @llvm.vector.reduce.fadd.v4f32(float 0.0, <4 x float> %2)
  %7 = fpext float %6 to double
  %8 = fadd double %5, %7
  ret double %8
}

; A lane that nobody asks for.
; CHECK: ; after explain-float-tricks
; CHECK-LABEL: @rg.primal.lane(
; CHECK: [[X:%.*]] = bitcast <2 x i64> {{%.*}} to <2 x double>
; CHECK: call <2 x double> @llvm.fabs.v2f64(<2 x double> [[X]])
define double @lane(ptr %p) {
  %a = load <2 x i64>, ptr %p
  %clear = and <2 x i64> %a, <i64 poison, i64 9223372036854775807>
  %cleared = bitcast <2 x i64> %clear to <2 x double>
  %1 = extractelement <2 x double> %cleared, i64 1
  ret double %1
}

declare float @llvm.vector.reduce.fadd.v4f32(float, <4 x float>)
declare double @__enzyme_autodiff(ptr, ...)
define void @ask(double %x, i64 %n, ptr %p, ptr %d) {
  %1 = call double (ptr, ...) @__enzyme_autodiff(ptr @rounded, double %x)
  %2 = call double (ptr, ...) @__enzyme_autodiff(ptr @mantissa, double %x)
  %3 = call double (ptr, ...) @__enzyme_autodiff(ptr @flipped, double %x, i64 %n)
  %4 = call double (ptr, ...) @__enzyme_autodiff(ptr @masked, ptr %p, ptr %d)
  %5 = call double (ptr, ...) @__enzyme_autodiff(ptr @lane, ptr %p, ptr %d)
  ret void
}
