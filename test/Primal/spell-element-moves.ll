; Moves of the elements of vectors of known length are shuffles in the primal.
; RUN: %loadopt '-passes=print<rg-primal>' -disable-output %s 2>&1 | FileCheck %s

declare <4 x double> @llvm.vector.reverse.v4f64(<4 x double>)
declare <4 x double> @llvm.vector.splice.left.v4f64(<4 x double>, <4 x double>, i32)
declare <4 x double> @llvm.vector.splice.right.v4f64(<4 x double>, <4 x double>, i32)
declare <2 x double> @llvm.vector.extract.v2f64.v4f64(<4 x double>, i64)
declare <4 x double> @llvm.vector.insert.v4f64.v2f64(<4 x double>, <2 x double>, i64)
declare <4 x double> @llvm.vector.interleave2.v4f64(<2 x double>, <2 x double>)
declare { <2 x double>, <2 x double> } @llvm.vector.deinterleave2.v4f64(<4 x double>)
declare double @llvm.vector.reduce.fadd.v4f64(double, <4 x double>)
declare double @llvm.vector.reduce.fadd.v6f64(double, <6 x double>)
declare <6 x double> @llvm.matrix.transpose.v6f64(<6 x double>, i32, i32)

; CHECK-LABEL: @rg.primal.reverse(
; CHECK: shufflevector <4 x double> %a, <4 x double> poison, <4 x i32> <i32 3, i32 2, i32 1, i32 0>
define double @reverse(ptr %x) {
  %a = load <4 x double>, ptr %x
  %r = call <4 x double> @llvm.vector.reverse.v4f64(<4 x double> %a)
  %e = fmul <4 x double> %r, %a
  %s = call reassoc double @llvm.vector.reduce.fadd.v4f64(double 0.0, <4 x double> %e)
  ret double %s
}

; CHECK-LABEL: @rg.primal.splice(
; CHECK-DAG: shufflevector <4 x double> %a, <4 x double> %b, <4 x i32> <i32 1, i32 2, i32 3, i32 4>
; CHECK-DAG: shufflevector <4 x double> %a, <4 x double> %b, <4 x i32> <i32 3, i32 4, i32 5, i32 6>
define double @splice(ptr %x, ptr %y) {
  %a = load <4 x double>, ptr %x
  %b = load <4 x double>, ptr %y
  %l = call <4 x double> @llvm.vector.splice.left.v4f64(<4 x double> %a, <4 x double> %b, i32 1)
  %r = call <4 x double> @llvm.vector.splice.right.v4f64(<4 x double> %a, <4 x double> %b, i32 1)
  %e = fmul <4 x double> %l, %r
  %s = call reassoc double @llvm.vector.reduce.fadd.v4f64(double 0.0, <4 x double> %e)
  ret double %s
}

; The high half of one vector, over the low half of another.
; CHECK-LABEL: @rg.primal.parts(
; CHECK: %h = shufflevector <4 x double> %a, <4 x double> poison, <2 x i32> <i32 2, i32 3>
; CHECK: %i = shufflevector <4 x double> %{{.*}}, <4 x double> %b, <4 x i32> <i32 0, i32 1, i32 6, i32 7>
define double @parts(ptr %x, ptr %y) {
  %a = load <4 x double>, ptr %x
  %b = load <4 x double>, ptr %y
  %h = call <2 x double> @llvm.vector.extract.v2f64.v4f64(<4 x double> %a, i64 2)
  %i = call <4 x double> @llvm.vector.insert.v4f64.v2f64(<4 x double> %b, <2 x double> %h, i64 0)
  %e = fmul <4 x double> %i, %i
  %s = call reassoc double @llvm.vector.reduce.fadd.v4f64(double 0.0, <4 x double> %e)
  ret double %s
}

; To and fro is nothing.
; CHECK-LABEL: @rg.primal.pairs(
; CHECK-NOT: shufflevector
; CHECK: ret double
define double @pairs(ptr %x) {
  %a = load <4 x double>, ptr %x
  %d = call { <2 x double>, <2 x double> } @llvm.vector.deinterleave2.v4f64(<4 x double> %a)
  %d0 = extractvalue { <2 x double>, <2 x double> } %d, 0
  %d1 = extractvalue { <2 x double>, <2 x double> } %d, 1
  %i = call <4 x double> @llvm.vector.interleave2.v4f64(<2 x double> %d0, <2 x double> %d1)
  %e = fmul <4 x double> %i, %i
  %s = call reassoc double @llvm.vector.reduce.fadd.v4f64(double 0.0, <4 x double> %e)
  ret double %s
}

; Two rows of three elements, column by column.
; CHECK-LABEL: @rg.primal.matrix(
; CHECK: shufflevector <6 x double> %a, <6 x double> poison, <6 x i32> <i32 0, i32 2, i32 4, i32 1, i32 3, i32 5>
define double @matrix(ptr %x) {
  %a = load <6 x double>, ptr %x
  %t = call <6 x double> @llvm.matrix.transpose.v6f64(<6 x double> %a, i32 2, i32 3)
  %e = fmul <6 x double> %t, %a
  %s = call reassoc double @llvm.vector.reduce.fadd.v6f64(double 0.0, <6 x double> %e)
  ret double %s
}

declare double @__enzyme_autodiff(ptr, ...)
define void @ask(ptr %x, ptr %dx, ptr %y, ptr %dy) {
  %1 = call double (ptr, ...) @__enzyme_autodiff(ptr @reverse, ptr %x, ptr %dx)
  %2 = call double (ptr, ...) @__enzyme_autodiff(ptr @splice, ptr %x, ptr %dx, ptr %y, ptr %dy)
  %3 = call double (ptr, ...) @__enzyme_autodiff(ptr @parts, ptr %x, ptr %dx, ptr %y, ptr %dy)
  %4 = call double (ptr, ...) @__enzyme_autodiff(ptr @pairs, ptr %x, ptr %dx)
  %5 = call double (ptr, ...) @__enzyme_autodiff(ptr @matrix, ptr %x, ptr %dx)
  ret void
}
