//===- EmptyTapes.h - frames that hold nothing but frames -------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   tape = alloc(16);                          left.aug(n / 2);
//   tape->left = left.aug(n / 2);        =>    right.aug(n / 2);
//   tape->right = right.aug(n / 2);            return null;
//   return tape;
//
// The frame of a call holds the frames of the calls that it makes. In a linear
// recursion that is all it holds: the whole tree of frames is made, walked and
// never asked for a number.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_POLISH_EMPTYTAPES_H
#define RETROGRAD_POLISH_EMPTYTAPES_H

#include "llvm/ADT/ArrayRef.h"

namespace llvm {
class Function;
}

namespace retrograd {

/// Takes the frames and records that lead to nothing but each other out of Fs,
/// the functions of one derivative, whose bodies are simplified. The program
/// calls Entries, or null. Returns those that it has changed.
llvm::SmallVector<llvm::Function *, 8>
dropEmptyTapes(llvm::ArrayRef<llvm::Function *> Fs,
               llvm::ArrayRef<llvm::Function *> Entries);

} // namespace retrograd

#endif
