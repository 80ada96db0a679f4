; Labels are numbers in the primal, in code and in copies of tables; a jump by them is a switch.
; RUN: %loadopt '-passes=print<rg-primal>' -rg-print-after=spell-computed-gotos -disable-output %s 2>&1 | FileCheck %s

@table = internal global [2 x ptr] [ptr blockaddress(@f, %square), ptr blockaddress(@f, %triple)]

; CHECK: ; after spell-computed-gotos
; CHECK-LABEL: @rg.primal.f(
; CHECK: load ptr, ptr @table.numbers
; CHECK: [[AT:%.*]] = phi ptr [ inttoptr (i64 2 to ptr), %entry ]
; CHECK: [[NUMBER:%.*]] = ptrtoint ptr [[AT]] to i64
; CHECK: switch i64 [[NUMBER]], label %no.label [
; CHECK-NEXT: i64 1, label %square
; CHECK-NEXT: i64 2, label %triple
define double @f(double %x, i1 %c) {
entry:
  %first = load ptr, ptr @table
  br i1 %c, label %jump, label %other
other:
  br label %jump
jump:
  %at = phi ptr [ blockaddress(@f, %triple), %entry ], [ %first, %other ]
  indirectbr ptr %at, [label %square, label %triple, label %square]
square:
  %s = fmul double %x, %x
  ret double %s
triple:
  %t = fmul double %x, 3.0
  ret double %t
}

declare double @__enzyme_autodiff(ptr, ...)
define double @ask(double %x, i1 %c) {
  %r = call double (ptr, ...) @__enzyme_autodiff(ptr @f, double %x, i1 %c)
  ret double %r
}
