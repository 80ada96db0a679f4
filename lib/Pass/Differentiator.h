//===- Differentiator.h - the derivatives of one module ---------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes one request through the four moves. An attempt that is refused for
// want of evidence is made again with more: types from callers, then from
// debug information; bodies of functions that move bytes of several types;
// fewer functions behind pointers.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PASS_DIFFERENTIATOR_H
#define RETROGRAD_PASS_DIFFERENTIATOR_H

#include "Catalogue/Catalogue.h"
#include "Diagnostics/DiagnosticEngine.h"
#include "Parallel/HostLaunches.h"
#include "Pass/DerivativeJobs.h"
#include "Pass/ShadowGlobals.h"
#include "Primal/PreparePrimal.h"
#include "Request/EntryCalls.h"
#include "Support/Options.h"

namespace retrograd {

class Differentiator {
public:
  Differentiator(llvm::Module &M, llvm::ModuleAnalysisManager &MAM,
                 Catalogue &Cat, DiagnosticEngine &Diags, const Options &Opts);
  ~Differentiator();

  /// The derivative that the user's calls (one or more, with equal requests)
  /// ask for, complete with all that it calls; null after a diagnosed failure.
  llvm::Function *
  differentiate(llvm::ArrayRef<const EntryCall *> Calls,
                llvm::ArrayRef<const EntryCall *> OtherHalf = {});
  /// As differentiate(), without the last move: what was asked to be printed
  /// is, and the module stays as it was.
  void plan(llvm::ArrayRef<const EntryCall *> Calls);
  /// Rules of launches are made when they are asked for.
  void setLaunches(HostLaunches *L) { Launches = L; }
  /// Did any request meet a call through a pointer with candidates?
  bool callsThroughPointers() const;
  /// Call after the last request.
  void finish(bool Last = true);

  RuntimeLibrary &runtime() { return Runtime; }
  /// All derivatives with a body.
  llvm::ArrayRef<llvm::Function *> finished() const { return Finished; }

private:
  /// As differentiate(), without a choice between two derivatives.
  llvm::Function *answer(llvm::ArrayRef<const EntryCall *> Calls,
                         llvm::ArrayRef<const EntryCall *> OtherHalf);
  /// For a request that is answered by General: one more derivative for
  /// arguments that do not overlap, and a choice between the two; General if it
  /// is not worth while. See docs/DisjointArguments.md.
  llvm::Function *preferDisjoint(llvm::ArrayRef<const EntryCall *> Calls);
  /// What Calls ask for, of Copy in place of the function that they name.
  llvm::Function *answerOf(llvm::Function &Copy,
                           llvm::ArrayRef<const EntryCall *> Calls);
  /// What the function around the calls promises of its parameters (restrict)
  /// holds for what it hands on: the derivative of a copy with that promise.
  /// Nothing where there is none that the function itself does not give; null
  /// after an error.
  std::optional<llvm::Function *>
  promisedApart(llvm::ArrayRef<const EntryCall *> Calls);
  /// The same as preferDisjoint for arrays behind pointers in structs.
  llvm::Function *preferApart(llvm::ArrayRef<const EntryCall *> Calls);
  llvm::Function *
  chooseBetween(llvm::ArrayRef<const EntryCall *> Calls, llvm::Function &Copy,
                llvm::function_ref<llvm::Function *(llvm::Function &Disjoint,
                                                    llvm::Function &General)>
                    Choose);

  /// Which functions calls through pointers may lead to: those of the module;
  /// when that is refused, those that the request refers to; when that is
  /// refused, too, it is told what the first attempt found.
  enum class Candidates : uint8_t { All, Narrow, AllAndTell };
  /// The functions that answer a request.
  struct Written {
    llvm::Function *Made, *Sweep, *Recorder;
  };
  DerivativeJobs::Outcome
  attempt(const DerivativeRequest &R, llvm::ArrayRef<const EntryCall *> Calls,
          PreparePrimal &Prepare, Candidates Reach,
          std::optional<Written> &Made, const llvm::Function *&Mingles,
          llvm::SmallVectorImpl<llvm::Function *> &Merging,
          llvm::SmallVectorImpl<const llvm::Function *> &Moving);
  PreparePrimal &preparation(DerivativeMode Mode);

  llvm::Module &M;
  llvm::ModuleAnalysisManager &MAM;
  Catalogue &Cat;
  DiagnosticEngine &Diags;
  const Options &Given;
  Options Opts; ///< Given, but for what the request under way must not have
  /// What is called by its rule in one mode may be looked into in the other:
  /// one preparation for both, unless there is such a function.
  std::unique_ptr<PreparePrimal> PrepareReverse, PrepareForward;
  RuntimeLibrary Runtime;
  ShadowGlobals Shadows;
  HostLaunches *Launches = nullptr;

  bool PlanOnly = false;
  /// The derivative under way is not the one that calls usually run: what it
  /// keeps is not told.
  bool Rare = false;
  /// Copies of the user's functions; see cloneApart.
  llvm::SmallVector<llvm::Function *, 4> DisjointCopies;
  /// Of the request being answered: parameters that all threads of a kernel
  /// pass alike.
  llvm::BitVector RootUniform;
  /// User requests answered already.
  llvm::SmallVector<std::pair<DerivativeRequest, llvm::Function *>, 4> Answered;
  /// Derivatives of all requests so far.
  llvm::SmallVector<llvm::Function *, 16> Finished;
};

} // namespace retrograd

#endif
