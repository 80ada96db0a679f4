//===- MethodSubstitute.h - code in place of a method -----------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What all substitutes of parallel methods (Guard/Methods.h) are made of: code
// for a team (Emit/PoolCode.h), and calls of the members of the program's
// classes.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_GUARD_METHODSUBSTITUTE_H
#define RETROGRAD_GUARD_METHODSUBSTITUTE_H

#include "Emit/PoolCode.h"
#include "Guard/CxxMembers.h"

namespace retrograd {
struct ParallelMethodRecord;

/// One function per form of method; null if something that has to be known is
/// not.
///
/// body(piece), of a range that splits itself.
llvm::Function *substituteOfRange(llvm::Function &Method, const CxxName &Name,
                                  const ParallelMethodRecord &Known,
                                  const CxxMembers &All);
/// Each of some functions, once.
llvm::Function *substituteOfCalls(llvm::Function &Method, const CxxName &Name,
                                  const CxxMembers &All);
/// body(i) for all i from a number to a number.
llvm::Function *substituteOfIndices(llvm::Function &Method, const CxxName &Name,
                                    const CxxMembers &All);

/// body(i) for all i of a policy's range.
llvm::Function *substituteOfPolicy(llvm::Function &Method, const CxxName &Name,
                                   const ParallelMethodRecord &Known,
                                   const CxxMembers &All);

/// An algorithm that is given its steps as objects.
llvm::Function *substituteOfSteps(llvm::Function &Method, const CxxName &Name,
                                  const ParallelMethodRecord &Known,
                                  const CxxMembers &All);

class MethodSubstitute : protected PoolCode {
protected:
  MethodSubstitute(llvm::Function &Method, const CxxMembers &All)
      : PoolCode(Method), Method(Method), All(All) {}

  llvm::Function &Method;
  const CxxMembers &All;

  /// A call of a member.
  llvm::Value *ask(llvm::Function &F, llvm::ArrayRef<llvm::Value *> Args);
  llvm::Value *nth(llvm::Value *Base, uint64_t Stride, llvm::Value *I);
  /// A function with the method's parameters, for the builder to fill.
  llvm::Function *begin();
};

} // namespace retrograd

#endif
