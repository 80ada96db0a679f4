//===- MethodSubstitute.h - code in place of a method -----------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What all substitutes of parallel methods (Guard/Methods.h) are made of:
// functions that look as if clang had written them, calls of the members of the
// program's classes, loops, and forks of a team whose threads share out a
// number of pieces.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_GUARD_METHODSUBSTITUTE_H
#define RETROGRAD_GUARD_METHODSUBSTITUTE_H

#include "Guard/CxxMembers.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace retrograd {
struct ParallelMethodRecord;

/// Runs a function on all threads of a team: (threads, function, operand).
inline constexpr llvm::StringLiteral PoolRoutine = "rg_pool_run";

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

class MethodSubstitute {
protected:
  MethodSubstitute(llvm::Function &Method, const CxxMembers &All)
      : Method(Method), All(All), M(*Method.getParent()), B(M.getContext()) {}

  llvm::Function &Method;
  const CxxMembers &All;
  llvm::Module &M;
  llvm::IRBuilder<> B;

  llvm::Function *function(llvm::Type *Result,
                           llvm::ArrayRef<llvm::Type *> Params,
                           const llvm::Twine &Name);
  /// A call of a routine of the runtime or the C library.
  llvm::Value *routine(llvm::StringRef Name, llvm::Type *Result,
                       llvm::ArrayRef<llvm::Value *> Args);
  /// A call of a member.
  llvm::Value *ask(llvm::Function &F, llvm::ArrayRef<llvm::Value *> Args);
  llvm::Value *nth(llvm::Value *Base, uint64_t Stride, llvm::Value *I);
  /// A loop from From to To; the builder is in its body, and behind it then.
  void loop(llvm::Value *From, llvm::Value *To,
            llvm::function_ref<void(llvm::Value *)> Do);
  /// A team whose threads each run Part on the operands, their number and their
  /// share, [first, last), of what Count tells: fork(threads, operands...).
  llvm::Function *makeFork(
      llvm::ArrayRef<llvm::Type *> Types,
      llvm::function_ref<llvm::Value *(llvm::ArrayRef<llvm::Value *>)> Count,
      llvm::function_ref<void(llvm::ArrayRef<llvm::Value *>,
                              llvm::Value *Number, llvm::Value *First,
                              llvm::Value *Last)>
          Part);
  /// A function with the method's parameters, for the builder to fill.
  llvm::Function *begin();
  /// The smaller of how many threads there are and how much work there is.
  llvm::Value *teamFor(llvm::Value *Work);
};

} // namespace retrograd

#endif
