//===- PreparePrimal.h - private, normalised clones of primals --*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Analyses, plans and emission never see the user's functions, only private
// clones brought to one form at every -O level. What holds of a clone after
// prepare(): see the invariants in lib/Primal/README.md.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PRIMAL_PREPAREPRIMAL_H
#define RETROGRAD_PRIMAL_PREPAREPRIMAL_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Constant.h"
#include "llvm/IR/PassManager.h"
#include <memory>

namespace retrograd {
class Catalogue;
struct Options;

class PreparePrimal {
public:
  PreparePrimal(llvm::Module &M, llvm::ModuleAnalysisManager &MAM,
                const Catalogue &Cat, const Options &Opts);
  ~PreparePrimal();

  /// Clones F and every function with a visible body that it (transitively)
  /// calls directly, inlines small callees bottom-up and simplifies. Returns
  /// the clone of F. Clones are internal functions named "rg.primal.<name>";
  /// calls inside them still name the user's own functions (see preparedOf).
  llvm::Function *prepare(llvm::Function &F);

  /// The prepared clone of the user's function F, or null if there is none: no
  /// body, never reached by prepare(), or inlined into all its callers
  /// (prepare() makes one of such a function at any time).
  llvm::Function *preparedOf(const llvm::Function *F) const;

  /// All clones so far that are reachable by direct calls from the clone F,
  /// F itself first, in deterministic order.
  llvm::SmallVector<llvm::Function *, 8> reachable(llvm::Function &F) const;

  /// From now on, F (a function of the user) is inlined wherever that can be
  /// done, whatever its size and marks: what it does to bytes depends on the
  /// caller. All clones are made again.
  void inlineEverywhere(const llvm::Function &F);
  bool isInlinedEverywhere(const llvm::Function &F) const;
  /// From now on, each call of one of Fs (functions of the user), and of what
  /// these hand their memory on to, leads to a body of its own, as far as that
  /// does not get too large: callers hand in memory of different kinds. All
  /// clones are made again.
  void separateCalls(llvm::ArrayRef<llvm::Function *> Fs);
  /// Would that change anything? It was not done too often, and not to all of
  /// these.
  bool maySeparateCalls(llvm::ArrayRef<llvm::Function *> Fs) const;

  /// From now on, words that Fs (functions of the user) copy, and which may
  /// hold a number or a pointer by turns, are moved in memory, not in
  /// registers, which have one type. All clones are made again.
  void keepWordsInMemory(llvm::ArrayRef<const llvm::Function *> Fs);
  /// Would that change anything?
  bool mayKeepWordsInMemory(llvm::ArrayRef<const llvm::Function *> Fs) const;

  /// Calls through pointers lead to what F and Handed (constants that are
  /// passed to it) refer to, directly or not, and end the program elsewhere.
  /// All clones are made again. False, and nothing happens: there is nothing
  /// else that they could lead to.
  bool narrowCalls(const llvm::Function &F,
                   llvm::ArrayRef<const llvm::Constant *> Handed);
  /// They may lead anywhere again.
  void widenCalls();
  /// Does F, a function of the user, refer to Other, directly or not?
  bool refersTo(const llvm::Function &F, const llvm::Function &Other) const;

  /// Were calls through pointers made direct (DispatchCalls.h)?
  bool callsThroughPointers() const;

  /// IR of all prepared clones, in the order in which they were made.
  void print(llvm::raw_ostream &OS) const;

  /// Deletes all clones; call after the last derivative was emitted.
  void dispose();

private:
  struct Impl;
  std::unique_ptr<Impl> I;
};

} // namespace retrograd

#endif
