//===- LaneVectors.h - vectors that hold several lanes ----------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_RULES_LANEVECTORS_H
#define RETROGRAD_RULES_LANEVECTORS_H

namespace llvm {
class IRBuilderBase;
class Type;
class Value;
} // namespace llvm

namespace retrograd {

/// Each element of V (or V itself, a scalar) Times times in a row.
llvm::Value *repeatElements(llvm::IRBuilderBase &B, llvm::Value *V,
                            unsigned Times);

/// How many elements T has; 1 for a scalar.
unsigned elementCount(llvm::Type *T);

} // namespace retrograd

#endif
