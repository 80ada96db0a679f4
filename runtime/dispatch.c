/*===- dispatch.c - calls through pointers that have no derivative ---------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* Which function an address is, is known when the program runs, and so is that
|* there is no derivative of it. Then the program ends with a message: no number is
|* better than a wrong one. See docs/IndirectCalls.md.
\*===------------------------------------------------------------------------===*/
#include <stdio.h>
#include <stdlib.h>

/* A call through a pointer in the function `where` met an address that is none of
 * the functions the compiler could see. */
__attribute__((noreturn, cold, noinline)) void rg_unknown_callee(const void *callee,
                                                                const char *where) {
  if (!callee)
    fprintf(stderr, "retrograd: in %s, a null function pointer is called\n", where);
  else
    fprintf(stderr,
            "retrograd: in %s, a call through a pointer reached the function at %p, which "
            "has no derivative: it is not among the functions of this type whose address is "
            "taken where the derivative was compiled\n"
            "retrograd: compile the file that defines it together with this one (-flto in "
            "both), or refer to it in the function that is differentiated\n",
            where, callee);
  abort();
}

/* A pointer to a member function is of a base class that does not stand at the beginning
 * of the object, or names a virtual function. The compiler saw no such one. */
__attribute__((noreturn, cold, noinline)) void rg_unknown_member(const char *where) {
  fprintf(stderr,
          "retrograd: in %s, a pointer to a member function leads to a virtual function, or to "
          "one of a base class that does not stand at the beginning of the object: no such "
          "pointer of this type is made where the derivative was compiled\n"
          "retrograd: compile the file that makes it together with this one (-flto in both)\n",
          where);
  abort();
}

/* A call through a pointer reached a function that cannot be differentiated. */
__attribute__((noreturn, cold, noinline)) void rg_refused_callee(const char *text) {
  fprintf(stderr, "retrograd: %s\n", text);
  abort();
}
