; ActivityAnalysis: what depends on an input (varied), what a result depends on (useful), both (active); which pointers
; have shadows. %own carries the derivative and %idle does not; %out is written, and nobody asks for it; an integer made of
; a number ends variation.
; RUN: %loadopt -passes='print<rg-activity>' -disable-output %s 2>&1 | FileCheck %s

declare double @__enzyme_autodiff(ptr, ...)
@enzyme_const = external global i32
define double @f(ptr %x, ptr %w, double %a, i64 %n, i64 %j, ptr %log, ptr noalias %out) {
  %own = alloca [4 x double]
  %idle = alloca [4 x double]
  %v = load double, ptr %x
  %c = load double, ptr %w
  %u = fmul double %v, %c
  %own.n = getelementptr double, ptr %own, i64 %n
  %idle.n = getelementptr double, ptr %idle, i64 %n
  store double %u, ptr %own.n
  store double %c, ptr %idle.n
  %wasted = fmul double %v, %v
  store double %wasted, ptr %out
  %is = fcmp ogt double %v, %c
  %k = fptosi double %v to i64
  store i64 %k, ptr %log
  %at = getelementptr double, ptr %own, i64 %j
  %idle.j = getelementptr double, ptr %idle, i64 %j
  %l = load double, ptr %at
  %m = load double, ptr %idle.j
  %r0 = fmul double %l, %a
  %r = fadd double %r0, %m
  ret double %r
}
define double @use(ptr %x, ptr %dx, ptr %w, double %a, ptr %log, ptr %out) {
  %c = load i32, ptr @enzyme_const
  %r = call double (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %x, ptr %dx, i32 %c, ptr %w, double %a, i64 3, i64 2, i32 %c, ptr %log, i32 %c, ptr %out)
  ret double %r
}

; CHECK-LABEL: activity of rg.primal.f:
; CHECK-NEXT:    shadow  ptr %x
; CHECK-NEXT:    -       ptr %w
; CHECK-NEXT:    active  double %a
; CHECK:         -       ptr %out
; CHECK-NEXT:    shadow    %own = alloca
; CHECK-NEXT:    -         %idle = alloca
; CHECK-NEXT:    active    %v = load
; CHECK-NEXT:    useful    %c = load
; CHECK-NEXT:    active    %u = fmul
; CHECK-NEXT:    shadow    %own.n = getelementptr
; CHECK-NEXT:    -         %idle.n = getelementptr
; CHECK-NEXT:    varied    %wasted = fmul
; CHECK-NEXT:    -         %k = fptosi
; CHECK-NEXT:    shadow    %at = getelementptr
; CHECK-NEXT:    -         %idle.j = getelementptr
; CHECK-NEXT:    active    %l = load
; CHECK-NEXT:    useful    %m = load
; CHECK-NEXT:    active    %r0 = fmul
; CHECK-NEXT:    active    %r = fadd
