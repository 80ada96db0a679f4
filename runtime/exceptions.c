/*===- exceptions.c - handlers in differentiated code ----------------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* Primals hold an exception in flight as the address of its _Unwind_Exception
|* (docs/Exceptions.md). What C++'s runtime knows of it stays true: it was thrown by
|* __cxa_throw, and has been caught by nobody until rg_exception_begin.
|*
|* rg_exception_raise, which unwinds, is in exceptions.ll: C cannot be unwound.
\*===------------------------------------------------------------------------===*/
#include "retrograd_runtime.h"
#include <stddef.h>

/* Of C++'s runtime, and of libstdc++: std::exception_ptr is one pointer. */
void *__cxa_begin_catch(void *);
void *__cxa_get_exception_ptr(void *);
void std_current_exception(void **result) __asm__("_ZSt17current_exceptionv");
void std_exception_ptr_destroy(void **p) __asm__("_ZNSt15__exception_ptr13exception_ptrD1Ev");

enum { RG_EXCEPTION_HEADER = 32 };

static void rg_exception_release(void *exception) { std_exception_ptr_destroy(&exception); }

/** What __cxa_begin_catch(e) returns. Inside a reverse-mode derivative the
 *  exception, and all that it owns, lives until the derivative ends: the
 *  reverse sweep may read it. */
void *rg_exception_begin(void *e) {
  void *object = __cxa_begin_catch(e);
  rg_arena *a = rg_tape_current();
  if (a) {
    void *held = NULL;
    std_current_exception(&held);
    rg_tape_defer_free(a, held, rg_exception_release);
  }
  return object;
}

/** What __cxa_get_exception_ptr(e) returns: the object, before the handler of e
 *  has begun. */
void *rg_exception_pointer(void *e) { return __cxa_get_exception_ptr(e); }

/** The object that was caught is all of the one that was thrown with e. */
_Bool rg_exception_is_behind(void *e, void *object) {
  return (char *)e + RG_EXCEPTION_HEADER == (char *)object;
}

/** The exception is a pointer, and what was caught with e is that pointer: the
 *  ABI hands it on by value. */
_Bool rg_exception_is_pointer(void *e, void *caught) {
  /* Of an object in a block of C++'s runtime there are always eight bytes. */
  return !rg_exception_is_behind(e, caught) &&
         *(void **)((char *)e + RG_EXCEPTION_HEADER) == caught;
}

/** The exception that is thrown is the one that is handled. */
_Bool rg_exception_is(void *handled, void *thrown) { return handled == thrown; }

/** Number of the clause that catches e; see ExceptionLowering::matcher. */
int rg_exception_match(void *e, int (*matcher)(void *)) { return matcher(e); }
