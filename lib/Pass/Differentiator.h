//===- Differentiator.h - the derivatives of one module ---------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes one request through the four moves, and after it every request that
// its plan makes of callees, until none is left.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PASS_DIFFERENTIATOR_H
#define RETROGRAD_PASS_DIFFERENTIATOR_H

#include "Analysis/ActivityAnalysis.h"
#include "Catalogue/Catalogue.h"
#include "Diagnostics/DiagnosticEngine.h"
#include "Diagnostics/Refusal.h"
#include "Emit/EmitServices.h"
#include "Parallel/HostLaunches.h"
#include "Plan/LaneLayout.h"
#include "Primal/PreparePrimal.h"
#include "Request/EntryCalls.h"
#include "Support/Options.h"
#include <deque>

namespace retrograd {

class Differentiator final : public EmitServices {
public:
  Differentiator(llvm::Module &M, llvm::ModuleAnalysisManager &MAM,
                 Catalogue &Cat, DiagnosticEngine &Diags, const Options &Opts);
  ~Differentiator() override;

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

  llvm::Function *derivative(const DerivativeRequest &R) override;
  llvm::Function *recorder(const DerivativeRequest &R) override;
  llvm::GlobalVariable *shadowOf(llvm::GlobalVariable &G,
                                 unsigned Lane) override;
  llvm::GlobalVariable *shadowTable(llvm::GlobalVariable &G,
                                    llvm::Constant &Shadows) override;
  RuntimeLibrary &runtime() override { return Runtime; }
  /// All derivatives with a body.
  llvm::ArrayRef<llvm::Function *> finished() const { return Finished; }
  const Catalogue &catalogue() const override { return Cat; }

private:
  /// As differentiate(), without a choice between two derivatives.
  llvm::Function *answer(llvm::ArrayRef<const EntryCall *> Calls,
                         llvm::ArrayRef<const EntryCall *> OtherHalf);
  /// For a request that is answered by General: one more derivative for
  /// arguments that do not overlap, and a choice between the two; General if it
  /// is not worth while. See docs/DisjointArguments.md.
  llvm::Function *preferDisjoint(llvm::ArrayRef<const EntryCall *> Calls);

  /// One derivative made, or to be made.
  struct Job {
    DerivativeRequest Request;
    llvm::Function *Made;
    llvm::Function *Sweep = nullptr;    ///< of an Augment
    llvm::Function *Recorder = nullptr; ///< of a Forward with FromTape
    RequestTrail Trail;
    ShadowOrigins Callers; ///< of the function that asked; part of the identity
    ShadowOrigins Own;     ///< for what it asks of callees, once analysed
    /// Of a dispatcher: where the call through a pointer stands.
    SourcePlace Through;
    /// What it asked for: indices of jobs.
    llvm::SmallSetVector<size_t, 4> Asks;
    /// Why there is no derivative.
    llvm::SmallVector<Refusal, 1> Refusals;
  };
  enum class Outcome : uint8_t {
    Done,
    Failed,  ///< diagnosed
    Planned, ///< and no more was asked for
    Untyped, ///< bytes without a type matter; others can still be asked
    Apart,   ///< lanes cannot lie side by side here
    Mingled, ///< a callee moves bytes that are one thing here and another there
    Wide, ///< refused; perhaps because of functions that are never called here
  };
  Outcome differentiate(const DerivativeRequest &R,
                        llvm::ArrayRef<const EntryCall *> Calls,
                        const RequestTrail &Trail);
  /// All jobs that come of request R, with the facts as they are.
  Outcome run(const DerivativeRequest &R, const RequestTrail &Trail);
  Outcome emit(Job &J);
  Job &jobOf(const DerivativeRequest &R);
  Outcome emitByRule(Job &J, const OperationRecord &Rule);
  Outcome verified(Job &J);
  PreparePrimal &preparation(DerivativeMode Mode);
  void report(llvm::ArrayRef<Refusal> Refusals, const RequestTrail &Trail);
  /// Reports the refusals of jobs that the root surely needs. The others',
  /// behind calls through pointers, end the program if they are reached. Done
  /// if the request can be answered; Wide: nothing was reported yet.
  Outcome settleRefusals(bool Finally);
  void writeRefusal(Job &J);
  unsigned levelOf(llvm::ArrayRef<llvm::Function *> Graph) const;
  llvm::GlobalVariable *shadowedPointers() const;
  void resetShadowGlobals(llvm::Function &D, bool Pointers);

  llvm::Module &M;
  llvm::ModuleAnalysisManager &MAM;
  Catalogue &Cat;
  DiagnosticEngine &Diags;
  const Options &Given;
  Options Opts; ///< Given, but for what the request under way must not have
  /// What is called by its rule in one mode may be looked into in the other:
  /// one preparation for both, unless there is such a function.
  std::unique_ptr<PreparePrimal> PrepareReverse, PrepareForward;
  PreparePrimal *Prepare = nullptr; ///< of the request under way
  RuntimeLibrary Runtime;
  HostLaunches *Launches = nullptr;

  /// Of the request under way: the prepared root, what holds for its call
  /// graph, the jobs made (a deque: references stay valid) and the next to do.
  llvm::Function *Root = nullptr;
  std::unique_ptr<ProgramFacts> Facts;
  /// Of a forward request with lanes that may lie side by side.
  std::unique_ptr<LaneLayout> Layout;
  /// Nobody is left to ask about types: what is unknown now is refused.
  bool LastTry = false;
  /// The facts include what callers know of types.
  bool CallersAsked = false;
  bool PlanOnly = false;
  /// The derivative under way is not the one that calls usually run: what it
  /// keeps is not told.
  bool Rare = false;
  /// Copies of the user's functions; see cloneDisjoint.
  llvm::SmallVector<llvm::Function *, 4> DisjointCopies;
  /// Which functions calls through pointers may lead to: those of the module;
  /// when that is refused, those that the request refers to; when that is
  /// refused, too, it is told what the first attempt found.
  enum class Candidates : uint8_t {
    All,
    Narrow,
    AllAndTell
  } Reach = Candidates::All;
  /// After Outcome::Mingled: that callee.
  const llvm::Function *MinglesTypes = nullptr;
  std::deque<Job> Jobs;
  size_t NextJob = 0;
  /// From a derivative for one thread to that for the team, and all functions
  /// that were made for that.
  llvm::DenseMap<llvm::Function *, llvm::Function *> TeamOf;
  llvm::SmallVector<llvm::Function *, 4> OfTeams;
  Job *Current = nullptr;

  /// User requests answered already.
  llvm::SmallVector<std::pair<DerivativeRequest, llvm::Function *>, 4> Answered;
  /// By global and lane.
  using GlobalLane = std::pair<llvm::GlobalVariable *, unsigned>;
  /// By global, lane and level.
  llvm::DenseMap<std::tuple<llvm::GlobalVariable *, unsigned, unsigned>,
                 llvm::GlobalVariable *>
      ShadowGlobals;
  /// By constant and what its shadow holds.
  llvm::DenseMap<std::pair<llvm::GlobalVariable *, llvm::Constant *>,
                 llvm::GlobalVariable *>
      ShadowTables;
  /// From a shadow to how many derivatives deep it is used.
  llvm::DenseMap<const llvm::Constant *, unsigned> LevelOfShadow;
  unsigned ShadowLevel = 0; ///< of the current request
  /// Globals whose shadow the current request uses, in order of first use.
  llvm::SetVector<GlobalLane> UsedShadows;
  llvm::SmallVector<llvm::Function *, 8> Emitted;
  /// Those of all requests so far.
  llvm::SmallVector<llvm::Function *, 16> Finished;
  /// Of the request being answered: parameters that all threads of a kernel
  /// pass alike.
  llvm::BitVector RootUniform;
};

} // namespace retrograd

#endif
