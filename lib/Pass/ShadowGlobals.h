//===- ShadowGlobals.h - the shadows of global variables --------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A global variable that holds something active has a shadow for each lane,
// made on first use and shared by all derivatives of a module. A derivative
// that is differentiated again uses such shadows itself: those of the outer
// derivative are others, one level higher (docs/HigherOrder.md).
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PASS_SHADOWGLOBALS_H
#define RETROGRAD_PASS_SHADOWGLOBALS_H

#include "Analysis/TypeAnalysis.h"
#include "Bitcode/RuntimeLibrary.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

namespace retrograd {

class ShadowGlobals {
public:
  explicit ShadowGlobals(llvm::Module &M) : M(M) {}

  /// What follows is for a request over these functions.
  void begin(llvm::ArrayRef<llvm::Function *> Graph);
  /// The shadow of G for one lane.
  llvm::GlobalVariable *of(llvm::GlobalVariable &G, unsigned Lane);
  /// The shadow of a constant table of pointers: a constant, whose contents are
  /// `Shadows`.
  llvm::GlobalVariable *table(llvm::GlobalVariable &G, llvm::Constant &Shadows);

  /// Of the variables whose shadows the request uses, one that holds pointers
  /// and may change; null if none.
  llvm::GlobalVariable *pointers(const TypeAnalysis &Types) const;
  /// At the start of D, the shadows that the request uses hold zero adjoints
  /// and, if D has a primal sweep (`Pointers`), pointers that are their own
  /// shadows.
  void reset(llvm::Function &D, bool Pointers, const TypeAnalysis &Types,
             RuntimeLibrary &Runtime) const;

private:
  llvm::Module &M;
  /// By global, lane and level.
  llvm::DenseMap<std::tuple<llvm::GlobalVariable *, unsigned, unsigned>,
                 llvm::GlobalVariable *>
      Variables;
  /// By constant and what its shadow holds.
  llvm::DenseMap<std::pair<llvm::GlobalVariable *, llvm::Constant *>,
                 llvm::GlobalVariable *>
      Tables;
  /// From a shadow to how many derivatives deep it is used.
  llvm::DenseMap<const llvm::Constant *, unsigned> LevelOf;
  unsigned Level = 0; ///< of the request under way
  /// Global and lane of the shadows that the request under way uses, in order
  /// of first use.
  llvm::SetVector<std::pair<llvm::GlobalVariable *, unsigned>> Used;
};

} // namespace retrograd

#endif
