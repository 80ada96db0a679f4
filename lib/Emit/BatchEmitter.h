//===- BatchEmitter.h - a function at several arguments ---------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A batch is no derivative: it is Width calls of the primal in a row, each with
// its own values. Once they are inlined LLVM's vectorisers see the lanes side
// by side; what one lane decides (a branch, a number of iterations) does not
// bind the others.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_EMIT_BATCHEMITTER_H
#define RETROGRAD_EMIT_BATCHEMITTER_H

#include "Request/DerivativeRequest.h"

namespace retrograd {

/// The function that answers R, a request of mode Batch.
llvm::Function *emitBatch(const DerivativeRequest &R, llvm::Module &M);

} // namespace retrograd

#endif
