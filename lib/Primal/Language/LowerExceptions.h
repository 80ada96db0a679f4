//===- LowerExceptions.h - exceptions as ordinary control flow --*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A derivative must run backwards through what a callee did until it threw, and
// unwinding leaves nothing to run backwards through. So where an exception can
// be caught inside the differentiated code, primals do not unwind: a function
// that an exception leaves returns, with the exception in a variable, and its
// callers look there. See docs/Exceptions.md.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PRIMAL_LANGUAGE_LOWEREXCEPTIONS_H
#define RETROGRAD_PRIMAL_LANGUAGE_LOWEREXCEPTIONS_H

#include "Support/ExceptionMarks.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Instructions.h"

namespace retrograd {
class Catalogue;

class ExceptionLowering {
public:
  ExceptionLowering(llvm::Module &M, const Catalogue &Cat) : M(M), Cat(Cat) {}

  using FunctionPredicate = llvm::function_ref<bool(const llvm::Function &)>;

  /// F catches exceptions and returns afterwards.
  static bool catches(const llvm::Function &F);
  /// The direct callees, not nounwind, whose exceptions F can catch and go on;
  /// all that are not nounwind if an exception may leave F by a return.
  static llvm::SmallVector<llvm::Function *, 8> watched(const llvm::Function &F,
                                                        bool Leaves);

  /// Brings the private clone F into the form above. Leaves: an exception
  /// leaves F by a return. HasBody: a callee will be, or may be, a primal,
  /// whose exceptions come by a return if ReturnsThem says so.
  void lower(llvm::Function &F, bool Leaves, FunctionPredicate HasBody,
             FunctionPredicate ReturnsThem);
  /// Calls of functions that return their exceptions, in a clone that was
  /// lowered before they were known to be called.
  void checkCalls(llvm::Function &F, FunctionPredicate ReturnsThem);

private:
  friend class FunctionLowering;
  enum VariableKind { InFlight, Handled };
  llvm::GlobalVariable *variable(VariableKind Kind);
  unsigned idOf(const llvm::Constant *TypeInfo);
  llvm::Function *matcher(const llvm::LandingPadInst &Pad,
                          llvm::Constant *Personality);
  llvm::Function *returningTwin(llvm::Function &NoReturn);

  llvm::Module &M;
  const Catalogue &Cat;
  llvm::GlobalVariable *Variables[2] = {};
  /// Numbers of types in handlers, from 1; the handler for all types is null.
  llvm::DenseMap<const llvm::Constant *, unsigned> Ids;
  llvm::DenseMap<const llvm::Function *, llvm::Function *> Twins;
};

} // namespace retrograd

#endif
