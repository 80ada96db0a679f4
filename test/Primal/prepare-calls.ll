; Which calls are inlined, which callees get a clone of their own, and what calls
; in clones name: the user's functions.
; RUN: %loadopt '-passes=print<rg-primal>' -disable-output %s 2>&1 | FileCheck %s
; RUN: %loadopt '-passes=print<rg-primal>' -disable-output %s 2>&1 | FileCheck --check-prefix=ABSENT %s

; Nothing happens to the module itself.
; RUN: opt -S %s -o %t.before
; RUN: %loadopt '-passes=print<rg-primal>' -S %s -o %t.after 2>/dev/null
; RUN: diff %t.before %t.after

; A function that is only inlined needs no clone.
; ABSENT-NOT: define {{.*}}@rg.primal.square(
; ABSENT-NOT: define {{.*}}@rg.primal.unoptimised(
; ABSENT-NOT: define {{.*}}@rg.primal.wrapper(
; What cannot return has no derivative.
; ABSENT-NOT: define {{.*}}@rg.primal.fail(
; A body that the linker may replace by another is still the one we know.

define internal double @square(double %x) {
  %r = fmul double %x, %x
  ret double %r
}

; noinline by the user stays; noinline of -O0, which comes with optnone, does not.
define internal double @apart(double %x) noinline {
  %r = fadd double %x, 3.0
  ret double %r
}
define internal double @unoptimised(double %x) noinline optnone {
  %a = alloca double
  store double %x, ptr %a
  %v = load double, ptr %a
  %r = fsub double %v, 4.0
  ret double %r
}

define linkonce_odr double @wrapper(ptr %f, double %x) {
  %r = call double %f(double %x)
  ret double %r
}
define internal void @fail() noinline {
  call void @abort()
  unreachable
}
declare void @abort() noreturn

; The alias of a constructor, say.
@other_name = internal alias double (double), ptr @square

; CHECK-LABEL: define internal double @rg.primal.calls(
; CHECK-SAME: ) #[[ATTR:[0-9]+]]
; CHECK: call void @fail()
; CHECK-NOT: call double @square
; CHECK-NOT: call double @unoptimised
; CHECK-NOT: call double @wrapper
; CHECK: call double @apart(
; CHECK-NOT: call double @other_name
; CHECK: ret double
define double @calls(double %x) "rg-prepare" {
  %bad = fcmp uno double %x, %x
  br i1 %bad, label %fail, label %good
fail:
  call void @fail()
  unreachable
good:
  %a = call double @square(double %x)
  %b = call double @apart(double %a)
  %c = call double @unoptimised(double %b)
  %d = call double @wrapper(ptr @square, double %c)
  %e = call double @other_name(double %d)
  ret double %e
}
; CHECK-LABEL: define internal double @rg.primal.apart(

; Recursion is neither unrolled nor inlined; the clones call the originals.
; CHECK-LABEL: define internal double @rg.primal.even(
; CHECK-COUNT-1: call double @odd(
; CHECK-NOT: call
; CHECK: {{^}}}
define double @even(double %x, i32 %n) "rg-prepare" {
  %z = icmp eq i32 %n, 0
  br i1 %z, label %out, label %more
more:
  %m = sub i32 %n, 1
  %o = call double @odd(double %x, i32 %m)
  %s = fmul double %o, %x
  ret double %s
out:
  ret double 1.0
}
; CHECK-LABEL: define internal double @rg.primal.odd(
; CHECK-COUNT-1: call double @even(
; CHECK-NOT: call
; CHECK: {{^}}}
define double @odd(double %x, i32 %n) {
  %z = icmp eq i32 %n, 0
  br i1 %z, label %out, label %more
more:
  %m = sub i32 %n, 1
  %o = call double @even(double %x, i32 %m)
  %s = fadd double %o, %x
  ret double %s
out:
  ret double %x
}

; Simplification makes the call direct; only then is its callee known.
; CHECK-LABEL: define internal double @rg.primal.late(
; CHECK: fmul double %x, %x
; CHECK: ret double
@table = internal constant [2 x ptr] [ptr @square, ptr @apart]
define double @late(double %x) "rg-prepare" {
  %slot = alloca ptr
  %t = load ptr, ptr @table
  store ptr %t, ptr %slot
  %f = load ptr, ptr %slot
  %r = call double %f(double %x)
  ret double %r
}
