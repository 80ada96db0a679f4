;===- exceptions.ll - what C cannot be unwound through ---------------------===;
;
; Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
;===------------------------------------------------------------------------===;

declare i32 @_Unwind_RaiseException(ptr)
declare ptr @__cxa_begin_catch(ptr)
declare void @_ZSt9terminatev() noreturn
declare ptr @rg_exception_take(ptr)
declare void @_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE(ptr)
declare i32 @__gxx_personality_v0(...)

; Leaves the derivative by the exception e. As throw does, ends the program when
; nobody wants it.
define void @rg_exception_raise(ptr %e) noinline noreturn {
  %header = call ptr @rg_exception_take(ptr %e)
  %why = call i32 @_Unwind_RaiseException(ptr %header)
  %object = call ptr @__cxa_begin_catch(ptr %header)
  call void @_ZSt9terminatev()
  unreachable
}

; A header that leads to the object of an exception, and is in flight.
define ptr @rg_exception_header(ptr %object) noinline nounwind uwtable personality ptr @__gxx_personality_v0 {
  %holder = alloca ptr
  store ptr %object, ptr %holder
  invoke void @_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE(ptr %holder)
          to label %never unwind label %caught
never:
  unreachable
caught:
  %pad = landingpad { ptr, i32 } catch ptr null
  %header = extractvalue { ptr, i32 } %pad, 0
  ret ptr %header
}
