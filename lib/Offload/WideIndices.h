//===- WideIndices.h - indices of threads as 64-bit numbers -----*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels compute indices as int, a[y * n + x]. That x + 1 is the neighbour in
// memory LLVM knows as long as each sum says that it does not wrap around; but
// its passes reorder the sums, and these words are lost on the way to the
// vectoriser. So they are used first: what is extended in the end is computed
// with 64 bits from the start.
//
//===----------------------------------------------------------------------===//
#ifndef RETROGRAD_OFFLOAD_WIDEINDICES_H
#define RETROGRAD_OFFLOAD_WIDEINDICES_H

#include "llvm/ADT/ArrayRef.h"

namespace llvm {
class Argument;
class Function;
} // namespace llvm

namespace retrograd {

/// In Region, a function of one thread, computes what is extended from 32 bits
/// and depends on the thread's indices Tid by sums and products that do not
/// wrap around with 64 bits.
void widenIndices(llvm::Function &Region, llvm::ArrayRef<llvm::Argument *> Tid);

} // namespace retrograd

#endif
