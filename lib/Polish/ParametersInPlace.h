//===- ParametersInPlace.h - structs by value, read where they are -*- C++ -*-//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A struct that a kernel is given by value and hands on to a function by value
// is copied on the way. Once the function is inlined, LLVM does away with the
// copy where it knows each member that is read, but not where an index decides:
// then every thread copies all of the struct to its local memory. A parameter
// of a kernel that nobody writes can be read where it is, in memory that the
// whole grid has in a cache.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_POLISH_PARAMETERSINPLACE_H
#define RETROGRAD_POLISH_PARAMETERSINPLACE_H

namespace llvm {
class Function;
} // namespace llvm

namespace retrograd {

/// Local copies of what F, a kernel, was given by value give way to the
/// parameters, where neither is written.
void readParametersInPlace(llvm::Function &F);

} // namespace retrograd

#endif
