; A double whose bits are made of two floats and taken apart again carries them: it becomes an integer. One that is computed
; with stays a number.
; RUN: %loadopt '-passes=print<rg-primal>' -rg-print-after=unpack-floats -disable-output %s 2>&1 | FileCheck %s

; CHECK: ; after unpack-floats
; CHECK-LABEL: @rg.primal.f(
; CHECK: phi i64
; CHECK-NOT: bitcast double
; CHECK: ret double
define double @f(ptr %x, i64 %n) {
entry:
  %pair = load <2 x float>, ptr %x
  %packed = bitcast <2 x float> %pair to double
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %carried = phi double [ %packed, %entry ], [ %repacked, %loop ]
  %both = bitcast double %carried to <2 x float>
  %more = fmul <2 x float> %both, %both
  %repacked = bitcast <2 x float> %more to double
  %next = add i64 %i, 1
  %again = icmp slt i64 %next, %n
  br i1 %again, label %loop, label %out
out:
  %bits = bitcast double %carried to i64
  %low = trunc i64 %bits to i32
  %r = bitcast i32 %low to float
  %wide = fpext float %r to double
  ret double %wide
}

declare double @__enzyme_autodiff(ptr, ...)
define void @ask(ptr %x, ptr %dx, i64 %n) {
  %d = call double (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %x, ptr %dx, i64 %n)
  ret void
}
