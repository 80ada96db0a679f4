; Ways in which a function reaches a derivative call.
;
; RUN: %loadopt -passes='print<rg-requests>' -disable-output %s | FileCheck %s
declare double @__enzyme_autodiff(ptr, ...)
@table = internal constant [2 x ptr] [ptr @f, ptr @g]
@alias = alias double (double), ptr @f

define double @f(double %x) {
  ret double %x
}
define double @g(double %x) {
  ret double %x
}
; As the conversion of a lambda to a pointer does at -O0.
define internal ptr @convert(ptr %closure) {
  ret ptr @g
}
; CHECK: reverse f(out) -> active, asked in slot
define double @slot(double %x) {
  %s = alloca ptr
  store ptr @f, ptr %s
  %p = load ptr, ptr %s
  %r = call double (ptr, ...) @__enzyme_autodiff(ptr %p, double %x)
  ret double %r
}
; CHECK: reverse g(out) -> active, asked in intable
define double @intable(double %x) {
  %e = getelementptr [2 x ptr], ptr @table, i64 0, i64 1
  %p = load ptr, ptr %e
  %r = call double (ptr, ...) @__enzyme_autodiff(ptr %p, double %x)
  ret double %r
}
; CHECK: reverse f(out) -> active, asked in aliased
define double @aliased(double %x) {
  %r = call double (ptr, ...) @__enzyme_autodiff(ptr @alias, double %x)
  ret double %r
}
; CHECK: reverse g(out) -> active, asked in converted
define double @converted(double %x) {
  %p = call ptr @convert(ptr null)
  %r = call double (ptr, ...) @__enzyme_autodiff(ptr %p, double %x)
  ret double %r
}
; All callers of a local function are visible.
; CHECK: reverse f(out) -> active, asked in local
define internal double @local(ptr %p, double %x) {
  %r = call double (ptr, ...) @__enzyme_autodiff(ptr %p, double %x)
  ret double %r
}
define double @caller(double %x) {
  %r = call double @local(ptr @f, double %x)
  ret double %r
}
