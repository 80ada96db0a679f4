//===- KnownSpaces.h - what kernels' pointers lead to -----------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pointers that a launch hands to a kernel lead to global memory: the host
// knows no other, and LLVM's back end counts on it. An addition to an adjoint
// asks what memory it goes to (RG_IS_PRIVATE in runtime/gpu); once derivatives
// are inlined into kernels, where local arrays are seen as well, most of these
// questions have an answer, and what is left is straight code.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_POLISH_KNOWNSPACES_H
#define RETROGRAD_POLISH_KNOWNSPACES_H

namespace llvm {
class Function;
class Value;
} // namespace llvm

namespace retrograd {
class Target;

/// P leads to global memory, by its type or because a kernel was given it,
/// alone or in a struct.
bool leadsToGlobal(const llvm::Value &P, const Target &Machine);

/// Answers the questions for the space of a pointer (isspacep) that can be.
void foldKnownSpaces(llvm::Function &F);

} // namespace retrograd

#endif
