; expansions.ll - intrinsics with two results, spelt in simpler operations
;
; Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; As expansions.c, for intrinsics: C has no function that returns {float, float}
; in IR, its calling convention packs the two. Written for float, double and the
; 80-bit long double in the same way.

define { float, float } @rg_expand_llvm_sincos_f32(float %x) {
  %sin = call float @llvm.sin.f32(float %x)
  %cos = call float @llvm.cos.f32(float %x)
  %r0 = insertvalue { float, float } poison, float %sin, 0
  %r1 = insertvalue { float, float } %r0, float %cos, 1
  ret { float, float } %r1
}

; sin(pi x) and cos(pi x): x less the nearest even number is exact.
define { float, float } @rg_expand_llvm_sincospi_f32(float %x) {
  %half = fmul float %x, 0.5
  %near = call float @llvm.roundeven.f32(float %half)
  %even = fadd float %near, %near
  %off = fsub float %x, %even
  %turn = fmul float %off, 0x400921FB60000000
  %sin = call float @llvm.sin.f32(float %turn)
  %cos = call float @llvm.cos.f32(float %turn)
  %r0 = insertvalue { float, float } poison, float %sin, 0
  %r1 = insertvalue { float, float } %r0, float %cos, 1
  ret { float, float } %r1
}

define { float, float } @rg_expand_llvm_modf_f32(float %x) {
  %whole = call float @llvm.trunc.f32(float %x)
  %rest = fsub float %x, %whole
  %infinite = call i1 @llvm.is.fpclass.f32(float %x, i32 516)
  %part = select i1 %infinite, float 0.0, float %rest
  %r0 = insertvalue { float, float } poison, float %part, 0
  %r1 = insertvalue { float, float } %r0, float %whole, 1
  ret { float, float } %r1
}

define { float, i32 } @rg_expand_llvm_frexp_f32(float %x) {
  %slot = alloca i32
  %part = call float @rg_expand_frexpf(float %x, ptr %slot)
  %exponent = load i32, ptr %slot
  %r0 = insertvalue { float, i32 } poison, float %part, 0
  %r1 = insertvalue { float, i32 } %r0, i32 %exponent, 1
  ret { float, i32 } %r1
}

declare float @rg_expand_frexpf(float, ptr)
declare float @llvm.sin.f32(float)
declare float @llvm.cos.f32(float)
declare float @llvm.trunc.f32(float)
declare float @llvm.roundeven.f32(float)
declare i1 @llvm.is.fpclass.f32(float, i32 immarg)

define { double, double } @rg_expand_llvm_sincos_f64(double %x) {
  %sin = call double @llvm.sin.f64(double %x)
  %cos = call double @llvm.cos.f64(double %x)
  %r0 = insertvalue { double, double } poison, double %sin, 0
  %r1 = insertvalue { double, double } %r0, double %cos, 1
  ret { double, double } %r1
}

; sin(pi x) and cos(pi x): x less the nearest even number is exact.
define { double, double } @rg_expand_llvm_sincospi_f64(double %x) {
  %half = fmul double %x, 0.5
  %near = call double @llvm.roundeven.f64(double %half)
  %even = fadd double %near, %near
  %off = fsub double %x, %even
  %turn = fmul double %off, 0x400921FB54442D18
  %sin = call double @llvm.sin.f64(double %turn)
  %cos = call double @llvm.cos.f64(double %turn)
  %r0 = insertvalue { double, double } poison, double %sin, 0
  %r1 = insertvalue { double, double } %r0, double %cos, 1
  ret { double, double } %r1
}

define { double, double } @rg_expand_llvm_modf_f64(double %x) {
  %whole = call double @llvm.trunc.f64(double %x)
  %rest = fsub double %x, %whole
  %infinite = call i1 @llvm.is.fpclass.f64(double %x, i32 516)
  %part = select i1 %infinite, double 0.0, double %rest
  %r0 = insertvalue { double, double } poison, double %part, 0
  %r1 = insertvalue { double, double } %r0, double %whole, 1
  ret { double, double } %r1
}

define { double, i32 } @rg_expand_llvm_frexp_f64(double %x) {
  %slot = alloca i32
  %part = call double @rg_expand_frexp(double %x, ptr %slot)
  %exponent = load i32, ptr %slot
  %r0 = insertvalue { double, i32 } poison, double %part, 0
  %r1 = insertvalue { double, i32 } %r0, i32 %exponent, 1
  ret { double, i32 } %r1
}

declare double @rg_expand_frexp(double, ptr)
declare double @llvm.sin.f64(double)
declare double @llvm.cos.f64(double)
declare double @llvm.trunc.f64(double)
declare double @llvm.roundeven.f64(double)
declare i1 @llvm.is.fpclass.f64(double, i32 immarg)

define { x86_fp80, x86_fp80 } @rg_expand_llvm_sincos_f80(x86_fp80 %x) {
  %sin = call x86_fp80 @llvm.sin.f80(x86_fp80 %x)
  %cos = call x86_fp80 @llvm.cos.f80(x86_fp80 %x)
  %r0 = insertvalue { x86_fp80, x86_fp80 } poison, x86_fp80 %sin, 0
  %r1 = insertvalue { x86_fp80, x86_fp80 } %r0, x86_fp80 %cos, 1
  ret { x86_fp80, x86_fp80 } %r1
}

; sin(pi x) and cos(pi x): x less the nearest even number is exact.
define { x86_fp80, x86_fp80 } @rg_expand_llvm_sincospi_f80(x86_fp80 %x) {
  %half = fmul x86_fp80 %x, 0xK3FFE8000000000000000
  %near = call x86_fp80 @llvm.roundeven.f80(x86_fp80 %half)
  %even = fadd x86_fp80 %near, %near
  %off = fsub x86_fp80 %x, %even
  %turn = fmul x86_fp80 %off, 0xK4000C90FDAA22168C235
  %sin = call x86_fp80 @llvm.sin.f80(x86_fp80 %turn)
  %cos = call x86_fp80 @llvm.cos.f80(x86_fp80 %turn)
  %r0 = insertvalue { x86_fp80, x86_fp80 } poison, x86_fp80 %sin, 0
  %r1 = insertvalue { x86_fp80, x86_fp80 } %r0, x86_fp80 %cos, 1
  ret { x86_fp80, x86_fp80 } %r1
}

define { x86_fp80, x86_fp80 } @rg_expand_llvm_modf_f80(x86_fp80 %x) {
  %whole = call x86_fp80 @llvm.trunc.f80(x86_fp80 %x)
  %rest = fsub x86_fp80 %x, %whole
  %infinite = call i1 @llvm.is.fpclass.f80(x86_fp80 %x, i32 516)
  %part = select i1 %infinite, x86_fp80 0xK00000000000000000000, x86_fp80 %rest
  %r0 = insertvalue { x86_fp80, x86_fp80 } poison, x86_fp80 %part, 0
  %r1 = insertvalue { x86_fp80, x86_fp80 } %r0, x86_fp80 %whole, 1
  ret { x86_fp80, x86_fp80 } %r1
}

define { x86_fp80, i32 } @rg_expand_llvm_frexp_f80(x86_fp80 %x) {
  %slot = alloca i32
  %part = call x86_fp80 @rg_expand_frexpl(x86_fp80 %x, ptr %slot)
  %exponent = load i32, ptr %slot
  %r0 = insertvalue { x86_fp80, i32 } poison, x86_fp80 %part, 0
  %r1 = insertvalue { x86_fp80, i32 } %r0, i32 %exponent, 1
  ret { x86_fp80, i32 } %r1
}

declare x86_fp80 @rg_expand_frexpl(x86_fp80, ptr)
declare x86_fp80 @llvm.sin.f80(x86_fp80)
declare x86_fp80 @llvm.cos.f80(x86_fp80)
declare x86_fp80 @llvm.trunc.f80(x86_fp80)
declare x86_fp80 @llvm.roundeven.f80(x86_fp80)
declare i1 @llvm.is.fpclass.f80(x86_fp80, i32 immarg)
