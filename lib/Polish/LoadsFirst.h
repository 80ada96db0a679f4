//===- LoadsFirst.h - loads in front of stores ------------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   y[i] += a; y[i + n] += b; ...
//
// A thread of a GPU that loads, stores, loads, stores waits for memory each
// time, for a load does not overtake a store that may be to the same place, and
// ptxas knows little of places: no restrict, no tape and no shadows. LLVM does,
// and has nobody who moves loads for it. Within a block of code, loads go in
// front of the stores and additions that they do not depend on, and so do the
// exchanges that take adjoints.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_POLISH_LOADSFIRST_H
#define RETROGRAD_POLISH_LOADSFIRST_H

namespace llvm {
class AAResults;
class Function;
} // namespace llvm

namespace retrograd {
class Target;

void moveLoadsFirst(llvm::Function &F, const Target &Machine,
                    llvm::AAResults &AA);

} // namespace retrograd

#endif
