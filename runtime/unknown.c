/*===- unknown.c - bytes whose type nothing tells ---------------------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* A function copies bytes that it never looks at: an array of characters in a struct,
|* memory behind pointers to void. They may be numbers, text, or addresses; only code
|* elsewhere knows. The reverse of a copy adds the destination's adjoints to the source's,
|* which takes a type. But where the source has none yet the sum is the destination's, bit
|* by bit. So pieces move, and where two meet the program ends with a message: exact, or
|* an error.
|*
|* What is no adjoint stays: addresses, which the primal sweep has copied to the shadow,
|* so that both ends hold the same.
|*
|* A piece is two bytes. Of every format of numbers, the two with the sign and the exponent
|* are zero of zeros alone (and of numbers too small to count), so that two adjoints which
|* meet always meet there.
\*===------------------------------------------------------------------------===*/
#define _DEFAULT_SOURCE
#include "bytes.h"
#include "retrograd_runtime.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RG_WORD = 8, RG_PIECE = 2 };

/* A pair of floats of which the second is zero lies below what a program is loaded to,
 * but for programs with fixed addresses. */
static int may_be_address(uint64_t word) {
  static char here;
  const uint64_t low = (uint64_t)1 << 32;
  if (word >= low)
    return word < (uint64_t)1 << 48;
  return (uintptr_t)&here < low && word >= 4096 && word < (uintptr_t)sbrk(0);
}

static __attribute__((noreturn, cold, noinline)) void meet(const char *where) {
  fprintf(stderr,
          "retrograd: %s copies bytes whose type nothing in it tells, and derivatives from two places meet "
          "in them (or their shadow held something else before): they cannot be added without the type [RG1103]\n"
          "retrograd: read the bytes as what they are in the function, or declare them so; clear the shadow before "
          "the call; if they hold no numbers, mark the argument that leads to them enzyme_const\n",
          where);
  abort();
}

/* memory.c */
void *rg_apart(char *from, char *to, char *own, uint64_t bytes);
void rg_apart_end(char *copy, char *from);

static void move_addresses(char *dsh, char *ssh, uint64_t bytes) {
  char *from = rg_apart(ssh, dsh, NULL, bytes);
  for (uint64_t i = -(uintptr_t)dsh & (RG_WORD - 1); i + RG_WORD <= bytes; i += RG_WORD)
    if (may_be_address(rg_word(from + i)))
      memcpy(dsh + i, from + i, RG_WORD);
    else if (may_be_address(rg_word(dsh + i)))
      memset(dsh + i, 0, RG_WORD);
  rg_apart_end(from, ssh);
}

/* Whoever knows what adjoints are hears where they go (messages-packed.c); null: nobody does, or the source is
 * constant. Named, not static: all modules of a program have one. */
void (*rg_adjoints_moved)(char *from, char *to, uint64_t bytes);

/* Takes the adjoints at dsh and hands them to `given`; null: the source is constant. */
static void move_adjoints(char *dsh, char *given, uint64_t bytes, const char *where) {
  if (rg_adjoints_moved)
    rg_adjoints_moved(dsh, given, bytes);
  if (rg_is_zero(dsh, bytes))
    return;
  char *taken = malloc(bytes);
  if (!taken)
    abort();
  memcpy(taken, dsh, bytes);
  for (uint64_t i = 0; i < bytes;) {
    const uint64_t left = bytes - i;
    const int is_word = !((uintptr_t)(dsh + i) & (RG_WORD - 1)) && left >= RG_WORD;
    if (is_word && may_be_address(rg_word(taken + i))) {
      if (given && rg_word(given + i) != rg_word(taken + i))
        meet(where);
      memset(taken + i, 0, RG_WORD);
      i += RG_WORD;
      continue;
    }
    const uint64_t odd = (uintptr_t)(dsh + i) & (RG_PIECE - 1);
    const uint64_t piece = is_word ? RG_WORD : left < RG_PIECE - odd ? left : RG_PIECE - odd;
    memset(dsh + i, 0, piece);
    i += piece;
  }
  for (uint64_t i = 0; given && i < bytes;) {
    const uint64_t odd = (uintptr_t)(dsh + i) & (RG_PIECE - 1);
    const uint64_t piece = bytes - i < RG_PIECE - odd ? bytes - i : RG_PIECE - odd;
    if (!rg_is_zero(taken + i, piece)) {
      if (!rg_is_zero(given + i, piece))
        meet(where);
      memcpy(given + i, taken + i, piece);
    }
    i += piece;
  }
  free(taken);
}

void rg_shadow_move_unknown(char *dsh, char *d, char *ssh, uint64_t bytes, uint64_t offset,
                            uint64_t period, uint64_t run) {
  if (dsh == d || dsh == ssh)
    return;
  for (uint64_t at = offset; at < bytes; at += period ? period : bytes)
    move_addresses(dsh + at, ssh + at, run < bytes - at ? run : bytes - at);
}

void rg_adjoint_move_unknown(char *dsh, char *d, char *ssh, char *s, uint64_t bytes,
                             uint64_t offset, uint64_t period, uint64_t run,
                             const char *where) {
  if (dsh == d || dsh == ssh)
    return;
  for (uint64_t at = offset; at < bytes; at += period ? period : bytes)
    move_adjoints(dsh + at, ssh == s ? NULL : ssh + at, run < bytes - at ? run : bytes - at, where);
}
