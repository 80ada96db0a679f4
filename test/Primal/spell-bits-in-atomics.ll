; An atomic operation on an integer whose operand is read from among numbers takes the bits of a number. Where only integers
; lie, nothing changes.
; RUN: %loadopt '-passes=print<rg-primal>' -rg-print-after=spell-bits-in-atomics -disable-output %s 2>&1 | FileCheck %s

; CHECK: ; after spell-bits-in-atomics
; CHECK-LABEL: @rg.primal.f(
; CHECK: call void @write
; CHECK-NEXT: [[NUMBER:%.*]] = load double, ptr %x
; CHECK: [[BITS:%.*]] = bitcast double [[NUMBER]] to i64
; CHECK: %count = load i64, ptr %n
; CHECK: atomicrmw xchg ptr %p, i64 [[BITS]]
; CHECK: atomicrmw add ptr %k, i64 %count
declare void @write(ptr)

define double @f(ptr noalias %x, ptr noalias %p, ptr noalias %n, ptr noalias %k) {
  %v = load double, ptr %x
  call void @write(ptr %x)
  %word = load i64, ptr %x
  %count = load i64, ptr %n
  %old = atomicrmw xchg ptr %p, i64 %word monotonic
  %was = atomicrmw add ptr %k, i64 %count monotonic
  %r = fmul double %v, %v
  ret double %r
}

declare double @__enzyme_autodiff(ptr, ...)
define void @ask(ptr %x, ptr %dx, ptr %n, ptr %k) {
  %d = call double (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %x, ptr %dx, ptr %x, ptr %dx, ptr %n, ptr %n, ptr %k, ptr %k)
  ret void
}
