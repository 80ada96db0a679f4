//===- SwapBlocks.h - loops and blocks change places ------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Problem: A convolution has a block for each channel of the output, and a loop
// over the channels of the input. In reverse, each iteration adds to another
// channel of the input's adjoint, and all blocks add to all of them. By hand,
// blocks are for channels of the input, and the loop goes over those of the
// output: then a thread adds up in registers.
//
// Method: What an iteration does depends on the block's index o along one axis
// and on the iteration's number c. All blocks along that axis run the same
// iterations, which do nothing but add to adjoints. So all pairs (c, o) are
// done, in whatever order, and may be shared out anew: of the N * G pairs in
// order of c, then o, each of the G blocks takes N one behind the other. Its
// loop becomes two: over c, and over the o that it has of each. What is added
// to places that do not depend on o is added up in the inner one.
//
// What makes it right:
//
//   each pair is done by one block: (c, o) is the number c * G + o
//   what it does is what it did: it is computed from c, o, what all blocks
//   along the axis have in common, and memory that the kernel writes nowhere
//   whether the loop is reached, and how often it runs, does not depend on o
//   nothing in the kernel looks at what is added to (restrict parameters)
//
// Not handled: loops that carry numbers from iteration to iteration, that wait
// for other threads or stand within loops.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_POLISH_SWAPBLOCKS_H
#define RETROGRAD_POLISH_SWAPBLOCKS_H

#include "llvm/IR/PassManager.h"

namespace retrograd {

/// In F, a kernel that derivatives were inlined into, while the runtime's
/// additions are calls. Whether it has changed.
bool swapBlocks(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

} // namespace retrograd

#endif
