; One register holds a number on one way and an address on the other. In memory, the running program tells them apart.
; RUN: %loadopt '-passes=print<rg-primal>' -rg-print-after=spell-moved-words -disable-output %s 2>&1 | FileCheck %s

; CHECK: ; after spell-moved-words
; CHECK-LABEL: @rg.primal.f(
; CHECK: [[WORD:%.*]] = alloca [8 x i8], align 8
; CHECK: [[COMING:%.*]] = alloca [8 x i8], align 8
; CHECK: [[NUMBER:%.*]] = load double, ptr %x
; CHECK: store double [[NUMBER]], ptr [[COMING]]
; CHECK: store ptr %q, ptr [[COMING]]
; CHECK-NOT: phi i64
; CHECK: memcpy.p0.p0.i64(ptr align 8 [[WORD]], ptr align 8 [[COMING]], i64 8, i1 false), !rg.by.turns
; CHECK: memcpy.p0.p0.i64(ptr align 4 %to, ptr align 8 [[WORD]], i64 8, i1 false), !rg.by.turns
; CHECK: load double, ptr [[WORD]]
; CHECK: load ptr, ptr [[WORD]]
define double @f(ptr %x, ptr %q, ptr %to, i1 %c, i1 %e) {
  br i1 %c, label %number, label %address
number:
  %n = load double, ptr %x, !tbaa !2
  %bits = bitcast double %n to i64
  br label %join
address:
  %a = ptrtoint ptr %q to i64
  br label %join
join:
  %word = phi i64 [ %bits, %number ], [ %a, %address ]
  store i64 %word, ptr %to
  br i1 %e, label %one, label %other
one:
  %v = bitcast i64 %word to double
  %square = fmul double %v, %v
  ret double %square
other:
  %p = inttoptr i64 %word to ptr
  %w = load double, ptr %p, !tbaa !2
  ret double %w
}

; Where an address may get to a store of a number, a flag tells whether it does, and the program ends.
; CHECK-LABEL: @rg.primal.guarded(
; CHECK: [[IS:%.*]] = phi i1 [ false, %number ], [ true, %address ]
; CHECK: br i1 [[IS]], label
; CHECK: call void @rg_refused_callee(
; CHECK: store double {{.*}}, ptr %to, align 8, !tbaa
define void @guarded(ptr %x, ptr %q, ptr %to, i1 %c, i1 %e) {
  br i1 %c, label %number, label %address
number:
  %n = load double, ptr %x, !tbaa !2
  %bits = bitcast double %n to i64
  br label %join
address:
  %a = ptrtoint ptr %q to i64
  br label %join
join:
  %word = phi i64 [ %bits, %number ], [ %a, %address ]
  br i1 %e, label %one, label %other
one:
  %v = bitcast i64 %word to double
  store double %v, ptr %to, !tbaa !2
  ret void
other:
  store i64 %word, ptr %to
  ret void
}

; So it does where a number may lead to memory, also where a word is moved there, or the address is reckoned from it.
; CHECK-LABEL: @rg.primal.through(
; CHECK: [[IS:%.*]] = phi i1 [ true, %number ], [ false, %address ]
; CHECK: other:
; CHECK-NEXT: br i1 [[IS]], label
; CHECK: call void @rg_refused_callee(
; CHECK: [[TO:%.*]] = load ptr, ptr [[WORD:%.*]], align 8
; CHECK: memcpy.p0.p0.i64(ptr align 4 [[TO]], ptr align 8 [[WORD]], i64 8, i1 false), !rg.by.turns
; CHECK: third:
; CHECK: getelementptr
; CHECK: br i1 [[IS]], label
; CHECK: call void @rg_refused_callee(
; CHECK: load double
define void @through(ptr %x, ptr %q, ptr %to, i1 %c, i1 %e, i1 %g) {
  br i1 %c, label %number, label %address
number:
  %n = load double, ptr %x, !tbaa !2
  %bits = bitcast double %n to i64
  br label %join
address:
  %a = ptrtoint ptr %q to i64
  br label %join
join:
  %word = phi i64 [ %bits, %number ], [ %a, %address ]
  br i1 %e, label %one, label %two
one:
  %v = bitcast i64 %word to double
  store double %v, ptr %to, !tbaa !2
  ret void
two:
  %p = inttoptr i64 %word to ptr
  br i1 %g, label %other, label %third
other:
  store i64 %word, ptr %p
  ret void
third:
  %field = getelementptr i8, ptr %p, i64 8
  %w = load double, ptr %field, !tbaa !2
  store double %w, ptr %to, !tbaa !2
  ret void
}

declare double @__enzyme_autodiff(ptr, ...)
define void @ask(ptr %x, ptr %dx, i1 %c, i1 %e) {
  %d = call double (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %x, ptr %dx, ptr %x, ptr %dx, ptr %x, ptr %dx, i1 %c, i1 %e)
  call double (ptr, ...) @__enzyme_autodiff(ptr @guarded, ptr %x, ptr %dx, ptr %x, ptr %dx, ptr %x, ptr %dx, i1 %c, i1 %e)
  call double (ptr, ...) @__enzyme_autodiff(ptr @through, ptr %x, ptr %dx, ptr %x, ptr %dx, ptr %x, ptr %dx, i1 %c, i1 %e, i1 %c)
  ret void
}

!0 = !{!"Simple C/C++ TBAA"}
!1 = !{!"omnipotent char", !0, i64 0}
!2 = !{!3, !3, i64 0}
!3 = !{!"double", !1, i64 0}
