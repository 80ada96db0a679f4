//===- TangentKinds.h - sets, or bounds on errors ---------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tangent sweep can carry something else than derivatives: which inputs a
// number depends on (Jacobian patterns), or how far rounding may have moved it.
// The operations ask for these here.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_RULES_TANGENTKINDS_H
#define RETROGRAD_RULES_TANGENTKINDS_H

#include "Rules/Rules.h"

namespace llvm {
class IntrinsicInst;
}

namespace retrograd {

/// A set in the bits of a float as one in the bits of another. Between vectors
/// of different lengths every number of the one depends on all of the other.
llvm::Value *convertSet(llvm::IRBuilderBase &B, llvm::Value *Set,
                        llvm::Type *To);

/// What the result of I depends on: all that its active operands depend on. An
/// element of a vector depends on the same element of vectors of its length.
llvm::Value *dependencies(const llvm::Instruction &I, TangentContext &C);

/// The same where every element depends on all elements of all vectors.
llvm::Value *dependenciesAcross(const llvm::Instruction &I, TangentContext &C);

/// The bound of I's result, whose operands' bounds make Error: half a unit in
/// the last place more.
llvm::Value *rounded(const llvm::Instruction &I, llvm::Value *Error,
                     TangentContext &C);

/// A product and a sum that may become one operation.
bool isContractible(const llvm::IntrinsicInst &I);

} // namespace retrograd

#endif
