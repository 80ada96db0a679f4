; How arguments are matched with parameters: markers, defaults, promotions, structs
; in registers and in memory, results. No derivative is made here.
;
; RUN: %loadopt -passes='print<rg-requests>' -disable-output %s | FileCheck %s
target triple = "x86_64-unknown-linux-gnu"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

%big = type { double, double, double }

@enzyme_const = external global i32
@enzyme_dup = external global i32
@_ZL10enzyme_out = internal global i32 0
@_ZN2ns20enzyme_primal_returnE = external global i32

declare double @__enzyme_autodiff(ptr, ...)
declare void @__enzyme_fwddiff_v(ptr, ...)
declare { double, double } @_Z17__enzyme_autodiffI3TwoJdEET_PvDpT0_(ptr, ...)
declare <2 x float> @__enzyme_autodiff_ff(ptr, ...)
declare void @__enzyme_autodiff_big(ptr sret(%big), ptr, ...)

define double @square(double %x) {
  %y = fmul double %x, %x
  ret double %y
}
define float @single(float %x, float %y) {
  ret float %x
}
define double @mixed(ptr %p, i8 %c, double %x) {
  ret double %x
}
define double @inmemory(ptr byval(%big) %b) {
  ret double 0.0
}
define double @inregisters(double %x.0, double %x.1, double %y) #0 {
  ret double %y
}
define void @returnsbig(ptr sret(%big) %r, double %x) {
  ret void
}

; CHECK-LABEL: requests of module
define double @test(double %x, ptr %p, ptr %dp, float %f, i32 %c, ptr %b, ptr %out) {
; CHECK-NEXT: reverse square(out) -> active, asked in test
; CHECK-NEXT:   out: double %x
; CHECK-NEXT:   result: double at 0 from member 0
  %a = call double (ptr, ...) @__enzyme_autodiff(ptr @square, double %x)

; A primal return comes first.
; CHECK-NEXT: reverse square(out) -> primal active, asked in test
; CHECK-NEXT:   out: double %x
; CHECK-NEXT:   result: double at 0 from member 0
; CHECK-NEXT:   result: double at 8 from member 1
  %m1 = load i32, ptr @_ZN2ns20enzyme_primal_returnE
  %m2 = load i32, ptr @_ZL10enzyme_out
  %two = call { double, double } (ptr, ...) @_Z17__enzyme_autodiffI3TwoJdEET_PvDpT0_(ptr @square, i32 %m1, i32 %m2, double %x)
  %two.0 = extractvalue { double, double } %two, 0

; C's promotions are undone; two floats are a vector.
; CHECK-NEXT: reverse single(out, out) -> active, asked in test
; CHECK-NEXT:   out: fptrunc double %w
; CHECK-NEXT:   out: fptrunc double %w
; CHECK-NEXT:   result: float at 0 from member 0
; CHECK-NEXT:   result: float at 4 from member 1
  %w = fpext float %f to double
  %ff = call <2 x float> (ptr, ...) @__enzyme_autodiff_ff(ptr @single, double %w, double %w)
  %ff.0 = extractelement <2 x float> %ff, i32 0

; Pointers are dup, integers const, and a marker has its say.
; CHECK-NEXT: reverse mixed(dup, const, const) -> active, asked in test
; CHECK-NEXT:   dup: ptr %p, shadow ptr %dp
; CHECK-NEXT:   const: inttrunc i32 %c
; CHECK-NEXT:   const: double %x
  %m3 = load i32, ptr @enzyme_const
  call double (ptr, ...) @__enzyme_autodiff(ptr @mixed, ptr %p, ptr %dp, i32 %c, i32 %m3, double %x)

; A struct passed in memory: its adjoint is read from a shadow of our own.
; CHECK-NEXT: reverse inmemory(dup) -> active, asked in test
; CHECK-NEXT:   dup: copy of ptr %b as %big, shadow zeros of type %big
; CHECK-NEXT:   result: %big = type { double, double, double } at 0 from shadow of parameter 0
  call void (ptr, ptr, ...) @__enzyme_autodiff_big(ptr sret(%big) %out, ptr @inmemory, ptr byval(%big) %b)

; A struct passed in two registers: one marker, then values, then shadows.
; CHECK-NEXT: forward inregisters(dup, dup, const), asked in test
; CHECK-NEXT:   dup: double 1.000000e+00, shadow double 3.000000e+00
; CHECK-NEXT:   dup: double 2.000000e+00, shadow double 4.000000e+00
; CHECK-NEXT:   const: double %x
  %m4 = load i32, ptr @enzyme_dup
  call void (ptr, ...) @__enzyme_fwddiff_v(ptr @inregisters, i32 %m4, double 1.0, double 2.0, double 3.0, double 4.0, i32 %m3, double %x)

; Markers as metadata, a library function.
; CHECK-NEXT: reverse sin(out) -> active, asked in test
; CHECK-NEXT:   out: double %x
; CHECK-NEXT:   result: double at 0 from member 0
  %s = call double (ptr, ...) @__enzyme_autodiff(ptr @sin, metadata !"enzyme_out", double %x)

  %r1 = fadd double %a, %two.0
  %r2 = fadd double %r1, %s
  %e = fpext float %ff.0 to double
  %r3 = fadd double %r2, %e
  ret double %r3
}
declare double @sin(double)
attributes #0 = { "rg-parameter-groups"="2,1" }
