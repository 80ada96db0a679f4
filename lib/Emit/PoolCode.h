//===- PoolCode.h - code that a team of our own runs ------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that a library shares out to threads of its own runs on the runtime's
// threads in a derivative (runtime/pool.c). What a program has in place of it
// is made here: functions that look as if clang had written them, loops, and
// forks of a team whose threads share out a number of pieces:
//
//   rg.fork.<name>(threads, operands...)    has the binding CallBinding::Team:
//     rg_pool_run(threads, rg.each.<name>, operands)
//   rg.each.<name>(operands)                what each of the threads does: part
//     [first, last) of all pieces, in their order
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_EMIT_POOLCODE_H
#define RETROGRAD_EMIT_POOLCODE_H

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace retrograd {

/// Runs a function on all threads of a team: (threads, function, operand).
inline constexpr llvm::StringLiteral PoolRoutine = "rg_pool_run";

class PoolCode {
public:
  /// Functions are compiled like Model.
  explicit PoolCode(llvm::Function &Model)
      : Model(Model), M(*Model.getParent()), B(M.getContext()) {}

  /// A team whose threads each run Part on the operands, their number and their
  /// share, [first, last), of what Count tells: fork(threads, operands...).
  llvm::Function *makeFork(
      const llvm::Twine &Name, llvm::ArrayRef<llvm::Type *> Types,
      llvm::function_ref<llvm::Value *(llvm::ArrayRef<llvm::Value *>)> Count,
      llvm::function_ref<void(llvm::ArrayRef<llvm::Value *>,
                              llvm::Value *Number, llvm::Value *First,
                              llvm::Value *Last)>
          Part);
  /// A loop from From to To; the builder is in its body, and behind it then.
  void loop(llvm::Value *From, llvm::Value *To,
            llvm::function_ref<void(llvm::Value *)> Do);
  /// The smaller of how many threads there are and how much work there is.
  llvm::Value *teamFor(llvm::Value *Work);
  /// A call of a routine of the runtime or the C library.
  llvm::Value *routine(llvm::StringRef Name, llvm::Type *Result,
                       llvm::ArrayRef<llvm::Value *> Args);
  llvm::IRBuilder<> &builder() { return B; }

protected:
  llvm::Function &Model;
  llvm::Module &M;
  llvm::IRBuilder<> B;

  llvm::Function *function(llvm::Type *Result,
                           llvm::ArrayRef<llvm::Type *> Params,
                           const llvm::Twine &Name);
};

} // namespace retrograd

#endif
