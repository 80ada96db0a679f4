; A vector of Rust's: its address is chosen as an integer (8 where it is empty), and is
; subtracted from its end. It is the choice of a pointer, and its shadow that of the shadows.
; RUN: %rgcc -O0 -Wno-override-module %s -o %t && %t
; RUN: %rgcc -O2 -Wno-override-module -mllvm -rg-plan=naive %s -o %t && %t
target triple = "x86_64-unknown-linux-gnu"
declare double @__enzyme_autodiff(ptr, ...)
declare ptr @malloc(i64)
declare void @free(ptr)

; Sum of the squares of x[0..n), by a copy of them.
define double @squares(ptr %x, i64 %n) {
entry:
  %empty = icmp eq i64 %n, 0
  %bytes = shl i64 %n, 3
  %none = icmp eq i64 %bytes, 0
  br i1 %none, label %made, label %make
make:
  %memory = call noalias ptr @malloc(i64 %bytes)
  %address = ptrtoint ptr %memory to i64
  br label %made
made:
  %at = phi i64 [ %address, %make ], [ 8, %entry ]
  %copy = inttoptr i64 %at to ptr
  br i1 %empty, label %end, label %fill
fill:
  %i = phi i64 [ 0, %made ], [ %i.next, %fill ]
  %from = getelementptr double, ptr %x, i64 %i
  %v = load double, ptr %from
  %to = getelementptr double, ptr %copy, i64 %i
  store double %v, ptr %to
  %i.next = add i64 %i, 1
  %full = icmp eq i64 %i.next, %n
  br i1 %full, label %count, label %fill
count:
  %last = getelementptr double, ptr %copy, i64 %n
  %behind = ptrtoint ptr %last to i64
  %size = sub i64 %behind, %at
  %length = lshr i64 %size, 3
  br label %sum
sum:
  %j = phi i64 [ 0, %count ], [ %j.next, %sum ]
  %s = phi double [ 0.0, %count ], [ %s.next, %sum ]
  %place = getelementptr double, ptr %copy, i64 %j
  %w = load double, ptr %place
  %square = fmul double %w, %w
  %s.next = fadd double %s, %square
  %j.next = add i64 %j, 1
  %done = icmp eq i64 %j.next, %length
  br i1 %done, label %release, label %sum
release:
  call void @free(ptr %copy)
  br label %end
end:
  %result = phi double [ 0.0, %made ], [ %s.next, %release ]
  ret double %result
}

define i32 @main() {
  %x = alloca [2 x double]
  %d = alloca [2 x double]
  %x1 = getelementptr double, ptr %x, i64 1
  %d1 = getelementptr double, ptr %d, i64 1
  store double 3.0, ptr %x
  store double 5.0, ptr %x1
  store double 0.0, ptr %d
  store double 0.0, ptr %d1
  %r = call double (ptr, ...) @__enzyme_autodiff(ptr @squares, ptr %x, ptr %d, i64 2)
  %a = load double, ptr %d
  %b = load double, ptr %d1
  %right.a = fcmp oeq double %a, 6.0
  %right.b = fcmp oeq double %b, 10.0
  %right = and i1 %right.a, %right.b
  %wrong = xor i1 %right, true
  %status = zext i1 %wrong to i32
  ret i32 %status
}
