; A descriptor that flang declares without room for a type is one of numbers: its bit that says otherwise is not set.
; RUN: %loadopt '-passes=print<rg-primal>' -rg-print-after=note-descriptors -disable-output %s 2>&1 | FileCheck %s

declare void @_FortranAShapeOf(ptr)

; CHECK: ; after note-descriptors
; CHECK-LABEL: @rg.primal.f(
; CHECK: [[FLAGS:%.*]] = getelementptr inbounds i8, ptr %second, i64 23
; CHECK: [[BITS:%.*]] = load i8, ptr [[FLAGS]]
; CHECK: [[BIT:%.*]] = and i8 [[BITS]], 1
; CHECK: [[NONE:%.*]] = icmp eq i8 [[BIT]], 0
; CHECK: call void @llvm.assume(i1 [[NONE]])
; CHECK: call void @_FortranAShapeOf(ptr %second)
; CHECK-NOT: @llvm.assume
; CHECK: call void @_FortranAShapeOf(ptr %other)
define double @f(ptr %x, ptr %descriptors, ptr %other) {
  %second = getelementptr { ptr, i64, i32, i8, i8, i8, i8, [1 x [3 x i64]] }, ptr %descriptors, i64 1
  call void @_FortranAShapeOf(ptr %second)
  call void @_FortranAShapeOf(ptr %other)
  %v = load double, ptr %x
  ret double %v
}

declare double @__enzyme_autodiff(ptr, ...)
define void @ask(ptr %x, ptr %dx) {
  %d = call double (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %x, ptr %dx, ptr %x, ptr %dx, ptr %x, ptr %dx)
  ret void
}
