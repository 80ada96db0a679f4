; Every primal ends up with one return, reducible loops in simplified form, no dead
; blocks, no tail marks, no markers that mean nothing to a derivative.
; RUN: %loadopt '-passes=print<rg-primal>' -disable-output %s 2>&1 | FileCheck %s

declare double @g(double)
declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.assume(i1)
declare void @use(ptr)

; CHECK-LABEL: @rg.primal.returns(
; CHECK-COUNT-1: ret double
; CHECK-NOT: ret double
define double @returns(double %x, i32 %n) {
  switch i32 %n, label %d [
    i32 1, label %a
    i32 2, label %b
    i32 9, label %c
  ]
a:
  %ga = call double @g(double %x)
  ret double %ga
b:
  %gb = call double @g(double 2.0)
  %gb2 = call double @g(double %gb)
  ret double %gb2
c:
  %s = fadd double %x, 1.0
  ret double %s
d:
  ret double 0.0
}

; Two entries into one cycle: the guard becomes the only header.
; CHECK-LABEL: @rg.primal.irreducible(
; CHECK: irr.guard:
; CHECK-NEXT: phi double
; CHECK: phi i1
; CHECK: br i1
; CHECK: }
define double @irreducible(double %x, i1 %c) {
entry:
  br i1 %c, label %left, label %right
left:
  %l = phi double [ %x, %entry ], [ %rs, %right ]
  %ls = call double @g(double %l)
  br label %right
right:
  %r = phi double [ 1.0, %entry ], [ %ls, %left ]
  %rs = call double @g(double %r)
  %again = fcmp olt double %rs, 10.0
  br i1 %again, label %left, label %out
out:
  ret double %rs
}

; A switch into an irreducible cycle.
; CHECK-LABEL: @rg.primal.irreducible_switch(
; CHECK-NOT: switch
; CHECK: irr.guard:
; CHECK: }
define double @irreducible_switch(double %x, i32 %n) {
entry:
  switch i32 %n, label %left [
    i32 1, label %right
    i32 7, label %third
    i32 9, label %right
  ]
left:
  %l = phi double [ %x, %entry ], [ %ts, %third ]
  %ls = call double @g(double %l)
  br label %right
right:
  %r = phi double [ 1.0, %entry ], [ 1.0, %entry ], [ %ls, %left ]
  %rs = call double @g(double %r)
  br label %third
third:
  %t = phi double [ 2.0, %entry ], [ %rs, %right ]
  %ts = call double @g(double %t)
  %again = fcmp olt double %ts, 10.0
  br i1 %again, label %left, label %out
out:
  ret double %ts
}

; Two latches: LoopSimplify gives the loop a preheader, one latch, own exits.
; CHECK-LABEL: @rg.primal.latches(
; CHECK: .preheader:
; CHECK-NEXT: br label %loop
; CHECK: loop:
; CHECK-NEXT: phi double [ %v.be, %loop.backedge ], [ %x, %loop.preheader ]
; CHECK: loop.backedge:
; CHECK: br label %loop
; CHECK: {{^}}}
define double @latches(double %x, i1 %enter) {
entry:
  br i1 %enter, label %loop, label %out
loop:
  %v = phi double [ %x, %entry ], [ %w, %loop ], [ %u, %more ]
  %w = call double @g(double %v)
  %c = fcmp olt double %w, 1.0
  br i1 %c, label %loop, label %more
more:
  %u = call double @g(double %w)
  %d = fcmp olt double %u, 2.0
  br i1 %d, label %loop, label %out
out:
  %r = phi double [ 0.0, %entry ], [ %u, %more ]
  ret double %r
}

; CHECK-LABEL: @rg.primal.markers(
; CHECK-NOT: lifetime
; CHECK-NOT: assume
; CHECK-NOT: tail
; CHECK: {{^}}  call void @use(
; CHECK: %{{.*}} = call double @g(
; CHECK: ret double
define double @markers(double %x) {
  %a = alloca double
  call void @llvm.lifetime.start.p0(ptr %a)
  store double %x, ptr %a
  call void @use(ptr %a)
  %v = load double, ptr %a
  %p = fcmp ogt double %v, 0.0
  call void @llvm.assume(i1 %p)
  %r = tail call double @g(double %v)
  ret double %r
}

; A scope that is declared in a loop is another one in each iteration; once the
; declaration is gone, its facts would be wrong.
; CHECK-LABEL: @rg.primal.scopes(
; CHECK-NOT: noalias.scope.decl
; CHECK: load double, ptr %q, align 8, !alias.scope
; CHECK: store double {{.*}}, align 8, !noalias
; CHECK: load double, ptr %a, align 8{{$}}
; CHECK: store double {{.*}}, align 8{{$}}
; CHECK: ret double
define double @scopes(ptr %p, ptr %q, i64 %n) {
entry:
  call void @llvm.experimental.noalias.scope.decl(metadata !3)
  %q0 = load double, ptr %q, !alias.scope !3
  store double 1.0, ptr %p, !noalias !3
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
  %s = phi double [ %q0, %entry ], [ %t, %loop ]
  call void @llvm.experimental.noalias.scope.decl(metadata !0)
  %a = getelementptr double, ptr %p, i64 %i
  %v = load double, ptr %a, !alias.scope !0
  %w = call double @g(double %v)
  store double %w, ptr %q, !noalias !0
  %t = fadd double %s, %w
  %j = add i64 %i, 1
  %c = icmp slt i64 %j, %n
  br i1 %c, label %loop, label %out
out:
  ret double %t
}
declare void @llvm.experimental.noalias.scope.decl(metadata)
!0 = !{!1}
!1 = distinct !{!1, !2}
!2 = distinct !{!2}
!3 = !{!4}
!4 = distinct !{!4, !2}
