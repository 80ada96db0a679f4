//===- TapeNeed.h - how much tape a launch will ask for ---------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Problem: a kernel whose tape finds no memory stops in its midst. Where the
// pieces that it asks for follow from its arguments and the shape of the launch
// (a record for each of n iterations), the launch can know before it starts.
//
// Method: of each request for more tape, its bytes, and whether a thread comes
// to it, are written down as a straight-line program over the kernel's
// arguments, the thread's and the block's index, and their numbers. The host
// runs it (runtime/launch.c). What is written down holds for the first time
// that a thread comes to a request: numbers that loops carry are what they are
// in the first iteration.
//
// Not handled: requests that depend on memory are left out, so what the program
// says is a lower bound.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_POLISH_TAPENEED_H
#define RETROGRAD_POLISH_TAPENEED_H

#include "llvm/ADT/ArrayRef.h"

namespace llvm {
class CallInst;
class Constant;
class Function;
} // namespace llvm

namespace retrograd {

/// The program for what Kernel asks for by Requests, whose second arguments are
/// bytes; null if nothing is known of any.
llvm::Constant *tapeNeed(llvm::Function &Kernel,
                         llvm::ArrayRef<llvm::CallInst *> Requests);

} // namespace retrograd

#endif
