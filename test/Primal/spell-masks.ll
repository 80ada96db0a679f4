; A masked operation of AVX-512 becomes the operation in all lanes and a select. An operation on one element, whose mask is
; another thing, one that makes fewer elements than its result has, and one that takes all lanes stay as they are. Conversions
; between floats become LLVM's, but not one that rounds in a way of its own.
; RUN: %loadopt '-passes=print<rg-primal>' -rg-print-after=spell-masks -disable-output %s 2>&1 | FileCheck %s

; CHECK: ; after spell-masks
; CHECK-LABEL: @rg.primal.f(
; CHECK: [[ALL:%.*]] = call <4 x double> @llvm.x86.avx512.mask.rndscale.pd.256(<4 x double> {{%.*}}, i32 9, <4 x double> zeroinitializer, i8 -1)
; CHECK: [[BITS:%.*]] = bitcast i8 %mask to <8 x i1>
; CHECK: [[LANES:%.*]] = shufflevector <8 x i1> [[BITS]], {{.*}} <i32 0, i32 1, i32 2, i32 3>
; CHECK: [[EITHER:%.*]] = select <4 x i1> [[LANES]], <4 x double> [[ALL]], <4 x double> {{%.*}}
; CHECK: call <2 x double> @llvm.x86.avx512.mask.rndscale.sd(<2 x double> {{%.*}}, <2 x double> {{%.*}}, <2 x double> {{%.*}}, i8 %mask, i32 9, i32 4)
; CHECK: call <8 x double> @llvm.x86.avx512.mask.rndscale.pd.512(<8 x double> {{%.*}}, i32 9, <8 x double> {{%.*}}, i8 -1, i32 4)
; CHECK: call <4 x float> @llvm.x86.avx512.mask.cvtqq2ps.128(<2 x i64> {{%.*}}, <4 x float> {{%.*}}, i8 %mask)
; CHECK: fptrunc <8 x double> {{%.*}} to <8 x float>
; CHECK: [[WIDE:%.*]] = fpext <8 x float> {{%.*}} to <8 x double>
; CHECK: select <8 x i1> {{%.*}}, <8 x double> [[WIDE]], <8 x double> {{%.*}}
; CHECK: call <8 x float> @llvm.x86.avx512.mask.cvtpd2ps.512(<8 x double> {{%.*}}, <8 x float> {{.*}}, i8 -1, i32 9)
; CHECK: extractelement <4 x double> [[EITHER]]
define double @f(ptr %p, i8 %mask) {
  %a = load <4 x double>, ptr %p
  %q = getelementptr i8, ptr %p, i64 64
  %b = load <4 x double>, ptr %q
  %c = load <2 x double>, ptr %p
  %d = load <8 x double>, ptr %p
  %r = call <4 x double> @llvm.x86.avx512.mask.rndscale.pd.256(<4 x double> %a, i32 9, <4 x double> %b, i8 %mask)
  %s = call <2 x double> @llvm.x86.avx512.mask.rndscale.sd(<2 x double> %c, <2 x double> %c, <2 x double> %c, i8 %mask, i32 9, i32 4)
  %t = call <8 x double> @llvm.x86.avx512.mask.rndscale.pd.512(<8 x double> %d, i32 9, <8 x double> %d, i8 -1, i32 4)
  %i = load <2 x i64>, ptr @ints
  %g = load <4 x float>, ptr @floats
  %half = call <4 x float> @llvm.x86.avx512.mask.cvtqq2ps.128(<2 x i64> %i, <4 x float> %g, i8 %mask)
  %narrow = call <8 x float> @llvm.x86.avx512.mask.cvtpd2ps.512(<8 x double> %d, <8 x float> zeroinitializer, i8 -1, i32 4)
  %wide = call <8 x double> @llvm.x86.avx512.mask.cvtps2pd.512(<8 x float> %narrow, <8 x double> %d, i8 %mask, i32 8)
  %down = call <8 x float> @llvm.x86.avx512.mask.cvtpd2ps.512(<8 x double> %wide, <8 x float> zeroinitializer, i8 -1, i32 9)
  store <4 x float> %half, ptr @floats
  store <8 x float> %down, ptr @more
  %x = extractelement <4 x double> %r, i64 1
  %y = extractelement <2 x double> %s, i64 0
  %z = extractelement <8 x double> %t, i64 7
  %xy = fadd double %x, %y
  %xyz = fadd double %xy, %z
  ret double %xyz
}
@ints = external global <2 x i64>
@floats = external global <4 x float>
@more = external global <8 x float>
declare <4 x float> @llvm.x86.avx512.mask.cvtqq2ps.128(<2 x i64>, <4 x float>, i8)
declare <8 x float> @llvm.x86.avx512.mask.cvtpd2ps.512(<8 x double>, <8 x float>, i8, i32)
declare <8 x double> @llvm.x86.avx512.mask.cvtps2pd.512(<8 x float>, <8 x double>, i8, i32)
declare <4 x double> @llvm.x86.avx512.mask.rndscale.pd.256(<4 x double>, i32, <4 x double>, i8)
declare <2 x double> @llvm.x86.avx512.mask.rndscale.sd(<2 x double>, <2 x double>, <2 x double>, i8, i32, i32)
declare <8 x double> @llvm.x86.avx512.mask.rndscale.pd.512(<8 x double>, i32, <8 x double>, i8, i32)

declare double @__enzyme_autodiff(ptr, ...)
define void @ask(ptr %p, ptr %d, i8 %mask) {
  call double (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %p, ptr %d, i8 %mask)
  ret void
}
