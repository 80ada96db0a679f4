//===- DerivativeJobs.h - one attempt at a request --------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The derivative of a request needs those of callees, and these of theirs: each
// is a job. All jobs are planned, and only then are they emitted. So a refusal,
// or a reason to try again with more evidence, has cost analyses and no code.
//
// What is found only when code was written (a derivative that LLVM's verifier
// refuses, a pointer in a global variable that forward mode from a tape cannot
// follow) takes away all that the attempt wrote.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PASS_DERIVATIVEJOBS_H
#define RETROGRAD_PASS_DERIVATIVEJOBS_H

#include "Analysis/ActivityAnalysis.h"
#include "Diagnostics/DiagnosticEngine.h"
#include "Diagnostics/Refusal.h"
#include "Emit/EmitServices.h"
#include "Parallel/HostLaunches.h"
#include "Plan/LaneLayout.h"
#include "Primal/PreparePrimal.h"
#include "Support/Options.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringMap.h"
#include <deque>

namespace retrograd {
class ShadowGlobals;

class DerivativeJobs final : public EmitServices {
public:
  /// What all attempts at a request share.
  struct House {
    llvm::Module &M;
    llvm::ModuleAnalysisManager &MAM;
    const Catalogue &Cat;
    DiagnosticEngine &Diags;
    const Options &Opts;
    PreparePrimal &Prepare;
    RuntimeLibrary &Runtime;
    ShadowGlobals &Shadows;
    HostLaunches *Launches; ///< null: rules of launches are not made
  };
  /// What this one has, and what is left to try after it.
  struct Evidence {
    llvm::Function &Root; ///< prepared
    const ProgramFacts &Facts;
    /// Of a forward request with lanes that may lie side by side, else null.
    LaneLayout *Layout;
    /// Parameters of the root that all threads of a kernel pass alike.
    const llvm::BitVector &Uniform;
    /// The facts include what callers know of types.
    bool CallersAsked;
    /// Nobody is left to ask about types: what is unknown now is refused.
    bool LastTry;
    /// Calls through pointers may be taken to lead to fewer functions.
    bool MayNarrow;
    /// The derivative is not the one that calls usually run: what it keeps is
    /// not told.
    bool Rare;
  };
  enum class Outcome : uint8_t {
    Planned, ///< all jobs; they can be emitted
    Failed,  ///< diagnosed
    Untyped, ///< bytes without a type matter; others can still be asked
    Apart,   ///< lanes cannot lie side by side here
    Mingled, ///< mingles(): bytes that are one thing here and another there
    Bytes,   ///< refused for bytes alone that the running program could move
    Moved,   ///< moving(): words in registers that hold several things by turns
    Wide, ///< refused, or too many callers; perhaps because of functions that
          ///< are never called here
  };

  DerivativeJobs(const House &H, const Evidence &E, const DerivativeRequest &R,
                 const RequestTrail &Trail);
  ~DerivativeJobs() override;

  /// Plans all jobs. Writes nothing.
  Outcome plan();
  /// After Outcome::Mingled: the function that moves the bytes; or none, and
  /// those of which calls made memory one that is refused.
  const llvm::Function *mingles() const { return Mingles; }
  llvm::ArrayRef<llvm::Function *> merging() const { return Merging; }

  /// After Outcome::Moved: the functions that are refused.
  llvm::ArrayRef<const llvm::Function *> moving() const { return Moving; }

  /// Writes all jobs, after Outcome::Planned. False: diagnosed, and nothing is
  /// left of it. Adds the functions with a body to Finished.
  bool emit(llvm::SmallVectorImpl<llvm::Function *> &Finished);

  // After emit():
  llvm::Function *made() const { return Jobs.front().Made; }
  llvm::Function *sweep() const { return Jobs.front().Sweep; }
  llvm::Function *recorder() const { return Jobs.front().Recorder; }

  // What emission asks.
  llvm::Function *derivative(const DerivativeRequest &R) override;
  llvm::Function *recorder(const DerivativeRequest &R) override;
  llvm::GlobalVariable *shadowOf(llvm::GlobalVariable &G,
                                 unsigned Lane) override;
  llvm::GlobalVariable *shadowTable(llvm::GlobalVariable &G,
                                    llvm::Constant &Shadows) override;
  RuntimeLibrary &runtime() override { return H.Runtime; }
  const Catalogue &catalogue() const override { return H.Cat; }

private:
  struct Planned;
  /// One derivative.
  struct Job {
    DerivativeRequest Request;
    RequestTrail Trail;
    /// Of the function that asked, or of all that did; part of the identity.
    ShadowOrigins Callers;
    ShadowOrigins Own; ///< for what it asks of callees, once analysed
    /// Of a dispatcher: where the call through a pointer stands.
    SourcePlace Through;
    /// What it asks for: indices of jobs.
    llvm::SmallSetVector<size_t, 4> Asks;
    /// Why there is no derivative.
    llvm::SmallVector<Refusal, 1> Refusals;
    /// The analyses and the plan, from planning to emission; null if a rule
    /// answers, or nothing.
    std::unique_ptr<Planned> Plan;

    // From emission on.
    llvm::Function *Made = nullptr;
    llvm::Function *Sweep = nullptr;    ///< of an Augment
    llvm::Function *Recorder = nullptr; ///< of a Forward with FromTape

    Job(const DerivativeRequest &R, const RequestTrail &Trail);
    Job(Job &&);
    ~Job();
  };

  Outcome plan(Job &J);
  /// Does a rule answer the whole job?
  const OperationRecord *ruleOf(const Job &J) const;
  /// J's plan calls a derivative that answers R: the job of that.
  void ask(Job &J, const DerivativeRequest &R);
  /// Some argument of Callee is a number in one call and an integer in another.
  /// Asked in each job that calls it, about all calls of the module.
  bool isContested(const llvm::Function &Callee);
  /// The job by which J's request R is answered; the number of jobs if J did
  /// not ask for it.
  size_t asked(const Job &J, const DerivativeRequest &R) const;
  Job &jobOf(const DerivativeRequest &R);
  void report(llvm::ArrayRef<Refusal> Refusals, const RequestTrail &Trail);
  /// Reports the refusals of jobs that the root surely needs. The others',
  /// behind calls through pointers, end the program if they are reached.
  /// Planned if the request can be answered; Wide: nothing was reported yet.
  Outcome settleRefusals(bool Finally);
  bool mayBeGiven(const llvm::Function &F, unsigned Parameter) const;
  /// Functions of which the calls made memory one that is refused for what it
  /// holds by turns.
  llvm::SmallVector<llvm::Function *, 8>
  mergingCalls(llvm::ArrayRef<const Job *> Refused) const;

  void declare(Job &J);
  bool emit(Job &J);
  bool emitByRule(Job &J, const OperationRecord &Rule);
  bool verified(Job &J);
  /// The derivative of what cannot be differentiated says so when it is called.
  void writeRefusal(Job &J);
  /// What the request's derivative does before and behind all others.
  bool complete();
  void discard();

  const House H;
  const Evidence E;
  /// A deque: references stay valid. The first is the request itself.
  std::deque<Job> Jobs;
  /// Those of a function; not the first, which the user calls, whose pointers
  /// all have shadows.
  llvm::DenseMap<const llvm::Function *, llvm::SmallVector<size_t, 1>> JobsOf;
  /// Some function was asked for by too many kinds of callers.
  bool TooManyKinds = false;
  const llvm::Function *Mingles = nullptr;
  llvm::DenseMap<const llvm::Function *, bool> Contested;
  llvm::SmallVector<llvm::Function *, 8> Merging;
  llvm::SmallVector<const llvm::Function *, 4> Moving;

  // Of emission.
  Job *Current = nullptr;
  /// From a derivative for one thread to that for the team, and all functions
  /// that were made for that.
  llvm::DenseMap<llvm::Function *, llvm::Function *> TeamOf;
  llvm::SmallVector<llvm::Function *, 4> OfTeams;
  llvm::SmallVector<llvm::Function *, 8> Emitted;
  llvm::StringMap<llvm::Constant *> RefusalTexts; ///< that bodies hold
};

/// Of this process, since the last time: "N jobs planned, N derivatives
/// emitted", for -rg-stats.
void printJobStats(llvm::raw_ostream &OS);

} // namespace retrograd

#endif
