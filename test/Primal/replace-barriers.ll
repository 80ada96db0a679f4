; Assembly without text hides a number from the optimiser, in a register or in a variable. A fence does the same and has a
; derivative. Assembly with text stays.
; RUN: %loadopt '-passes=print<rg-primal>' -rg-print-after=replace-barriers -disable-output %s 2>&1 | FileCheck %s

; CHECK: ; after replace-barriers
; CHECK-LABEL: @rg.primal.f(
; CHECK: call double @llvm.arithmetic.fence.f64(double %x)
; CHECK: [[AGAIN:%.*]] = call double @llvm.arithmetic.fence.f64(double %in)
; CHECK: store double [[AGAIN]], ptr %a
; CHECK: asm sideeffect "nop"
; CHECK-NOT: asm
; CHECK: ret double
define double @f(double %x) {
  %a = alloca double
  %r = call double asm "", "=x,0"(double %x)
  store double %r, ptr %a
  %in = load double, ptr %a
  call void asm sideeffect "", "=*m,0"(ptr elementtype(double) %a, double %in)
  call void asm sideeffect "nop", ""()
  %out = load double, ptr %a
  ret double %out
}

declare double @__enzyme_autodiff(ptr, ...)
define double @ask(double %x) {
  %d = call double (ptr, ...) @__enzyme_autodiff(ptr @f, double %x)
  ret double %d
}
