//===- AddedZeros.h - adjoints to which zero is added -----------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_POLISH_ADDEDZEROS_H
#define RETROGRAD_POLISH_ADDEDZEROS_H

namespace llvm {
class Instruction;
class Value;
} // namespace llvm

namespace retrograd {

/// I was emitted as an access of an adjoint.
bool isAdjoint(const llvm::Instruction &I);
/// V was emitted as a load of an adjoint: the sign of a zero tells nothing.
bool readsAdjoint(const llvm::Value &V);

} // namespace retrograd

#endif
