/*===- retrograd_rule.h - for those who write rules of the runtime --------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* For a routine  R f(a, b, ...)  with a record of class Rule (Operation.td):
|*
|*   void *augment(rg_arena *arena, uint64_t active, uint64_t stable,
|*                 a, b, ... [, R *result])
|*     runs f and returns a tape (any pointer; memory from rg_tape_alloc(arena)
|*     lives until the reverse sweep is done). Bit i of active: operand i has a
|*     shadow. Bit i of stable: the memory behind operand i will be in the
|*     reverse sweep what it is after f; else what reverse needs of it is
|*     copied.
|*   void reverse(rg_arena *arena, uint64_t lanes, void *tape,
|*                a [, sa], b [, sb], ... [, const R *seeds])
|*     Operands are those of the call; memory behind them may have changed.
|*   void forward(uint64_t lanes, a [, sa], b [, sb], ...
|*                [, R *result [, R *tangents]])
|*     runs f, and fills tangents.
|*
|* sa follows an operand that can be active. Of a pointer to numbers it is an
|* array with the shadow of each lane: null, or with null elements, where the
|* memory is inactive. Of a number it is an array with one number per lane: the
|* tangent in forward, in reverse the adjoint to add to; null where the number
|* is inactive. seeds is null where the result is inactive; result and the
|* arrays of the result are there when f returns something (tangents, seeds: a
|* number).
|*
|* Adjoints: a reverse function adds to the shadow of what f reads, and to that
|* of what f overwrites it assigns what the old contents contribute (zero when f
|* does not read them).
\*===------------------------------------------------------------------------===*/
#ifndef RETROGRAD_RULE_H
#define RETROGRAD_RULE_H
#include "retrograd_runtime.h"

/* A routine whose record names a rule is a call until derivatives are made.
 * Nothing may be concluded from its body until then: the rule reads operands
 * that the body ignores, and callers would leave those undefined. */
#define OPERATION __attribute__((noinline, weak))

/** Does operand i have a shadow? */
#define RG_ACTIVE(mask, i) (((mask) >> (i)) & 1)

#endif
