; An exception that the function only cleans up after leaves it with the clean-up. What
; only gives memory back is left out. One that is
; handled still is.
; RUN: %loadopt '-passes=print<rg-primal>' -disable-output %s 2>&1 | FileCheck %s

declare double @g(double)
declare void @cleanup()
declare void @_ZdlPv(ptr)
declare i32 @__gxx_personality_v0(...)

; CHECK-LABEL: @rg.primal.cleans(
; CHECK-SAME: personality
; CHECK: invoke double @g(
; CHECK: landingpad
; CHECK-NEXT: cleanup
; CHECK-NEXT: call void @cleanup(
; CHECK-NEXT: resume
define double @cleans(double %x) personality ptr @__gxx_personality_v0 {
  %r = invoke double @g(double %x) to label %ok unwind label %pad
ok:
  call void @cleanup()
  ret double %r
pad:
  %e = landingpad { ptr, i32 } cleanup
  call void @cleanup()
  resume { ptr, i32 } %e
}

; CHECK-LABEL: @rg.primal.asks(
; CHECK-NOT: personality
; CHECK-NOT: invoke
; CHECK-NOT: landingpad
; CHECK: call double @g(
; CHECK: ret double
define double @asks(double %x, ptr %f, ptr %p) personality ptr @__gxx_personality_v0 {
  %r = invoke double @g(double %x) to label %ok unwind label %pad
ok:
  ret double %r
pad:
  %e = landingpad { ptr, i32 } cleanup
  call void %f(ptr %p)
  call void @_ZdlPv(ptr %p)
  resume { ptr, i32 } %e
}

; CHECK-LABEL: @rg.primal.handles(
; CHECK-SAME: personality
; CHECK: invoke double @g(
; CHECK: landingpad
; CHECK: store ptr {{.*}}, ptr @rg.exception
define double @handles(double %x) personality ptr @__gxx_personality_v0 {
  %r = invoke double @g(double %x) to label %ok unwind label %pad
ok:
  ret double %r
pad:
  %e = landingpad { ptr, i32 } catch ptr null
  ret double 0.0
}

; The callee cannot throw, as its body shows, so the handler is dead.
; CHECK-LABEL: @rg.primal.needs_no_handler(
; CHECK-NOT: invoke
; CHECK: ret double
define double @needs_no_handler(double %x) personality ptr @__gxx_personality_v0 {
  %r = invoke double @quiet(double %x) to label %ok unwind label %pad
ok:
  ret double %r
pad:
  %e = landingpad { ptr, i32 } catch ptr null
  ret double 0.0
}
define internal double @quiet(double %x) noinline {
  %r = fadd double %x, 1.0
  ret double %r
}
