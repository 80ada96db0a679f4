; TypeAnalysis: what is known of one record goes over a copy of its bytes, in both directions, and pointers in memory
; lead to objects of their own.
; RUN: %loadopt -passes='print<rg-types>' -disable-output %s 2>&1 | FileCheck %s

declare void @__enzyme_autodiff(ptr, ...)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

; A record of a number, a counter and a pointer; the copy is of bytes.
define double @f(ptr %p, ptr %q) {
  %v = load double, ptr %p
  %counter = getelementptr i8, ptr %p, i64 8
  %n = load i64, ptr %counter
  %m = mul i64 %n, 3
  store i64 %m, ptr %counter
  %link = getelementptr i8, ptr %p, i64 16
  %to = load ptr, ptr %link
  %w = load float, ptr %to
  call void @llvm.memcpy.p0.p0.i64(ptr %q, ptr %p, i64 24, i1 false)
  %x = fpext float %w to double
  %r = fmul double %v, %x
  ret double %r
}
define void @use(ptr %p, ptr %dp, ptr %q, ptr %dq) {
  call void (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %p, ptr %dp, ptr %q, ptr %dq)
  ret void
}

; CHECK-LABEL: types of @rg.primal.f:
; CHECK-NEXT:    %p -> #0+0
; CHECK-NEXT:    %q -> #1+0
; CHECK-NEXT:    %counter -> #0+8
; CHECK-NEXT:    %n : [0,8) integer
; CHECK-NEXT:    %m : [0,8) integer
; CHECK-NEXT:    %link -> #0+16
; CHECK-NEXT:    %to -> #2+0
; CHECK-NEXT:  object #0:
; CHECK-NEXT:    +0: 8 x double{{$}}
; CHECK-NEXT:    +8: 8 x integer
; CHECK-NEXT:    +16: 8 x pointer{{$}}
; CHECK-NEXT:    +16: -> #2+0
; CHECK-NEXT:  object #1:
; CHECK-NEXT:    +0: 8 x double (copied)
; CHECK-NEXT:    +8: 8 x integer (copied)
; CHECK-NEXT:    +16: 8 x pointer (copied)
; CHECK-NEXT:    +16: -> #2+0
; CHECK-NEXT:  object #2:
; CHECK-NEXT:    +0: 4 x float{{$}}
