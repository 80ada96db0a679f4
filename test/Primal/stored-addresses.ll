; An object of one pointer is copied as a word, of which optimisation makes a choice of addresses
; that are integers. Stored, it is a pointer, with the shadow of the memory behind it.
; RUN: %rgcc -O0 -Wno-override-module %s -o %t && %t
; RUN: %rgcc -O2 -Wno-override-module %s -o %t && %t
; RUN: %rgcc -O2 -Wno-override-module -mllvm -rg-plan=naive %s -o %t && %t
target triple = "x86_64-unknown-linux-gnu"
declare double @__enzyme_autodiff(ptr, ...)

; The square of what the pointer in the box leads to.
define internal double @square(ptr %box) noinline {
  %p = load ptr, ptr %box
  %v = load double, ptr %p
  %s = fmul double %v, %v
  ret double %s
}

; The square of x[0] or y[0]. The addresses have other uses as integers.
define double @choose(ptr %x, ptr %y, i64 %which, i64 %end) {
entry:
  %box = alloca ptr
  %first = icmp eq i64 %which, 0
  br i1 %first, label %left, label %right
left:
  %a = ptrtoint ptr %x to i64
  %low.a = and i64 %a, 4
  br label %join
right:
  %b = ptrtoint ptr %y to i64
  %low.b = lshr i64 %b, 62
  br label %join
join:
  %word = phi i64 [ %a, %left ], [ %b, %right ]
  %low = phi i64 [ %low.a, %left ], [ %low.b, %right ]
  %distance = sub i64 %end, %word
  %high = lshr i64 %distance, 62
  %none = add i64 %low, %high
  store i64 %word, ptr %box
  %s = call double @square(ptr %box)
  %zero = uitofp i64 %none to double
  %r = fadd double %s, %zero
  ret double %r
}

define i32 @main() {
  %x = alloca double, align 16
  %y = alloca double, align 16
  %dx = alloca double, align 16
  %dy = alloca double, align 16
  store double 3.0, ptr %x
  store double 5.0, ptr %y
  store double 0.0, ptr %dx
  store double 0.0, ptr %dy
  %1 = call double (ptr, ...) @__enzyme_autodiff(ptr @choose, ptr %x, ptr %dx, ptr %y, ptr %dy, i64 0, i64 140737488355327)
  %2 = call double (ptr, ...) @__enzyme_autodiff(ptr @choose, ptr %x, ptr %dx, ptr %y, ptr %dy, i64 1, i64 140737488355327)
  %gx = load double, ptr %dx
  %gy = load double, ptr %dy
  %wx = fcmp une double %gx, 6.0
  %wy = fcmp une double %gy, 10.0
  %wrong = or i1 %wx, %wy
  %rc = zext i1 %wrong to i32
  ret i32 %rc
}
