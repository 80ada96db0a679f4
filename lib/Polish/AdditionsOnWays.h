//===- AdditionsOnWays.h - additions where they are not zero ----*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   if (left > 0)                    // within reach
//     sum += mass * left * left * left;
//
// Behind the branch the reverse sweep adds what came of it to the neighbour's
// place: a number of this way, or the zero of the other one. The addition goes
// to where the number is: the other way sends no zeros to memory, and additions
// to one place's members, some of which were on that way before, stand together
// (Polish/VectorAdditions.h).
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_POLISH_ADDITIONSONWAYS_H
#define RETROGRAD_POLISH_ADDITIONSONWAYS_H

namespace llvm {
class AAResults;
class Function;
} // namespace llvm

namespace retrograd {

class Target;

/// Moves plain additions of F. Whether anything changed.
bool moveAdditionsToTheirWay(llvm::Function &F, const Target &Machine,
                             llvm::AAResults &AA);

} // namespace retrograd

#endif
