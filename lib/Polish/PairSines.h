//===- PairSines.h - sine and cosine by one call -------------- -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The derivative of a sine is a cosine of the same argument. Where the
// machine's library has a function that computes both, one call of it takes the
// place of the calls in one block: most of the work is the same.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_POLISH_PAIRSINES_H
#define RETROGRAD_POLISH_PAIRSINES_H

namespace llvm {
class Function;
} // namespace llvm

namespace retrograd {

/// Before the library is inlined.
void pairSines(llvm::Function &F);

} // namespace retrograd

#endif
