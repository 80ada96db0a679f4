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
|* An exception that an std::exception_ptr throws again may be in flight on several
|* threads at once. All of them know it by the header behind which the object lies; but
|* that header belongs to one handler at a time. So where others own the object, too,
|* the C++ runtime gets a header that leads there, as std::rethrow_exception makes it.
|*
|* What unwinds is in exceptions.ll: C cannot be unwound.
\*===------------------------------------------------------------------------===*/
#include "retrograd_runtime.h"
#include <stddef.h>
#include <stdint.h>

/* Of C++'s runtime, and of libstdc++: std::exception_ptr is one pointer. */
void *__cxa_begin_catch(void *);
void *__cxa_get_exception_ptr(void *);
void _Unwind_DeleteException(void *);
void std_current_exception(void **result) __asm__("_ZSt17current_exceptionv");
void std_exception_ptr_copy(void **to, void *const *from) __asm__("_ZNSt15__exception_ptr13exception_ptrC1ERKS0_");
void std_exception_ptr_destroy(void **p) __asm__("_ZNSt15__exception_ptr13exception_ptrD1Ev");
struct rg_exception_globals {
  void *caught;
  unsigned in_flight;
};
struct rg_exception_globals *__cxa_get_globals(void);

/* exceptions.ll */
void *rg_exception_header(void *object);

/* The Itanium ABI: where things lie, seen from the header that unwinders know. Of a
 * header that leads to another's object, the object's address is the first member. */
enum {
  RG_EXCEPTION_HEADER = 32,
  RG_EXCEPTION_OWNERS = -96,
  RG_EXCEPTION_PRIMARY = -80,
  RG_EXCEPTION_ADJUSTED = -8
};
static const uint64_t cxx_class = 0x474e5543432b2b00u; /* GNUCC++, and 1 if it leads to another's object */

/* Of the thread: where in the object of an exception the handler found what it catches;
 * and the header that `throw;` has really thrown, of an exception in flight. Named, not
 * static: there is one however often this file is linked. */
__thread struct rg_exception_notes {
  void *matched, *found;
  void *thrown;
} rg_exception_here;

static void *member(void *e, ptrdiff_t at) { return *(void **)((char *)e + at); }
static void *object_of(void *e) {
  return *(uint64_t *)e == (cxx_class | 1) ? member(e, RG_EXCEPTION_PRIMARY)
                                           : (char *)e + RG_EXCEPTION_HEADER;
}
static void rg_exception_release(void *object) { std_exception_ptr_destroy(&object); }

static _Bool has_other_owners(void *e) {
  return *(uint64_t *)e == cxx_class &&
         __atomic_load_n((int *)((char *)e + RG_EXCEPTION_OWNERS), __ATOMIC_ACQUIRE) > 1;
}

/** A header of this thread's for e, which is in flight, and for nobody else. What e in
 *  flight owns of the object goes to it. */
void *rg_exception_take(void *e) {
  void *thrown = rg_exception_here.thrown;
  if (thrown && object_of(thrown) == object_of(e)) {
    rg_exception_here.thrown = NULL;
    return thrown;
  }
  if (!has_other_owners(e))
    return e;
  void *header = rg_exception_header(object_of(e));
  --__cxa_get_globals()->in_flight;
  *(void **)((char *)header + RG_EXCEPTION_ADJUSTED) =
      rg_exception_here.matched == e ? rg_exception_here.found : object_of(e);
  rg_exception_release(object_of(e));
  return header;
}

/** The object has one owner more. */
void rg_exception_hold(void *object) {
  void *copy;
  std_exception_ptr_copy(&copy, &object);
}

/** e, whose object an exception_ptr holds, is in flight again. */
void rg_exception_again(void *e) {
  rg_exception_hold(object_of(e));
  ++__cxa_get_globals()->in_flight;
}

/** The object of std::current_exception(), for a new owner; null if there is none. */
void *rg_exception_current(void) {
  void *object = NULL;
  std_current_exception(&object);
  return object;
}

/** What __cxa_begin_catch(e) returns. */
void *rg_exception_begin(void *e) { return __cxa_begin_catch(rg_exception_take(e)); }

/** The exception whose handler has just begun, and all that it owns, live until the
 *  tape's scope ends: the reverse sweep may read them. */
void rg_exception_keep(rg_arena *tape) { rg_tape_defer_free(tape, rg_exception_current(), rg_exception_release); }

/** What __cxa_get_exception_ptr(e) returns: the object, before the handler of e
 *  has begun. */
void *rg_exception_pointer(void *e) {
  return rg_exception_here.matched == e ? rg_exception_here.found : __cxa_get_exception_ptr(e);
}

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

/** What `throw;` throws is the exception that is handled. */
_Bool rg_exception_is(void *handled, void *thrown) {
  if (!handled || object_of(handled) != object_of(thrown))
    return 0;
  rg_exception_here.thrown = thrown;
  return 1;
}

/** Number of the clause that catches e; see ExceptionLowering::matcher. */
int rg_exception_match(void *e, int (*matcher)(void *)) {
  void *thrown = rg_exception_here.thrown, *header = e;
  if (thrown && object_of(thrown) == object_of(e)) {
    header = thrown;
  } else if (has_other_owners(e)) {
    header = rg_exception_header(object_of(e));
    --__cxa_get_globals()->in_flight;
  }
  int clause = matcher(header);
  rg_exception_here.matched = e;
  rg_exception_here.found = member(header, RG_EXCEPTION_ADJUSTED);
  if (header != e && header != thrown)
    _Unwind_DeleteException(header);
  return clause;
}

/** e.what() of a std::exception, by a function that the module may not have. */
const char *rg_exception_text(void *object, const char *(*what)(void *)) { return what(object); }
