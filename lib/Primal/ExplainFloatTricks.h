//===- ExplainFloatTricks.h - arithmetic on the bits of floats  -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vector mathematics (Eigen's exp and log, say) is full of three tricks whose
// operations say nothing of, or the wrong thing about, their derivative:
//
//   (x + 2^52) - 2^52       rounds x to an integer. The derivative is 0; that
//                           of the sum and the difference is 1.
//   (bits(x) & ~exponent)   the mantissa of x with another exponent: x * 2^n
//     | exponent of 0.5     with n constant between powers of two.
//   bits(x) ^ s             -x or x, where all bits of s but the sign are 0.
//
// The first is marked as a value that moves in steps (`!rg.steps`), and so does
// not vary. The second gets its multiplication: where x is normal it is exact,
// elsewhere the bits stay what they were. The third becomes a select. Where the
// mask is constant, it becomes -x, and what masks make of the sign by `and` and
// `or` |x| and -|x|. (Where bits go on as integers, the rules of and, or and
// xor know constant masks, Rules/MoveRules.)
//
// LLVM writes a number of half precision beside itself, in one word, as a
// product: zext(bits) * 0x10001. It gets its or and shift back, which move
// bits.
//
// And where memory holds a number or a pointer by turns (a std::variant of a
// double and a vector), LLVM forwards the number that was stored to the load of
// a pointer on paths that do not run then. What uses such a pointer ends the
// program, if it is reached.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PRIMAL_EXPLAINFLOATTRICKS_H
#define RETROGRAD_PRIMAL_EXPLAINFLOATTRICKS_H

namespace llvm {
class Function;
} // namespace llvm

namespace retrograd {

/// Late: the patterns are those that LLVM's simplification leaves.
void explainFloatTricks(llvm::Function &F);

} // namespace retrograd

#endif
