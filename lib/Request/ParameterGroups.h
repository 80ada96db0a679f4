//===- ParameterGroups.h - which parameters are one struct ------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The x86-64 calling convention passes a struct of up to 16 bytes in registers:
// `double f(struct {double x, y;} p)` is `double @f(double, double)`. A marker
// before such an argument governs both parameters, and its shadow comes after
// both, so the request has to know that they belong together.
//
// Clang's unoptimised code tells: it stores such parameters to one alloca. So
// the answer is found at the start of the pipeline and kept as a function
// attribute, which only modules with entry calls get.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_REQUEST_PARAMETERGROUPS_H
#define RETROGRAD_REQUEST_PARAMETERGROUPS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"

namespace retrograd {

/// Consecutive parameters that were one in the source.
struct ParameterGroup {
  unsigned First;
  unsigned Size = 1;
  /// Integer parameters among them that carry floating-point numbers, too (a
  /// struct of a float and an int is one 64-bit integer): bit i for First + i.
  unsigned FloatsInIntegers = 0;
};

/// All parameters of F in order, each in one group.
llvm::SmallVector<ParameterGroup, 8> parameterGroups(const llvm::Function &F);

/// The attribute's name and, for a function that still has clang's unoptimised
/// form, its value; "" if every parameter is a group of its own.
extern const char *const ParameterGroupsAttribute;
std::string findParameterGroups(const llvm::Function &F);

} // namespace retrograd

#endif
