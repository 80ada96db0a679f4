//===- SplitChoices.h - minima beside where they come from ------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   better = first | d < least;
//   least = better ? d : least;      // the primal's
//   which = better ? i : which;      // what the reverse sweep needs to know
//
// Alone, the first choice is a minimum of two numbers, and one more choice
// where `first` holds: code generators take a disjunction that one choice asks
// for apart. With the second one both wait for all of the condition in every
// iteration, and the loop takes as long as that. So the choice between numbers
// gets its comparison to itself:
//
//   least = first ? d : (d < least ? d : least);
//
// InstCombine would undo it: the step marks derivatives with such choices, and
// the pass rewrites them at the end of the pipeline.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_POLISH_SPLITCHOICES_H
#define RETROGRAD_POLISH_SPLITCHOICES_H

#include "llvm/IR/PassManager.h"

namespace retrograd {

class SplitChoicesPass : public llvm::PassInfoMixin<SplitChoicesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace retrograd

#endif
