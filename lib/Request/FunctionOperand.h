//===- FunctionOperand.h - which function does a value name -----*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first argument of an entry call names a function, and by the time we see
// it the name may have gone through casts, an alloca of -O0, a table, a
// captured lambda's conversion to a pointer, or a wrapper's parameter.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_REQUEST_FUNCTIONOPERAND_H
#define RETROGRAD_REQUEST_FUNCTIONOPERAND_H

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Function.h"

namespace retrograd {

/// Every function that a value may be.
struct FunctionOperand {
  /// In the order they were found; meaningful when Complete.
  llvm::SmallSetVector<llvm::Function *, 2> Functions;
  /// False: the value may also be something else, which was not understood.
  bool Complete = true;
  /// The parameter of the enclosing function that the value comes from, when it
  /// comes from nothing else: callers decide (see Entry/SpecializeWrappers).
  llvm::Argument *Parameter = nullptr;
  /// The value is (or may be) the address of a variable that holds the
  /// function: it names the function, but is not its address.
  bool ByReference = false;
};

FunctionOperand resolveFunction(llvm::Value *V);

} // namespace retrograd

#endif
