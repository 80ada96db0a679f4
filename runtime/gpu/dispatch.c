/*===- dispatch.c - calls through pointers that have no derivative ---------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* As runtime/dispatch.c: the kernel says what happened and stops with an error.
\*===------------------------------------------------------------------------===*/
#include "device.h"

__attribute__((noreturn, cold, noinline)) void rg_unknown_callee(const void *callee,
                                                                 const char *where) {
#if defined(__NVPTX__)
  struct { const char *where; const void *callee; } args = {where, callee};
  vprintf("retrograd: in %s, a call through a pointer reached the function at %p, which has no "
          "derivative: it is not among the functions of this type whose address is taken where "
          "the derivative was compiled\n", &args);
#else
  (void)callee, (void)where;
#endif
  __builtin_trap();
}

__attribute__((noreturn, cold, noinline)) void rg_unknown_member(const char *where) {
#if defined(__NVPTX__)
  struct { const char *where; } args = {where};
  vprintf("retrograd: in %s, a pointer to a member function leads to a virtual function, or to one "
          "of a base class that does not stand at the beginning of the object: no such pointer of "
          "this type is made where the derivative was compiled\n", &args);
#else
  (void)where;
#endif
  __builtin_trap();
}

__attribute__((noreturn, cold, noinline)) void rg_refused_callee(const char *text) {
#if defined(__NVPTX__)
  struct { const char *text; } args = {text};
  vprintf("retrograd: %s\n", &args);
#else
  (void)text;
#endif
  __builtin_trap();
}
