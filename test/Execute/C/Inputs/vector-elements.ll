; Moves of the elements of vectors, and choices among them by a mask, with their derivatives.
declare <4 x double> @llvm.experimental.vector.compress.v4f64(<4 x double>, <4 x i1>, <4 x double>)
declare double @llvm.experimental.vector.extract.last.active.v4f64(<4 x double>, <4 x i1>, double)
declare double @llvm.vector.reduce.fadd.v4f64(double, <4 x double>)
declare <4 x double> @llvm.vector.reverse.v4f64(<4 x double>)
declare <4 x double> @llvm.vector.splice.left.v4f64(<4 x double>, <4 x double>, i32)
declare <4 x double> @llvm.vector.splice.right.v4f64(<4 x double>, <4 x double>, i32)
declare <2 x double> @llvm.vector.extract.v2f64.v4f64(<4 x double>, i64)
declare <4 x double> @llvm.vector.insert.v4f64.v2f64(<4 x double>, <2 x double>, i64)
declare <8 x double> @llvm.vector.interleave2.v8f64(<4 x double>, <4 x double>)
declare { <4 x double>, <4 x double> } @llvm.vector.deinterleave2.v8f64(<8 x double>)
declare <2 x double> @llvm.vector.partial.reduce.fadd.v2f64.v8f64(<2 x double>, <8 x double>)

; The elements of a*b that bits choose, squared and weighted, times the last of them.
define double @choose(ptr %x, i32 %bits) {
  %a = load <4 x double>, ptr %x, align 8
  %q = getelementptr double, ptr %x, i64 4
  %b = load <4 x double>, ptr %q, align 8
  %four = trunc i32 %bits to i4
  %mask = bitcast i4 %four to <4 x i1>
  %ab = fmul <4 x double> %a, %b
  %chosen = call <4 x double> @llvm.experimental.vector.compress.v4f64(<4 x double> %ab, <4 x i1> %mask, <4 x double> %b)
  %weighted = fmul <4 x double> %chosen, <double 1.0, double 2.0, double 5.0, double 11.0>
  %squares = fmul <4 x double> %weighted, %chosen
  %sum = call reassoc double @llvm.vector.reduce.fadd.v4f64(double 0.0, <4 x double> %squares)
  %first = extractelement <4 x double> %a, i64 0
  %otherwise = fmul double %first, %first
  %last = call double @llvm.experimental.vector.extract.last.active.v4f64(<4 x double> %squares, <4 x i1> %mask, double %otherwise)
  %result = fmul double %sum, %last
  ret double %result
}

; Every element goes through every move, and has a weight of its own in the end.
define double @move(ptr %x, i32 %unused) {
  %a = load <4 x double>, ptr %x, align 8
  %q = getelementptr double, ptr %x, i64 4
  %b = load <4 x double>, ptr %q, align 8
  %back = call <4 x double> @llvm.vector.reverse.v4f64(<4 x double> %a)
  %left = call <4 x double> @llvm.vector.splice.left.v4f64(<4 x double> %back, <4 x double> %b, i32 1)
  %right = call <4 x double> @llvm.vector.splice.right.v4f64(<4 x double> %left, <4 x double> %b, i32 1)
  %half = call <2 x double> @llvm.vector.extract.v2f64.v4f64(<4 x double> %right, i64 2)
  %squares = fmul <2 x double> %half, %half
  %put = call <4 x double> @llvm.vector.insert.v4f64.v2f64(<4 x double> %b, <2 x double> %squares, i64 2)
  %both = call <8 x double> @llvm.vector.interleave2.v8f64(<4 x double> %put, <4 x double> %back)
  %apart = call { <4 x double>, <4 x double> } @llvm.vector.deinterleave2.v8f64(<8 x double> %both)
  %even = extractvalue { <4 x double>, <4 x double> } %apart, 0
  %odd = extractvalue { <4 x double>, <4 x double> } %apart, 1
  %product = fmul <4 x double> %even, %odd
  %mixed = call <8 x double> @llvm.vector.interleave2.v8f64(<4 x double> %product, <4 x double> %left)
  %weights = fmul <8 x double> %mixed, <double 1.0, double 2.0, double 5.0, double 11.0, double 23.0, double 47.0, double 3.0, double 7.0>
  %parts = call reassoc <2 x double> @llvm.vector.partial.reduce.fadd.v2f64.v8f64(<2 x double> %half, <8 x double> %weights)
  %p0 = extractelement <2 x double> %parts, i64 0
  %p1 = extractelement <2 x double> %parts, i64 1
  %result = fmul double %p0, %p1
  ret double %result
}

declare double @__enzyme_autodiff(ptr, ...)
declare double @__enzyme_fwddiff(ptr, ...)

define void @choose_reverse(ptr %x, ptr %dx, i32 %bits) {
  %r = call double (ptr, ...) @__enzyme_autodiff(ptr @choose, ptr %x, ptr %dx, i32 %bits)
  ret void
}
define double @choose_forward(ptr %x, ptr %dx, i32 %bits) {
  %r = call double (ptr, ...) @__enzyme_fwddiff(ptr @choose, ptr %x, ptr %dx, i32 %bits)
  ret double %r
}
define void @move_reverse(ptr %x, ptr %dx, i32 %bits) {
  %r = call double (ptr, ...) @__enzyme_autodiff(ptr @move, ptr %x, ptr %dx, i32 %bits)
  ret void
}
define double @move_forward(ptr %x, ptr %dx, i32 %bits) {
  %r = call double (ptr, ...) @__enzyme_fwddiff(ptr @move, ptr %x, ptr %dx, i32 %bits)
  ret double %r
}

define void @compress(ptr %x, ptr %y, i32 %bits) {
  %a = load <4 x double>, ptr %x, align 8
  %q = getelementptr double, ptr %x, i64 4
  %b = load <4 x double>, ptr %q, align 8
  %four = trunc i32 %bits to i4
  %mask = bitcast i4 %four to <4 x i1>
  %chosen = call <4 x double> @llvm.experimental.vector.compress.v4f64(<4 x double> %a, <4 x i1> %mask, <4 x double> %b)
  store <4 x double> %chosen, ptr %y, align 8
  ret void
}

@enzyme_pattern = external global i32
@enzyme_dup = external global i32
@enzyme_const = external global i32
declare void @__enzyme_fwddiff_void(ptr, ...)

define void @compress_pattern(ptr %x, ptr %sx, ptr %y, ptr %sy, i32 %bits) {
  %pattern = load i32, ptr @enzyme_pattern, align 4
  %dup = load i32, ptr @enzyme_dup, align 4
  %const = load i32, ptr @enzyme_const, align 4
  call void (ptr, ...) @__enzyme_fwddiff_void(ptr @compress, i32 %pattern, i32 %dup, ptr %x, ptr %sx, i32 %dup, ptr %y, ptr %sy, i32 %const, i32 %bits)
  ret void
}
