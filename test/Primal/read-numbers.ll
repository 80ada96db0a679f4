; What a format names as numbers goes through variables, as far as the routine says that it was read; integers and characters stay where
; they are. A block is filled again by a routine that leaves it as it is. A format that is not known stays.
; RUN: %loadopt '-passes=print<rg-primal>' -rg-print-after=read-numbers -disable-output %s 2>&1 | FileCheck %s

@.0 = private constant [15 x i8] c"%d %f %*lf%lf \00"
declare i32 @fscanf(ptr, ptr, ...)
declare i64 @fread(ptr, i64, i64, ptr)

; CHECK: ; after read-numbers
; CHECK-LABEL: @rg.primal.f(
; CHECK-DAG: [[D:%.*]] = alloca double
; CHECK-DAG: [[F:%.*]] = alloca float
; CHECK: %k = call i32 (ptr, ptr, ...) @fscanf(ptr %in, ptr @.0, ptr %i, ptr [[F]], ptr [[D]]) #[[IS:[0-9]+]]
; CHECK: icmp sgt i32 %k, 1
; CHECK: [[V:%.*]] = load float, ptr [[F]]
; CHECK: store float [[V]], ptr %y
; CHECK: icmp sgt i32 %k, 2
; CHECK: [[W:%.*]] = load double, ptr [[D]]
; CHECK: store double [[W]], ptr %x
; CHECK: %l = call i32 (ptr, ptr, ...) @fscanf(ptr %in, ptr %how, ptr %x){{$}}
; CHECK: %m = call i64 @fread(ptr %x, i64 8, i64 3, ptr %in) #[[IS]]
; CHECK: [[N:%.*]] = call i64 @llvm.smax.i64(i64 %m, i64 0)
; CHECK: [[B:%.*]] = mul i64 [[N]], 8
; CHECK: call ptr @rg_constants_here(ptr %x, i32 -1, i64 [[B]])
define double @f(ptr %x, ptr %y, ptr %i, ptr %in, ptr %how) {
  %k = tail call i32 (ptr, ptr, ...) @fscanf(ptr %in, ptr @.0, ptr %i, ptr %y, ptr %x)
  %l = call i32 (ptr, ptr, ...) @fscanf(ptr %in, ptr %how, ptr %x)
  %m = call i64 @fread(ptr %x, i64 8, i64 3, ptr %in)
  %r = load double, ptr %x
  ret double %r
}

declare double @__enzyme_autodiff(ptr, ...)
define double @ask(ptr %x, ptr %dx, ptr %i, ptr %in, ptr %how) {
  %d = call double (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %x, ptr %dx, metadata !"enzyme_const", ptr %x, metadata !"enzyme_const", ptr %i, metadata !"enzyme_const", ptr %in, metadata !"enzyme_const", ptr %how)
  ret double %d
}
