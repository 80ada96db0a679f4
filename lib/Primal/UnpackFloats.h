//===- UnpackFloats.h - floats that travel inside of a wider one ----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A struct or union of four floats is passed and returned as two doubles: the
// ABI asks for registers, and clang names them by their width. Once the calls
// are inlined, LLVM keeps such a double as a phi, or as an element of a vector,
// and takes the floats out of its bits where they are used. An analysis that
// goes by the type would take the pair for a number.
//
// What is linked by phis, selects, elements of vectors and freezes is one web.
// Where no operation computes with a web, and its bits are put together from
// narrower floats or taken apart into such, it carries bits: it becomes
// integers of the same width, which types and rules know how to look into.
//
// Not handled: webs that reach a call or a return, or an argument. They keep
// their type, and what takes them apart is refused as before.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PRIMAL_UNPACKFLOATS_H
#define RETROGRAD_PRIMAL_UNPACKFLOATS_H

namespace llvm {
class Function;
} // namespace llvm

namespace retrograd {

/// Once the calls are inlined whose arguments were packed.
void unpackFloats(llvm::Function &F);

} // namespace retrograd

#endif
