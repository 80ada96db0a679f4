//===- VectorizerGuards.h - what the vectoriser would get wrong -----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs right in front of LLVM's loop vectoriser and keeps two things from it
// that LLVM 22 gets wrong. Where loops carry dependences they are seldom
// vectorised at all; loops over the threads of a block carry none, and both are
// common there.
//
// Narrow indices. t & 3 is, to scalar evolution, a sequence of two bits,
// extended. The vectoriser takes it for 0, 1, 2, ... without end and puts a
// test of the number of rounds in front of the loop. It drops that test if
// another, of a wider sequence such as blockIdx.x * blockDim.x + t, is to be
// made too: it holds that the wider one implies the narrower (llvm-project,
// issue 191382, mended in 23). Where a loop extends sequences of several
// widths, all but the widest are hidden from scalar evolution behind freeze,
// which costs nothing and is gone with the next InstCombine.
//
// Divisions under a condition. In if (t >= 10) r += a[m % n] the division,
// alike for all but not to be made by those whom the condition excludes,
// becomes one per lane under the lane's condition; the address is then made of
// the first lane's alone, which has none if its condition is false. What all
// rounds divide alike is computed in front of the loop, by a divisor made
// harmless.
//
//===----------------------------------------------------------------------===//
#ifndef RETROGRAD_OFFLOAD_VECTORIZERGUARDS_H
#define RETROGRAD_OFFLOAD_VECTORIZERGUARDS_H

#include "llvm/IR/PassManager.h"

namespace retrograd {

class VectorizerGuardsPass : public llvm::PassInfoMixin<VectorizerGuardsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &,
                              llvm::FunctionAnalysisManager &);
};

} // namespace retrograd

#endif
