//===- DeadEndUnwinding.h - landing pads that lead nowhere ------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An exception that leaves the derivative needs no clean-up that only gives
// memory back: that memory is lost, nothing else. The invoke becomes a call,
// and what does return is simpler to analyse. Clean-ups that others notice
// (locks, destructors of the program's) stay and run.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PRIMAL_DEADENDUNWINDING_H
#define RETROGRAD_PRIMAL_DEADENDUNWINDING_H

namespace llvm {
class Function;
} // namespace llvm

namespace retrograd {
class Catalogue;

/// Turns an invoke into a call when its landing pad cannot lead to a return and
/// only gives memory back.
void dropDeadEndUnwinding(llvm::Function &F, const Catalogue &Cat);

} // namespace retrograd

#endif
