//===- ScalarChains.h - carried numbers stay scalars ------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for each step, backwards:
//     a, b, c = a + h * b * p, b + h * (c * q - a), c - h * a * r;
//
// An iteration waits for the numbers of the one before, and has less to do than
// it waits. LLVM's SLP vectoriser packs two of them: it counts instructions, of
// which there are fewer then, and not how long one waits for the other. Its
// shuffles stand between an iteration and the next, where each takes as long as
// an operation.
//
// The step marks derivatives of which all arithmetic in loops is of this kind;
// the SLP vectoriser passes them over.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_POLISH_SCALARCHAINS_H
#define RETROGRAD_POLISH_SCALARCHAINS_H

namespace llvm {
class PassInstrumentationCallbacks;
} // namespace llvm

namespace retrograd {

/// Has the SLP vectoriser of these pipelines leave out what the step has
/// marked.
void passOverScalarChains(llvm::PassInstrumentationCallbacks &Callbacks);

} // namespace retrograd

#endif
