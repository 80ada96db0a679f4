;===- exceptions.ll - what C cannot be unwound through ---------------------===;
;
; Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
;===------------------------------------------------------------------------===;

declare i32 @_Unwind_RaiseException(ptr)
declare ptr @__cxa_begin_catch(ptr)
declare void @_ZSt9terminatev() noreturn

; Leaves the derivative by the exception e. As throw does, ends the program when
; nobody wants it.
define void @rg_exception_raise(ptr %e) noinline noreturn {
  %why = call i32 @_Unwind_RaiseException(ptr %e)
  %object = call ptr @__cxa_begin_catch(ptr %e)
  call void @_ZSt9terminatev()
  unreachable
}
