//===- SeparateBuckets.h - the one bucket in a std::unordered_map ---------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libstdc++'s hash tables begin with a bucket of their own, in the table's
// object, and point to it until they have allocated others. Buckets point to
// nodes, the first of which lies in the object, too. So to an analysis that has
// one object for all that a pointer may point to, buckets, nodes and tables are
// one array of words, and what values hold (a vector's numbers) is part of it.
//
// The bucket of a table in a local variable becomes a variable of its own,
// where all that may reach it is in sight: nobody but the table's own code
// knows of it, and that code only ever names it as a member of the table.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PRIMAL_LANGUAGE_SEPARATEBUCKETS_H
#define RETROGRAD_PRIMAL_LANGUAGE_SEPARATEBUCKETS_H

#include "llvm/IR/PassManager.h"

namespace retrograd {

/// In the prepared F, before its normal form. True if there was one.
bool separateBuckets(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

} // namespace retrograd

#endif
