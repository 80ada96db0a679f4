//===- NarrowIndices.h - what the vectoriser would take for granted -------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// t & 3 is, to scalar evolution, a sequence of two bits, extended. The
// vectoriser takes it for 0, 1, 2, ... without end and puts a test of the number
// of rounds in front of the loop. LLVM before 23 drops that test if another,
// of a wider sequence such as blockIdx.x * blockDim.x + t, is to be made too: it
// holds that the wider one implies the narrower (llvm-project, issue 191382).
// Where loops carry dependences one seldom comes to both tests; loops over the
// threads of a block carry none, and indices of both kinds are common there.
//
// Runs right in front of the vectoriser. Where a loop extends sequences of
// several widths, all but the widest are hidden from scalar evolution behind
// freeze, which costs nothing and is gone with the next InstCombine.
//
//===----------------------------------------------------------------------===//
#ifndef RETROGRAD_OFFLOAD_NARROWINDICES_H
#define RETROGRAD_OFFLOAD_NARROWINDICES_H

#include "llvm/IR/PassManager.h"

namespace retrograd {

class HideNarrowIndicesPass : public llvm::PassInfoMixin<HideNarrowIndicesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

} // namespace retrograd

#endif
