//===- LaneLayout.h - where the lanes of one number lie ---------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shadows of memory that a user hands in are one object per lane. Memory
// that the differentiated program makes for itself can have one shadow for all
// lanes, N times as large: byte o of an object belongs to bytes N * o to N * o
// + N - 1, each number is followed by those of the other lanes, and all
// tangents of a number are one vector in memory as they are in registers.
//
// A shadow is either the one or the other for each object of the type analysis,
// so for each pointer. Decided once per request, from what is true whatever is
// active.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PLAN_LANELAYOUT_H
#define RETROGRAD_PLAN_LANELAYOUT_H

#include "Analysis/ProgramFacts.h"

namespace retrograd {
class ActivityAnalysis;

class LaneLayout {
public:
  /// Of the call graph Functions, root first.
  LaneLayout(const ProgramFacts &Facts,
             llvm::ArrayRef<llvm::Function *> Functions);

  /// The shadow behind P holds all lanes, side by side.
  bool isSideBySide(const llvm::Value *P) const;
  /// F, with this activity, does with such memory what cannot be done: tells at
  /// run time whether it has a shadow, or copies pointers into it that are
  /// their own.
  bool conflicts(const llvm::Function &F,
                 const ActivityAnalysis &Activity) const;

private:
  void separate(const llvm::Value *P);
  void together(const llvm::Value *P, const llvm::Value *Q);
  void visit(const llvm::Instruction &I);
  void visitAccess(const llvm::Value *P, const llvm::Value *V,
                   const llvm::Type *T);
  void visitCall(const llvm::CallBase &C);

  const ProgramFacts &Facts;
  llvm::BitVector Separate; ///< by object
};

} // namespace retrograd

#endif
