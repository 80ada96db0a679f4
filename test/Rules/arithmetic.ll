; The rules of arithmetic, forward and reverse: each adjoint is handed on to the operands, and cleared before that.
; A factor that is no number meets an adjoint of zero: the product is zero.
; RUN: %loadopt -passes=retrograd -rg-print-derivative -disable-output %s 2>&1 | FileCheck %s

declare { double, double } @__enzyme_autodiff(ptr, ...)
declare double @__enzyme_fwddiff(ptr, ...)
declare double @sin(double)
define double @f(double %x, double %y, i1 %c) {
  %q = fdiv double %x, %y
  %n = fneg double %q
  %e = select i1 %c, double %n, double %x
  %s = call double @sin(double %e)
  %h = fptrunc double %s to float
  %r = fpext float %h to double
  ret double %r
}
define void @use(double %x, double %y, i1 %c) {
  %1 = call { double, double } (ptr, ...) @__enzyme_autodiff(ptr @f, double %x, double %y, i1 %c)
  %2 = call double (ptr, ...) @__enzyme_fwddiff(ptr @f, double %x, double 1.0, double %y, double 0.0, i1 %c)
  ret void
}

; CHECK-LABEL: @rg.f.grad(
; CHECK:       rev.:
; From the wide number to the narrow one, and back.
; CHECK:         store double %{{.*}}, ptr %r.adj
; CHECK-NEXT:    %[[R:.*]] = load double, ptr %r.adj
; CHECK-NEXT:    store double -0.000000e+00, ptr %r.adj
; CHECK-NEXT:    fptrunc double %[[R]] to float
; CHECK:         store float %{{.*}}, ptr %h.adj
; CHECK-NEXT:    %[[H:.*]] = load float, ptr %h.adj
; CHECK:         fpext float %[[H]] to double
; CHECK:         store double %{{.*}}, ptr %s.adj
; CHECK-NEXT:    %[[S:.*]] = load double, ptr %s.adj
; CHECK:         %[[COS:.*]] = call double @llvm.cos.f64(double %e.re)
; CHECK-NEXT:    fmul double %[[S]], %[[COS]]
; What was chosen gets the adjoint, the other one nothing.
; CHECK:         store double %{{.*}}, ptr %e.adj
; CHECK-NEXT:    %[[E:.*]] = load double, ptr %e.adj
; CHECK:         select i1 %c, double %[[E]], double -0.000000e+00
; CHECK:         store double %{{.*}}, ptr %n.adj
; CHECK:         select i1 %c, double -0.000000e+00, double %[[E]]
; CHECK:         store double %{{.*}}, ptr %x.adj
; -x / y
; CHECK:         %[[N:.*]] = load double, ptr %n.adj
; CHECK:         %[[DX:.*]] = fdiv double %[[N]], %y
; CHECK:         %[[ZERO:.*]] = fcmp oeq double %[[N]], 0.000000e+00
; CHECK:         select i1 %{{.*}}, double 0.000000e+00, double %[[DX]]
; CHECK:         %[[Q:.*]] = fdiv double %[[N]], %y
; CHECK-NEXT:    %[[P:.*]] = fmul double %[[Q]], %n.re
; CHECK-NEXT:    fneg double %[[P]]
; CHECK:         store double %{{.*}}, ptr %y.adj

; CHECK-LABEL: @rg.f.fwd(
; CHECK:         fdiv double %{{.*}}, %y
; CHECK:         %[[QT:.*]] = fdiv double %y.sh, %y
; CHECK-NEXT:    fmul double %[[QT]], %n
; CHECK:         %e.t = select i1 %c, double %{{.*}}, double %x.sh
; CHECK:         %[[C:.*]] = call double @llvm.cos.f64(double %e)
; CHECK-NEXT:    %[[ST:.*]] = fmul double %e.t, %[[C]]
; CHECK:         %h.t = fptrunc double %[[ST]] to float
; CHECK:         %r.t = fpext float %h.t to double
